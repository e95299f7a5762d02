"""The host's side of a running tool: progress, contexts, conclusion, nested calls."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable

import attrs

from pegboard.calls.flight import Flight
from pegboard.calls.messages import legible
from pegboard.errors import PegboardError, WrongArgumentError
from pegboard.outcomes import Outcome
from pegboard.values import JSON, Content, Limits, Snapshot

_log = logging.getLogger("pegboard.calls")


@attrs.frozen
class Progress:
    """How far a call is, as its tool reported it.

    Attributes:
        progress: how much is done, in the tool's own unit.
        total: how much there is, in the same unit.
        message: for people.
        content: content blocks that the call has so far.
    """

    call_id: str
    tool: str
    progress: float | None
    total: float | None
    message: str | None
    content: tuple[Content, ...]


class Side:
    """What a `RunContext` reaches of the host."""

    __slots__ = (
        *("_ask", "_asked", "_attempt", "_call", "_flight", "_limits", "_loop", "_thread", "_turn"),
    )

    def __init__(
        self,
        flight: Flight,
        limits: Limits,
        call: Callable[[Flight, str, JSON], Awaitable[Outcome]],
        ask: Callable[[Flight, str], "asyncio.Task[str]"],
    ) -> None:
        self._flight = flight
        self._attempt = flight.attempt
        self._limits = limits
        self._call = call
        self._ask = ask
        self._asked: asyncio.Task[str] | None = None
        self._turn: asyncio.Lock | None = None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def report(
        self,
        progress: float | None,
        total: float | None,
        message: str | None,
        content: tuple[Content, ...],
    ) -> None:
        """Take a report of progress, from any thread; late ones are dropped."""
        call = self._flight.call
        told = Progress(call.id, call.name, progress, total, message, tuple(content))
        if threading.get_ident() == self._thread:
            self._tell(told)
            return
        try:
            self._loop.call_soon_threadsafe(self._tell, told)
        except RuntimeError:
            return  # the loop has closed: the report is late

    def _tell(self, told: Progress) -> None:
        flight = self._flight
        on_progress = flight.request.on_progress
        if self._is_late or on_progress is None:
            return
        try:
            answer = on_progress(told)
        except Exception:  # noqa: BLE001 - a caller's own code must not fail the call
            _log.exception("on_progress of call %r raised", told.call_id)
            return
        if inspect.isawaitable(answer):
            flight.told = flight.told or []
            flight.told.append(asyncio.ensure_future(answer))

    def defer(self, context: JSON) -> None:
        """Keep a context for the outcome."""
        snapshot = Snapshot.of(context, self._limits)
        if self._is_late:
            call_id = self._flight.call.id
            raise PegboardError(
                f"the outcome of call {call_id!r} is final; nothing can be deferred"
            )
        self._flight.contexts += (snapshot,)

    def conclude(self) -> None:
        """Note that the turn should end with this call."""
        if not self._is_late:
            self._flight.concludes = True

    @property
    def _is_late(self) -> bool:
        return self._flight.is_final or self._flight.attempt != self._attempt

    async def call(self, name: str, arguments: JSON) -> Outcome:
        """Make a nested call."""
        self._check("make calls")
        return await self._call(self._flight, name, arguments)

    async def ask(self, reason: str) -> str:
        """Ask the board's approvers, one question after the other."""
        self._check("ask for approvals")
        if not isinstance(reason, str):
            raise WrongArgumentError(f"a reason is text, not {type(reason).__name__}")
        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            if self._asked is not None:
                await asyncio.wait([self._asked])  # an approver that nobody waits for may still be
            self._check("ask for approvals")
            self._asked = self._ask(self._flight, legible(reason))
            try:
                return await asyncio.shield(self._asked)
            except asyncio.CancelledError:
                if self._flight.on_void is not None:
                    self._flight.on_void("the tool doesn't wait for an answer any more")
                raise

    def _check(self, what: str) -> None:
        call_id = self._flight.call.id
        if self._is_late:
            raise PegboardError(f"the outcome of call {call_id!r} is final; it can't {what}")
        if asyncio.get_running_loop() is not self._loop:
            raise PegboardError(f"call {call_id!r} can {what} on the loop of its host only")

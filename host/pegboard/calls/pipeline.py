"""The one way that every call takes, from its making to its one outcome."""

import asyncio
import inspect
import logging
import time
from collections.abc import Callable
from typing import Any

from pegboard.calls.body import BodyRunner
from pegboard.calls.carrier import Carriers, Running
from pegboard.calls.execution import Timing
from pegboard.calls.flight import Flight, Flights, Request
from pegboard.calls.messages import describe, unknown_tool
from pegboard.calls.settle import Interrupt, Settled, guarded, settle
from pegboard.calls.side import Side
from pegboard.calls.threads import Raised, Returned
from pegboard.config import Config
from pegboard.errors import NotJSONError
from pegboard.outcomes import Code, Failure, Outcome, Success, ToolCall
from pegboard.registry import Entry, Scope
from pegboard.tools import Prepared
from pegboard.values import JSON, Snapshot, read_text

_log = logging.getLogger("pegboard.calls")


class Pipeline:
    """The stages of a call on one host."""

    def __init__(self, config: Config, flights: Flights) -> None:
        self._config = config
        self._limits = config.limits
        self._flights = flights
        self._carriers = Carriers()
        self._bodies = BodyRunner(config, flights, self._carriers)

    def close(self) -> None:
        """Let idle tasks and threads end."""
        self._bodies.close()
        self._carriers.close()

    def drop_threads(self, plugin: str) -> tuple[str, ...]:
        """Let the threads of one plugin end; the names of those that don't."""
        return self._bodies.drop_threads(plugin)

    async def call(self, scope: Scope, call: ToolCall, request: Request) -> Outcome:
        """Take one call through every stage.

        Returns:
            its one outcome, whatever a model, a tool or a policy did.
        """
        flight = Flight(scope, call, request)
        self._flights.add(flight)
        try:
            found = self._resolve(flight)
            if isinstance(found, Entry):
                refused = await self._guards(flight) if flight.chains.guards else None
                begun = refused or self._bodies.begin(flight, found, self._side)
                outcome = begun if isinstance(begun, (Success, Failure)) else await begun
            else:
                outcome = found
        except asyncio.CancelledError:
            flight.is_cancelled = True
            flight.cancel("the caller was cancelled")
            outcome = flight.failed(Code.ABORTED_BEFORE_START, flight.reason)
        except Exception as error:  # noqa: BLE001 - a fault of the host is one outcome too
            outcome = self._failed_inside(flight, error)
        if flight.told:
            await self._settle_told(flight, flight.told)
        if flight.should_stop() and isinstance(outcome, Success):
            outcome = flight.failed(Code.ABORTED, flight.reason)
        flight.is_final = True
        if flight.chains.finished:
            await self._tell(flight, outcome)
        return self._landed(flight, outcome)

    def _resolve(self, flight: Flight) -> Entry | Failure:
        """The tool, once the arguments are as it gets them; or why there is none."""
        name = flight.call.name
        try:
            values = self._decode(flight)
        except NotJSONError as error:
            message = f"invalid arguments for {name[:80]!r}: {error}"
            return flight.failed(Code.INVALID_ARGUMENTS, message)
        if flight.depth > self._config.max_nesting:
            most = self._config.max_nesting
            message = f"calls inside calls go at most {most} levels deep"
            return flight.failed(Code.INVALID_CALL, message)
        entry = flight.scope.find(name)
        if entry is None:
            visible = list(flight.scope.view().entries)
            return flight.failed(Code.UNKNOWN_TOOL, unknown_tool(name, visible))
        flight.resolved(entry)
        flight.stage = "validate"
        prepared = entry.compiled.prepare(flight.arguments, values)
        if not isinstance(prepared, Prepared):
            return flight.failed(Code.INVALID_ARGUMENTS, prepared.message(name))
        flight.prepared(prepared)
        if flight.should_stop():
            return flight.failed(Code.ABORTED_BEFORE_START, flight.reason)
        return entry

    def _decode(self, flight: Flight) -> JSON:
        """Take the arguments as they are now; gives what they hold where that is known already."""
        sent, values = flight.call.arguments, None
        if sent is None or (type(sent) is str and not sent.strip()):
            return None
        if type(sent) is str:
            values, taken = read_text(sent, self._limits)
            kind = type(values)
        else:
            taken, kind = Snapshot.of(sent, self._limits), type(sent)
        if kind is dict:
            flight.arguments = taken
        elif taken.text.strip() != b"null":
            raise NotJSONError("an object is expected")
        return values

    def _side(self, flight: Flight) -> Side:
        return Side(flight, self._limits, self._nested)

    async def _nested(self, outer: Flight, name: str, arguments: JSON) -> Outcome:
        outer.nested += 1
        call_id = f"{outer.call.id}:{outer.nested}"
        request = Request(
            signal=outer.signal,
            deps=outer.request.deps,
            labels=outer.request.labels,
            parent=outer,
        )
        return await self.call(outer.scope, ToolCall(call_id, name, arguments), request)

    async def _guards(self, flight: Flight) -> Failure | None:
        flight.stage = "guards"
        for guard in flight.chains.guards:
            owner = str(guard.generation.owner)
            settled = await self._ask(flight, guard.function, flight.execution)
            if settled.interrupt in (Interrupt.SIGNAL, Interrupt.TASK):
                return self._interrupted(flight, settled)
            refused = _refusal(settled, owner, self._config.hook_timeout)
            if refused is not None:
                return flight.failed(*refused)
        if flight.should_stop():
            return flight.failed(Code.ABORTED_BEFORE_START, flight.reason)
        return None

    async def _ask(self, flight: Flight, hook: Callable[..., Any], *given: Any) -> Settled:
        """Call a hook: at once where it is sync, else in a task of its own, within its limit."""
        try:
            answer = hook(*given)
        except BaseException as error:  # noqa: BLE001 - a policy may raise SystemExit as well
            return Settled(Raised(error))
        if not inspect.isawaitable(answer):
            return Settled(Returned(answer))
        started = self._carriers.start(guarded(lambda: answer))
        if not isinstance(started, Running):
            return Settled(started)
        config = self._config
        return await settle(
            started, signal=flight.signal, limit=config.hook_timeout, grace=config.stop_grace
        )

    def _interrupted(self, flight: Flight, settled: Settled) -> Failure:
        if settled.interrupt is Interrupt.TASK:
            flight.is_cancelled = True
            flight.cancel("the caller was cancelled")
        return flight.failed(Code.ABORTED_BEFORE_START, flight.reason)

    async def _settle_told(self, flight: Flight, told: list[Any]) -> None:
        """Let an async `on_progress` hear everything, unless the call is cancelled meanwhile."""
        started = self._carriers.start(guarded(lambda: asyncio.wait(told)))
        if isinstance(started, Running):
            limit = self._config.hook_timeout
            settled = await settle(started, signal=flight.signal, limit=limit, grace=0.0)
            flight.is_cancelled |= settled.interrupt is Interrupt.TASK
        for each in told:
            each.cancel()

    async def _tell(self, flight: Flight, outcome: Outcome) -> None:
        flight.stage = "finished"
        total = time.monotonic() - flight.started
        timing = Timing(total, flight.waited, flight.body)
        for hook in flight.chains.finished:
            await self._observe(flight, hook.function, outcome, timing)

    def _landed(self, flight: Flight, outcome: Outcome) -> Outcome:
        if not flight.is_abandoned:
            self._flights.remove(flight)
            flight.land()
        if flight.is_cancelled:
            raise asyncio.CancelledError
        return outcome

    def _failed_inside(self, flight: Flight, error: Exception) -> Failure:
        call = flight.call
        _log.exception("call %r of %r failed inside the host", call.id, call.name)
        text = type(error).__name__ if self._config.mask_errors else describe(error)
        return flight.failed(Code.POLICY_FAILED, f"the host failed: {text}")

    async def _observe(
        self, flight: Flight, observe: Callable[..., Any], outcome: Outcome, timing: Timing
    ) -> None:
        settled = await self._ask(flight, observe, flight.execution, outcome, timing)
        if settled.interrupt is Interrupt.TASK:
            flight.is_cancelled = True
        if isinstance(settled.ended, Raised):
            call_id = flight.call.id
            _log.error("an observer of call %r raised", call_id, exc_info=settled.ended.error)


def _refusal(settled: Settled, owner: str, limit: float) -> tuple[Code, str] | None:
    """What a guard's answer means: None lets the call go on."""
    if settled.interrupt is Interrupt.LIMIT:
        return Code.POLICY_FAILED, f"a guard of {owner} gave no answer within {limit:g} s"
    ended = settled.ended
    if isinstance(ended, Raised):
        _log.error("a guard of %s raised", owner, exc_info=ended.error)
        return Code.POLICY_FAILED, f"a guard of {owner} raised {type(ended.error).__name__}"
    answer = None if ended is None else ended.value
    if answer is None:
        return None
    if isinstance(answer, str):
        return Code.DENIED, answer.strip() or f"refused by a guard of {owner}"
    kind = type(answer).__name__
    return Code.POLICY_FAILED, f"a guard of {owner} gave {kind}, which is neither a reason nor None"

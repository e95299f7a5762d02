"""A call while it runs, and the list of all of them."""

import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

import attrs

from pegboard.calls.execution import Execution, RunningCall, Token
from pegboard.calls.messages import failure
from pegboard.calls.signal import Signal
from pegboard.outcomes import Code, Failure, ToolCall
from pegboard.registry import Chains, Entry, Scope
from pegboard.tools import Prepared
from pegboard.values import JSON, Content, Snapshot

_EMPTY = Snapshot.of({})


@attrs.frozen(eq=False)
class Request:
    """What a caller says beside the call itself.

    Attributes:
        signal: the caller's, or None.
        on_progress: who is told of progress, or None.
        deps: an object for tools and hooks.
        labels: text to JSON, for audit and approvals.
        parent: the call that makes this one, or None.
    """

    signal: Signal | None = None
    on_progress: Callable[[Any], Any] | None = None
    deps: Any = None
    labels: Snapshot = _EMPTY
    parent: "Flight | None" = None


class Flight:
    """What the pipeline knows of one call while it runs.

    What only some calls need (their execution, a signal) is made when it is first asked for.

    Attributes:
        call: what was asked.
        scope: the board.
        request: what the caller said beside it.
        arguments: as they were sent, and once they are prepared as the tool gets them.
        chains: the hooks that this call passes, pinned when its tool was resolved.
        depth: how many calls this one is inside of.
        started: when it was made, in seconds of `time.monotonic`.
        entry: the tool that it resolved, once it has.
        stage: where it is.
        is_abandoned: whether only its body goes on.
        is_final: whether its outcome stands.
        is_cancelled: whether the task that awaits it was cancelled.
        nested: how many calls it has made.
        began: when its body was started, on the same clock.
        waited: seconds for people and for a free thread.
        body: seconds in the tool itself.
        contexts: what the body deferred.
        concludes: whether the body asked that the turn end.
        notes: what was left out, coerced or cut.
        told: what still has to be told to an async `on_progress`.
    """

    __slots__ = (
        *("_execution", "_signal", "_token", "_unlisten", "_values", "arguments"),
        *("began", "body", "call", "chains", "concludes", "contexts", "depth", "entry"),
        *("is_abandoned", "is_cancelled", "is_final", "nested", "notes", "request", "scope"),
        *("stage", "started", "told", "waited"),
    )

    def __init__(self, scope: Scope, call: ToolCall, request: Request) -> None:
        self.scope = scope
        self.call = call
        self.request = request
        self.chains: Chains = scope.chains()
        self.depth: int = 0 if request.parent is None else request.parent.depth + 1
        self.started = time.monotonic()
        self.entry: Entry | None = None
        self.stage = "create"
        self.is_abandoned = self.is_final = self.is_cancelled = self.concludes = False
        self.nested = 0
        self.began = self.waited = self.body = 0.0
        self.contexts: tuple[Snapshot, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.told: list[Any] | None = None
        self.arguments = _EMPTY
        self._values: JSON = None
        self._execution: Execution | None = None
        self._token: Token | None = None
        self._signal: Signal | None = None
        self._unlisten: Callable[[], None] | None = None
        if request.signal is not None:
            self._unlisten = request.signal.listen(self.signal.cancel)

    @property
    def signal(self) -> Signal:
        """What the body sees; cancelled with the caller's, or by the host."""
        if self._signal is None:
            self._signal = Signal()
        return self._signal

    def should_stop(self) -> bool:
        """Whether the call has been cancelled."""
        return self._signal is not None and self._signal.cancelled

    @property
    def reason(self) -> str:
        """Why it has been cancelled."""
        return self.signal.reason or "the call was cancelled"

    @property
    def token(self) -> Token:
        """The identity of this execution."""
        if self._token is None:
            self._token = Token()
        return self._token

    @property
    def root_call_id(self) -> str:
        """The id of the call that a model made, of which this one is a part."""
        outer = self.request.parent
        return self.call.id if outer is None else outer.root_call_id

    @property
    def execution(self) -> Execution:
        """What policies and observers see of it."""
        if self._execution is None:
            outer, request = self.request.parent, self.request
            self._execution = Execution(
                call_id=self.call.id,
                root_call_id=self.root_call_id,
                parent_call_id=None if outer is None else outer.call.id,
                parent=None if outer is None else outer.token,
                tool=self.call.name,
                board=self.scope.name or "",
                owner=None if self.entry is None else self.entry.owner,
                arguments=self.arguments,
                signal=request.signal or self.signal,
                token=self.token,
                started=self.started,
                deps=request.deps,
                labels=request.labels,
            )
        return self._execution

    def resolved(self, entry: Entry) -> None:
        """Pin the tool, and lease its generation."""
        self.entry = entry
        self._execution = None
        entry.generation.lease()

    def prepared(self, prepared: Prepared) -> None:
        """Take the arguments as the tool gets them, and what was noted on the way."""
        self.arguments = prepared.arguments
        self.notes = prepared.notes
        self._values = prepared.values
        self._execution = None

    def take_values(self) -> JSON:
        """The decoded arguments, for the first body that asks; then None."""
        values, self._values = self._values, None
        return values

    def cancel(self, reason: str) -> None:
        """Cancel this call alone."""
        self.signal.cancel(reason)

    def failed(
        self,
        code: Code,
        message: str,
        *,
        content: tuple[Content, ...] | None = None,
        details: JSON = None,
    ) -> Failure:
        """This call's failure, with what it has deferred and what was noted."""
        return failure(
            self.call.id,
            self.call.name,
            code,
            message,
            content=content,
            details=details,
            notes=self.notes,
            contexts=self.contexts,
        )

    def land(self) -> None:
        """Give back what is held: the lease, and the caller's signal."""
        if self.entry is not None:
            self.entry.generation.release()
        if self._unlisten is not None:
            self._unlisten()


CURRENT: ContextVar[Flight | None] = ContextVar("pegboard_call", default=None)
"""The call whose body is running here."""


def enclosing() -> list[Flight]:
    """The call whose body is running here, and the calls that it is inside of."""
    found: list[Flight] = []
    flight = CURRENT.get()
    while flight is not None:
        found.append(flight)
        flight = flight.request.parent
    return found


class Flights:
    """Every call of one host that has not ended, abandoned bodies included."""

    def __init__(self) -> None:
        self._all: dict[Flight, None] = {}

    def add(self, flight: Flight) -> None:
        """Note a call that begins."""
        self._all[flight] = None

    def remove(self, flight: Flight) -> None:
        """Forget a call that has ended."""
        self._all.pop(flight, None)

    def of(self, admits: Callable[[Flight], bool]) -> list[Flight]:
        """The calls that fulfil a condition, oldest first."""
        return [each for each in list(self._all) if admits(each)]

    def listing(self, scopes: Iterable[Scope] | None = None) -> tuple[RunningCall, ...]:
        """What runs, on any of these boards or on all, oldest first."""
        wanted = None if scopes is None else set(map(id, scopes))
        now = time.monotonic()
        return tuple(
            _shown(each, now)
            for each in list(self._all)
            if wanted is None or id(each.scope) in wanted
        )


def _shown(flight: Flight, now: float) -> RunningCall:
    owner = None if flight.entry is None else flight.entry.owner
    return RunningCall(
        call_id=flight.call.id,
        tool=flight.call.name,
        board=flight.scope.name or "",
        plugin=None if owner is None else owner.plugin,
        generation=0 if owner is None else owner.generation,
        stage=flight.stage,
        age=now - flight.started,
        abandoned=flight.is_abandoned,
    )

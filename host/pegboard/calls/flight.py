"""A call while it runs."""

import time
from asyncio import CancelledError, Future
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any
from weakref import ref

import attrs

from pegboard.calls.execution import Execution, Fields, Token, sealed
from pegboard.calls.messages import failure
from pegboard.calls.signal import Signal
from pegboard.errors import PegboardError
from pegboard.outcomes import Code, Failure, ToolCall
from pegboard.registry import Chains, Entry, Generation, Scope
from pegboard.tools import Prepared
from pegboard.values import JSON, Content, Snapshot

_EMPTY = Snapshot.of({})
_NO_NAMES: frozenset[str] = frozenset()


@attrs.frozen(eq=False)
class Request:
    """What a caller says beside the call itself.

    Attributes:
        signal: the caller's, or None.
        on_progress: who is told of progress, or None.
        deps: an object for tools and hooks.
        labels: text to JSON, for audit and approvals.
        parent: the call that makes this one, or None.
        approvals: answers that were given before, by digest.
        on_asked: told of each request for approval and of its answer, or None.
        on_started: told of each body that a batch is about to start, or None.
        max_parallel: how many bodies may run at once in the batch of this call, or None.
    """

    signal: Signal | None = None
    on_progress: Callable[[Any], Any] | None = None
    deps: Any = None
    labels: Snapshot = _EMPTY
    parent: "Flight | None" = None
    approvals: Mapping[str, Any] = attrs.field(factory=dict)
    on_asked: Callable[[Any], Any] | None = None
    on_started: Callable[[Any], Any] | None = None
    max_parallel: int | None = None


class Flight:
    """What the pipeline knows of one call while it runs.

    What only some calls need (their execution, a signal) is made when it is first asked for.

    Attributes:
        call: what was asked.
        scope: the board.
        request: what the caller said beside it.
        arguments: as they were sent, and once they are prepared as the tool gets them.
        chains: the hooks that this call passes, leased; pinned when its tool was resolved.
        depth: how many calls this one is inside of.
        started: when it was made, in seconds of `time.monotonic`.
        entry: the tool that it resolved, once it has.
        stage: where it is.
        holders: how many hold what it leases: the call itself, and bodies that outlive it.
        is_final: whether its outcome stands.
        cancelled_by: what the task that awaits it was cancelled with, or None.
        nested: how many calls it has made.
        inquiries: how many approvals its body has asked for.
        began: when its body was started, on the same clock.
        waited: seconds for people, for its turn and for a free thread.
        body: seconds in the tool itself.
        contexts: what the body deferred.
        concludes: whether the body asked that the turn end.
        notes: what was left out, coerced or cut.
        told: what still has to be told to an async `on_progress`.
        attempt: how many times a wrapper has let the body happen.
        front: the signal of the attempt that runs, where a wrapper let it happen.
        tear: what the task that waits for the innermost stage was cancelled with, or None.
        is_past_validation: whether it has come as far as its policies.
        skips_after: whether a policy failed, so that no verdict is asked for.
        on_void: withdraws a pending approval, with the reason.
        unlisten: stops listening to the caller's signal, where there is one.
        kept: what its failure tells beside its message, where a program was stopped or failed.
        patience: seconds more than others that its body has to stop, as its own calls have theirs.
        outlived: the stage whose code goes on once the call has its outcome.
        left_behind: for each body that didn't stop, the latest last, what ends once it has.
    """

    entry: Entry | None = None
    arguments: Snapshot = _EMPTY
    stage: str = "create"
    depth: int = 0
    holders: int = 1
    nested: int = 0
    inquiries: int = 0
    attempt: int = 0
    began: float = 0.0
    waited: float = 0.0
    body: float = 0.0
    contexts: tuple[Snapshot, ...] = ()
    notes: tuple[str, ...] = ()
    told: list[Any] | None = None
    front: Signal | None = None
    tear: CancelledError | None = None
    cancelled_by: CancelledError | None = None
    on_void: Callable[[str], None] | None = None
    left_behind: "tuple[Future[Any], ...]" = ()
    kept: dict[str, JSON] | None = None
    patience: float = 0.0
    outlived: str = "body"
    concludes: bool = False
    is_final: bool = False
    is_past_validation: bool = False
    skips_after: bool = False
    _values: JSON = None
    _execution: Execution | None = None
    _token: Token | None = None
    _signal: Signal | None = None
    unlisten: Callable[[], None] | None = None

    def __init__(self, scope: Scope, call: ToolCall, request: Request) -> None:
        self.scope = scope
        self.call = call
        self.request = request
        self.started = time.monotonic()
        if request.signal is not None:
            self.unlisten = request.signal.listen(self.outer_signal.cancel)
        self.chains: Chains = scope.chains()
        if self.chains.generations:
            self.chains.lease()
        if request.parent is not None:
            self.depth = request.parent.depth + 1

    @property
    def outer_signal(self) -> Signal:
        """Cancelled with the caller's, or by the host."""
        if self._signal is None:
            self._signal = Signal()
        return self._signal

    @property
    def signal(self) -> Signal:
        """What the body sees: the outer signal, or what a wrapper has put in front of it."""
        return self.front or self.outer_signal

    def should_stop(self) -> bool:
        """Whether the call, or the attempt that runs, has been cancelled."""
        seen = self.front or self._signal
        return seen is not None and seen.cancelled

    @property
    def reason(self) -> str:
        """Why it has been cancelled."""
        return self.signal.reason or "the call was cancelled"

    def aborted(self, *, details: dict[str, JSON] | None = None) -> Failure:
        """The failure of a call that was cancelled: before its body ran, or later."""
        code = Code.ABORTED if self.began else Code.ABORTED_BEFORE_START
        return self.failed(code, self.reason, details=self.with_kept(details))

    def inside(self) -> Request:
        """What a call is made with that is made inside of this one."""
        own = self.request
        return Request(
            signal=self.signal,
            deps=own.deps,
            labels=own.labels,
            parent=self,
            approvals=own.approvals,
            on_asked=own.on_asked,
        )

    def with_kept(self, details: dict[str, JSON] | None = None) -> JSON:
        """Details of this call's failure, with what was kept for it."""
        return details if self.kept is None else {**self.kept, **(details or {})}

    @property
    def is_torn(self) -> bool:
        """Whether the task that waits for the innermost stage was cancelled."""
        return self.tear is not None

    def pop_tear(self) -> CancelledError | None:
        """What the task that waited was cancelled with since this was last asked."""
        tear, self.tear = self.tear, None
        return tear

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
            request, entry = self.request, self.entry
            outer = request.parent
            token = self._token = self._token or Token()
            made = Fields(
                self.call.id,
                self.call.id if outer is None else outer.root_call_id,
                None if outer is None else outer.call.id,
                None if outer is None else outer.token,
                self.call.name,
                self.scope.name or "",
                None if entry is None else entry.generation.owner,
                self.arguments,
                request.signal or ref(self),
                token,
                self.started,
                request.deps,
                request.labels,
                None if entry is None else entry.tool.timeout,
                "" if entry is None else entry.tool.name,
                _NO_NAMES if entry is None else entry.tool.secret_parameters,
                None if entry is None else entry.tool.annotations,
                _NO_NAMES if entry is None else entry.tool.tags,
            )
            self._execution = sealed(made)
        return self._execution

    def resolved(self, entry: Entry) -> None:
        """Pin the tool and the hooks that its calls pass, and lease whose they are."""
        self.entry = entry
        self._execution = None
        entry.generation.lease()
        if self.chains.is_conditional:
            self.pin(self.chains.of(entry, epoch=self.scope.epoch.number))

    def pin(self, chains: Chains) -> None:
        """Pass other hooks than before, and lease whose they are."""
        before, self.chains = self.chains, chains
        if chains.generations:
            chains.lease()
        if before.generations:
            before.release()

    def holds(self, generation: Generation) -> bool:
        """Whether the tool or a hook of this call is of one load of a plugin."""
        if self.entry is not None and self.entry.generation is generation:
            return True
        return generation in self.chains.generations

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
        self.outer_signal.cancel(reason)

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

    @property
    def is_abandoned(self) -> bool:
        """Whether its outcome has been given and only its body goes on."""
        return self.is_final and self.stage == "landed"


CURRENT: ContextVar[Flight | None] = ContextVar("pegboard_call", default=None)
"""The call whose body is running here."""


def running_call() -> Flight:
    """The call whose body is running here.

    Raises:
        PegboardError: none is.
    """
    flight = CURRENT.get()
    if flight is None:
        raise PegboardError("no call is running here")
    return flight


def enclosing() -> list[Flight]:
    """The call whose body is running here, and the calls that it is inside of."""
    found: list[Flight] = []
    flight = CURRENT.get()
    while flight is not None:
        found.append(flight)
        flight = flight.request.parent
    return found

"""The half of a board that makes calls."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

import attrs

from pegboard.board.engine import Engine
from pegboard.calls import ApprovalAsked, Batch, Feed, Progress, Request, Signal, Started
from pegboard.errors import BoardError, WrongArgumentError
from pegboard.outcomes import Outcome, ToolCall, tool_call
from pegboard.registry import Scope
from pegboard.values import JSON, Snapshot

_USUAL = 10
"""How many bodies of a batch may run at once, unless somebody says otherwise."""

BatchEvent: TypeAlias = Started | Progress | ApprovalAsked | Outcome


class Caller:
    """What makes the calls of one board."""

    __slots__ = ("_asking", "_engine", "_is_closed", "_scope")

    def __init__(
        self, scope: Scope, engine: Engine, *, deps: Any, labels: Mapping[str, JSON] | None
    ) -> None:
        self._scope = scope
        self._engine = engine
        self._asking = Request(deps=deps)
        if labels:
            self._asking = Request(deps=deps, labels=Snapshot.of(dict(labels)).kept())
        self._is_closed = False

    @property
    def name(self) -> str:
        """The board's name."""
        return self._scope.name or ""

    async def call(
        self,
        call_or_name: ToolCall | str,
        arguments: JSON = None,
        *,
        id: str | None = None,  # noqa: A002 - the contract's name
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Make one call.

        Args:
            call_or_name: a call as a model made it, or the name of a tool.
            arguments: with a name: a JSON object, or raw text of one.
            id: with a name: the call's id; a fresh one if None.
            signal: cancels the call.
            on_progress: called with each `Progress`; sync or async.
            deps: an object for tools and hooks; the board's own if None.
            labels: text to JSON, for audit; put over the board's own.
            approvals: answers that were given before, by the digest of their request.

        Returns:
            its one outcome, whatever a model, a tool or a policy did.
        """
        if self._is_closed:
            self._check_open()
        call = call_or_name
        if not isinstance(call, ToolCall):
            own = f"call-{next(self._engine.ids)}" if id is None or id == "" else id
            call = tool_call(own, call, arguments)
        request = self._asking
        is_plain = deps is None and labels is None and approvals is None
        if not is_plain or signal is not None or on_progress is not None:
            request = self._request(signal, on_progress, deps, labels, approvals)
        return await self._engine.pipeline.call(self._scope, call, request)

    async def run(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> list[Outcome]:
        """Make the calls of one message: one outcome each, in the order of the calls.

        Calls whose tools say that they may overlap do; any other runs alone, once every earlier
        one has its outcome. An id that has occurred before in the batch is `invalid_call`.

        Args:
            calls: the calls.
            max_parallel: how many bodies may run at once, at most; programs of `run_code` keep to
                fewer than usual, too.
            signal: cancels the batch.
            on_progress: called with each `Progress`; sync or async.
            deps: an object for tools and hooks; the board's own if None.
            labels: text to JSON, for audit; put over the board's own.
            approvals: answers that were given before, by the digest of their request.

        Raises:
            BoardError: `max_parallel` isn't a whole number from 1 on, or something isn't a
                `ToolCall`; nothing has started.
        """
        request = self._request(signal, on_progress, deps, labels, approvals)
        outcomes: list[Outcome] = []
        batch = self._batch(calls, request, max_parallel=max_parallel, land=outcomes.append)
        await self._engine.drive(batch)
        return outcomes

    def stream(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[Outcome, None]:
        """The same as `run`, each outcome as soon as its turn has come.

        The batch begins with the first step of the iteration and doesn't wait for a slow reader.
        Whoever stops iterating cancels what runs. A `break` alone leaves that to the loop, which
        closes a forgotten generator soon; `async with contextlib.aclosing(board.stream(…))` has
        everything ended when the block is left.
        """
        request = self._request(signal, on_progress, deps, labels, approvals)
        feed: Feed[Outcome] = Feed()
        batch = self._batch(calls, request, max_parallel=max_parallel, land=feed.put, yields=True)
        return feed.read(partial(self._drive, batch), batch.cancel)

    def events(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[BatchEvent, None]:
        """The same as `stream`, with what happens on the way, for a user interface.

        Gives `Started`, `Progress` and `ApprovalAsked` of each call as they happen, and the
        outcomes in the order of the calls.
        """
        _check("on_progress", on_progress, callable(on_progress), "a function")
        feed: Feed[BatchEvent] = Feed()

        def progressed(progress: Progress) -> Any:
            feed.put(progress)
            return None if on_progress is None else on_progress(progress)

        def asked(event: object) -> None:
            if isinstance(event, ApprovalAsked):
                feed.put(event)

        request = self._request(signal, progressed, deps, labels, approvals)
        batch = self._batch(
            calls,
            attrs.evolve(request, on_asked=asked),
            max_parallel=max_parallel,
            land=feed.put,
            start=feed.put,
            yields=True,
        )
        return feed.read(partial(self._drive, batch), batch.cancel)

    async def cancel(self, reason: str = "cancelled") -> None:
        """Stop what runs on this board and on its children; the board stays open.

        Each call ends with its outcome. This returns once they all have ended, or have had their
        time to stop; a call that asks for it from inside is stopped too, and not waited for.

        Args:
            reason: what models read.

        Raises:
            BoardError: the reason isn't text.
        """
        if not isinstance(reason, str):
            raise BoardError(f"a reason is text, not {type(reason).__name__}")
        await self._engine.cancel(self._scope, reason)

    def _batch(
        self,
        calls: Iterable[ToolCall],
        request: Request,
        *,
        max_parallel: int,
        land: Callable[[Outcome], object],
        start: Callable[[Started], object] | None = None,
        yields: bool = False,
    ) -> Batch:
        self._check_open()
        if type(max_parallel) is not int or max_parallel < 1:
            raise BoardError(f"max_parallel is a whole number from 1 on, not {max_parallel!r}")
        if start is not None or max_parallel != _USUAL:
            request = attrs.evolve(request, on_started=start, max_parallel=max_parallel)
        return Batch(
            self._engine.pipeline,
            self._scope,
            _taken(calls),
            request,
            max_parallel=max_parallel,
            land=land,
            start=start,
            yields=yields,
        )

    async def _drive(self, batch: Batch) -> None:
        self._check_open()
        await self._engine.drive(batch)

    def _request(
        self,
        signal: Signal | None,
        on_progress: Callable[[Any], Any] | None,
        deps: Any,
        labels: Mapping[str, JSON] | None,
        approvals: Mapping[str, Any] | None,
    ) -> Request:
        own = self._asking
        is_plain = deps is None and labels is None and approvals is None
        if is_plain and signal is None and on_progress is None:
            return own
        _check("signal", signal, isinstance(signal, Signal), "a Signal")
        _check("on_progress", on_progress, callable(on_progress), "a function")
        _check("labels", labels, isinstance(labels, Mapping), "a mapping of text to JSON")
        _check("approvals", approvals, isinstance(approvals, Mapping), "answers by digest")
        return Request(
            signal,
            on_progress,
            own.deps if deps is None else deps,
            Snapshot.of({**own.labels.read(), **labels}) if labels else own.labels,
            approvals=dict(approvals or {}),
        )

    def _check_open(self) -> None:
        if self._is_closed:
            raise BoardError(f"board {self.name!r} is closed")


def _check(name: str, given: object, is_right: bool, wanted: str) -> None:  # noqa: FBT001
    """Refuse what a caller gives in the place of something else.

    Raises:
        WrongArgumentError: names the argument and what it takes.
    """
    if given is not None and not is_right:
        raise WrongArgumentError(f"{name} takes {wanted}, not {type(given).__name__}")


def _taken(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls as they are now."""
    try:
        taken: tuple[object, ...] = tuple(calls)
    except TypeError as error:
        raise BoardError(f"a batch is a list of calls: {error}") from error
    for number, each in enumerate(taken, 1):
        if not isinstance(each, ToolCall):
            kind = type(each).__name__
            raise BoardError(f"each call of a batch is a ToolCall; number {number} is {kind}")
    return taken  # type: ignore[return-value]  # checked one by one

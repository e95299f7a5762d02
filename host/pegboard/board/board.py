"""A board: what one agent sees and may call."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from pegboard.board.engine import Engine
from pegboard.calls import Request, RunningCall, Signal, run_in_order
from pegboard.errors import BoardError, UnknownNameError
from pegboard.outcomes import Outcome, ToolCall, tool_call
from pegboard.registry import (
    Explanation,
    Owned,
    Registration,
    Restriction,
    Scope,
    VisibleTools,
    check_restriction,
    exact_names,
    explain,
)
from pegboard.reports import CloseReport, PluginInfo
from pegboard.selection import Selector
from pegboard.tools import Tool, ToolDefinition
from pegboard.values import JSON, Snapshot, encode


class Board:
    """What one agent sees and may call; made by `host.board(…)`.

    Also an async context manager: leaving it closes the board.
    """

    __slots__ = ("_asking", "_closing", "_engine", "_is_closed", "_owned", "_scope")

    def __init__(
        self,
        scope: Scope,
        engine: Engine,
        closing: "Callable[[Board], Any]",
        *,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
    ) -> None:
        self._scope = scope
        self._engine = engine
        self._closing = closing
        self._asking = Request(deps=deps)
        if labels:
            self._asking = Request(deps=deps, labels=Snapshot.of(dict(labels)).kept())
        self._owned: Owned | None = None
        self._is_closed = False

    @property
    def name(self) -> str:
        """The board's name."""
        return self._scope.name or ""

    @property
    def parent(self) -> str | None:
        """The name of its parent board, or None."""
        return None if self._scope.parent is None else self._scope.parent.name

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The visible tools by name, in order; a snapshot."""
        return VisibleTools(self._scope.view())

    @property
    def standing(self) -> tuple[str, ...]:
        """Every name that stands on the layers of this board, hidden ones too: for people."""
        layers = [scope.layer.entries for scope in self._scope.ancestry]
        return tuple(dict.fromkeys(name for entries in layers for name in entries))

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What a model is told of each visible tool, in order and in no provider's shape."""
        self._note_reading()
        return self._scope.view().definitions()

    def encoded_definitions(self, shape: str) -> bytes:
        """The same in one provider's shape, as JSON text in UTF-8; encoded once for each change.

        Args:
            shape: the name of a module of `pegboard.formats`, such as `anthropic`.

        Raises:
            UnknownNameError: there is no such shape.
        """
        from pegboard.formats import SHAPES

        definitions = SHAPES.get(shape)
        if definitions is None:
            raise UnknownNameError("shape", shape, SHAPES)
        return self._scope.view().encoded(shape, lambda: encode(definitions(self)))

    @property
    def revision(self) -> int:
        """A number that moves exactly when what the model should be shown changes."""
        self._note_reading()
        return self._scope.revision()

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """The calls on this board that have not ended."""
        return self._engine.flights.listing([self._scope])

    def register(self, tool: Tool) -> Registration:
        """Put a tool on this board's own layer.

        Raises:
            CollisionError: the board has a tool of that name itself.
            ReservedNameError: the name is reserved.
            InvalidToolError: the tool can't be offered.
        """
        self._check_open()
        return self._own(self._engine.register(self._scope, tool))

    def guard(self, guard: Callable[..., Any]) -> Registration:
        """Have `guard(execution)` asked before each call here and on child boards."""
        self._check_open()
        return self._own(self._engine.guard(self._scope, guard))

    def hook(self, **hooks: Callable[..., Any]) -> Registration:
        """Have functions called as hooks for the calls here and on child boards.

        Args:
            hooks: by the hook's name without `pegboard_`: `call_finished=f`.
        """
        self._check_open()
        return self._own(self._engine.hook(self._scope, hooks))

    def restrict(
        self,
        *,
        allow: Iterable[Selector] | None = None,
        deny: Iterable[Selector] | None = None,
        pending: bool = False,
    ) -> Registration:
        """Hide inherited tools.

        Args:
            allow: selectors of what stays visible; None for everything.
            deny: selectors of what is hidden; deny wins.
            pending: whether exact names may name tools that aren't there yet.

        Raises:
            RestrictionError: it says nothing, or names a tool that the board itself owns.
            ReservedNameError: it names a reserved name.
            UnknownNameError: an exact name isn't there.
        """
        self._check_open()
        allowed = None if allow is None else tuple(allow)
        denied = tuple(deny or ())
        self.check_restriction(allowed, denied, is_pending=pending)
        mask = Restriction(allowed, denied, self._scope.layer.name)
        return self._own(self._engine.restrict(self._scope, mask))

    def grant(self, selector: Selector) -> Registration:
        """Lift this board's own masks for some tools while the registration is open.

        The masks of ancestors, the host's own deny and guards stay as they are.

        Args:
            selector: an exact name, a pattern, or a `Select`.

        Raises:
            RestrictionError: it is no selector.
        """
        self._check_open()
        check_restriction(None, (selector,))
        return self._own(self._engine.grant(self._scope, selector))

    def check_restriction(
        self,
        allow: tuple[Selector, ...] | None,
        deny: tuple[Selector, ...],
        *,
        is_pending: bool,
    ) -> None:
        """Refuse a mask that can't mean what it says."""
        check_restriction(allow, deny)
        names = [*exact_names(allow), *exact_names(deny)]
        self._engine.registry.check_unreserved(names)
        if not is_pending:
            self._scope.check_reached(names)

    def explain(self, name: str) -> Explanation:
        """Why a name is visible here, or isn't."""
        engine = self._engine
        return explain(
            name,
            self._scope,
            reserved=engine.registry.reserved,
            failed=engine.plugins.failures(),
        )

    async def load(
        self, plugin: object, *, name: str | None = None, settings: Any = None
    ) -> PluginInfo:
        """Load a plugin for this board: everything it contributes stands on this board's layer."""
        self._check_open()
        plugins = self._engine.plugins
        return await plugins.load(plugin, name=name, scope=self._scope, settings=settings)

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

        Returns:
            its one outcome, whatever a model, a tool or a policy did.
        """
        self._check_open()
        call = call_or_name
        if not isinstance(call, ToolCall):
            call = tool_call(id or f"call-{next(self._engine.ids)}", call, arguments)
        request = self._request(signal, on_progress, deps, labels)
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
    ) -> list[Outcome]:
        """Make the calls of one message: one outcome each, in the order of the calls.

        Args:
            calls: the calls.
            max_parallel: how many may run at once, at most; for now they run one by one.
            signal: cancels the batch.
            on_progress: called with each `Progress`; sync or async.
            deps: an object for tools and hooks; the board's own if None.
            labels: text to JSON, for audit; put over the board's own.

        Raises:
            BoardError: `max_parallel` isn't a whole number from 1 on; nothing has started.
        """
        outcomes = self.stream(
            calls,
            max_parallel=max_parallel,
            signal=signal,
            on_progress=on_progress,
            deps=deps,
            labels=labels,
        )
        return [outcome async for outcome in outcomes]

    def stream(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
    ) -> AsyncIterator[Outcome]:
        """The same as `run`, each outcome as soon as its turn has come."""
        self._check_open()
        if type(max_parallel) is not int or max_parallel < 1:
            raise BoardError(f"max_parallel is a whole number from 1 on, not {max_parallel!r}")
        request = self._request(signal, on_progress, deps, labels)
        return run_in_order(self._engine.pipeline, self._scope, list(calls), request)

    async def close(self, *, grace: float = 10.0) -> CloseReport:
        """Take back everything that the board owns; a second time does nothing.

        Args:
            grace: seconds that running calls have before they are cancelled.

        Raises:
            BoardError: the board has children.
        """
        if self._is_closed:
            return CloseReport(self.name)
        self._closing(self)
        self._engine.readers.pop(self, None)
        self._is_closed = True
        await self._engine.drain(self._scope, grace)
        report = await self._engine.plugins.leave(self._scope, grace=grace)
        if self._owned is not None:
            self._owned.close()
        return report

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<board {self.name!r}{' (closed)' if self._is_closed else ''}>"

    def _request(
        self,
        signal: Signal | None,
        on_progress: Callable[[Any], Any] | None,
        deps: Any,
        labels: Mapping[str, JSON] | None,
    ) -> Request:
        own = self._asking
        if signal is None and on_progress is None and deps is None and labels is None:
            return own
        merged = Snapshot.of({**own.labels.read(), **labels}) if labels else own.labels
        return Request(signal, on_progress, own.deps if deps is None else deps, merged)

    def _own(self, registration: Registration) -> Registration:
        self._owned = self._owned or Owned()
        return self._owned.add(registration)

    def _note_reading(self) -> None:
        """Have `pegboard_tools_changed` told of the next change, where it is heard."""
        if self._scope.chains().changed:
            self._engine.readers[self] = (self._scope, self._scope.revision())

    def _check_open(self) -> None:
        if self._is_closed:
            raise BoardError(f"board {self.name!r} is closed")

"""A board: what one agent sees and may call."""

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from pegboard.board.calling import Caller
from pegboard.board.engine import Engine
from pegboard.board.presenting import present
from pegboard.cards import Card
from pegboard.errors import UnknownNameError
from pegboard.outcomes import Outcome, ToolCall
from pegboard.registry import (
    Explanation,
    Owned,
    Registration,
    Restriction,
    Scope,
    VisibleTools,
    check_reached,
    check_restriction,
    exact_names,
    explain,
)
from pegboard.reports import CloseReport, PluginInfo, QuarantinedTool, RunningCall
from pegboard.selection import Selector
from pegboard.tools import Tool, ToolDefinition
from pegboard.values import JSON, encode


class Board(Caller):
    """What one agent sees and may call; made by `host.board(…)`.

    Also an async context manager: leaving it closes the board.
    """

    __slots__ = ("_closing", "_owned")

    def __init__(
        self,
        scope: Scope,
        engine: Engine,
        closing: "Callable[[Board], Any]",
        *,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
    ) -> None:
        super().__init__(scope, engine, deps=deps, labels=labels)
        self._closing = closing
        self._owned: Owned | None = None

    @property
    def parent(self) -> str | None:
        """The name of its parent board, or None."""
        return None if self._scope.parent is None else self._scope.parent.name

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The visible tools by name, in order, `run_code` last where it is offered; a snapshot.

        With the presentation `code` a model is shown `run_code` only, and its programs call these.
        """
        return VisibleTools(self._scope.reached())

    @property
    def presentation(self) -> str:
        """How models are shown its tools: `native`, `code` or `both`."""
        return self._scope.presented_as

    @property
    def sdk(self) -> str:
        """The declarations of the visible tools that programs of `run_code` are checked against."""
        return self._engine.sdks.write(self._scope.listed().tools()).text

    @property
    def deferred(self) -> tuple[ToolDefinition, ...]:
        """The visible tools that a model isn't shown before they are found, in order."""
        shown, visible = self._scope.listed().entries, self._scope.view().entries
        told = (entry.definition for name, entry in visible.items() if name not in shown)
        return tuple(definition for definition in told if definition.defer_loading)

    @property
    def findable(self) -> tuple[ToolDefinition, ...]:
        """The visible tools that models find before they call them, found ones too, as `deferred`.

        There is none with the presentation `code`, where programs call them.
        """
        scope = self._scope
        if scope.deferral is None or scope.presented_as == "code":
            return ()
        return tuple(entry.definition for entry in scope.deferral.findable(scope.view()))

    def found_by(self, outcome: Outcome) -> tuple[str, ...]:
        """The findable tools that an outcome tells of, where it is one of the tool that finds them.

        What is gone or hidden by now isn't among them.
        """
        deferral = self._scope.deferral
        return () if deferral is None else deferral.found_by(outcome, self._scope.view())

    @property
    def standing(self) -> tuple[str, ...]:
        """Every name that stands on the layers of this board, hidden ones too: for people."""
        layers = [scope.layer.entries for scope in self._scope.ancestry]
        return tuple(dict.fromkeys(name for entries in layers for name in entries))

    @property
    def quarantined(self) -> tuple[QuarantinedTool, ...]:
        """The tools that would stand here, and don't, since they aren't what was accepted."""
        found = (each for scope in self._scope.ancestry for each in scope.layer.quarantined)
        return tuple(each.quarantined for each in found if each.quarantined is not None)

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What a model is shown, in order and in no provider's shape."""
        self._note_reading()
        return self._scope.shown().definitions()

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
        return self._scope.shown().encoded(shape, lambda: encode(definitions(self)))

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
            check_reached(self._scope, names)

    def explain(self, name: str) -> Explanation:
        """Why a name is visible here, or isn't."""
        known = self._engine.plugins.known
        return explain(
            name,
            self._scope,
            reserved=self._engine.registry.reserved,
            failed=known.failures(),
            quarantined=known.quarantined(),
            refused=known.refused(),
        )

    def present(self, call: ToolCall, outcome: Outcome | None = None) -> Card:
        """How a user interface shows a call, or how it ended; never raises, never runs the tool."""
        return present(self._scope.find(call.name), call, outcome)

    async def load(
        self, plugin: object, *, name: str | None = None, settings: Any = None
    ) -> PluginInfo:
        """Load a plugin for this board: everything it contributes stands on this board's layer."""
        self._check_open()
        plugins = self._engine.plugins
        return await plugins.load(plugin, name=name, scope=self._scope, settings=settings)

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

    def _own(self, registration: Registration) -> Registration:
        self._owned = self._owned or Owned()
        return self._owned.add(registration)

    def _note_reading(self) -> None:
        """Have `pegboard_tools_changed` told of the next change, where it is heard."""
        if self._scope.chains().changed:
            self._engine.readers[self] = (self._scope, self._scope.revision())

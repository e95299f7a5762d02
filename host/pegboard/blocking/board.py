"""A board for programs without async: what one agent sees and may call."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from pegboard.blocking.calling import Caller
from pegboard.blocking.registering import ThreadsafeRegistration
from pegboard.board import Board as AsyncBoard
from pegboard.cards import Card
from pegboard.errors import HostClosedError
from pegboard.outcomes import Outcome, ToolCall
from pegboard.registry import Explanation, Registration
from pegboard.reports import CloseReport, PluginInfo, QuarantinedTool, RunningCall
from pegboard.selection import Selector
from pegboard.tools import Tool, ToolDefinition


class Board(Caller):
    """What one agent sees and may call; made by `host.board(…)`, for any thread.

    Also a context manager: the last one to leave closes the board. Two of the same board are equal.
    """

    __slots__ = ()

    @property
    def parent(self) -> str | None:
        """The name of its parent board, or None."""
        return self._seat.board.parent

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The visible tools by name, in order, `run_code` last where it is offered; a snapshot.

        With the presentation `code` a model is shown `run_code` only, and its programs call these.
        """
        return self._loop.call(lambda: self._seat.board.tools)

    @property
    def presentation(self) -> str:
        """How models are shown its tools: `native`, `code` or `both`."""
        return self._seat.board.presentation

    @property
    def sdk(self) -> str:
        """The declarations of the visible tools that programs of `run_code` are checked against."""
        return self._loop.call(lambda: self._seat.board.sdk)

    @property
    def standing(self) -> tuple[str, ...]:
        """Every name that stands on the layers of this board, hidden ones too: for people."""
        return self._loop.call(lambda: self._seat.board.standing)

    @property
    def quarantined(self) -> tuple[QuarantinedTool, ...]:
        """The tools that would stand here, and don't, since they aren't what was accepted."""
        return self._loop.call(lambda: self._seat.board.quarantined)

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What a model is shown, in order and in no provider's shape."""
        return self._loop.call(self._seat.board.definitions)

    @property
    def deferred(self) -> tuple[ToolDefinition, ...]:
        """The visible tools that a model isn't shown before they are found, in order."""
        return self._loop.call(lambda: self._seat.board.deferred)

    @property
    def findable(self) -> tuple[ToolDefinition, ...]:
        """The visible tools that models find before they call them, found ones too, as `deferred`.

        There is none with the presentation `code`, where programs call them.
        """
        return self._loop.call(lambda: self._seat.board.findable)

    def found_by(self, outcome: Outcome) -> tuple[str, ...]:
        """The findable tools that an outcome tells of, where it is one of the tool that finds them.

        What is gone or hidden by now isn't among them.
        """
        return self._loop.call(lambda: self._seat.board.found_by(outcome))

    def encoded_definitions(self, shape: str) -> bytes:
        """The same in one provider's shape, as JSON text in UTF-8; encoded once for each change.

        Args:
            shape: the name of a module of `pegboard.formats`, such as `anthropic`.

        Raises:
            UnknownNameError: there is no such shape.
        """
        return self._loop.call(lambda: self._seat.board.encoded_definitions(shape))

    @property
    def revision(self) -> int:
        """A number that moves exactly when what the model should be shown changes."""
        return self._loop.call(lambda: self._seat.board.revision)

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """The calls on this board that have not ended."""
        return self._loop.call(lambda: self._seat.board.running)

    def register(self, tool: Tool) -> Registration:
        """Put a tool on this board's own layer.

        Raises:
            CollisionError: the board has a tool of that name itself.
            ReservedNameError: the name is reserved.
            InvalidToolError: the tool can't be offered.
        """
        return self._kept(lambda board: board.register(tool))

    def guard(self, guard: Callable[..., Any]) -> Registration:
        """Have `guard(execution)` asked before each call here and on child boards, on the loop."""
        return self._kept(lambda board: board.guard(guard))

    def hook(self, **hooks: Callable[..., Any]) -> Registration:
        """Have functions called as hooks for the calls here and on child boards, on the loop.

        Args:
            hooks: by the hook's name without `pegboard_`: `call_finished=f`.
        """
        return self._kept(lambda board: board.hook(**hooks))

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
        return self._kept(lambda board: board.restrict(allow=allow, deny=deny, pending=pending))

    def grant(self, selector: Selector) -> Registration:
        """Lift this board's own masks for some tools while the registration is open.

        The masks of ancestors, the host's own deny and guards stay as they are.

        Args:
            selector: an exact name, a pattern, or a `Select`.

        Raises:
            RestrictionError: it is no selector.
        """
        return self._kept(lambda board: board.grant(selector))

    def check_restriction(
        self,
        allow: tuple[Selector, ...] | None,
        deny: tuple[Selector, ...],
        *,
        is_pending: bool,
    ) -> None:
        """Refuse a mask that can't mean what it says."""
        board = self._seat.board
        self._loop.call(lambda: board.check_restriction(allow, deny, is_pending=is_pending))

    def explain(self, name: str) -> Explanation:
        """Why a name is visible here, or isn't."""
        return self._loop.call(lambda: self._seat.board.explain(name))

    def present(self, call: ToolCall, outcome: Outcome | None = None) -> Card:
        """How a user interface shows a call, or how it ended; never raises, never runs the tool."""
        return self._loop.call(lambda: self._seat.board.present(call, outcome))

    def load(self, plugin: object, *, name: str | None = None, settings: Any = None) -> PluginInfo:
        """Load a plugin for this board: everything it contributes stands on this board's layer."""
        board = self._seat.board
        return self._loop.run(lambda: board.load(plugin, name=name, settings=settings))

    def close(self, *, grace: float = 10.0) -> CloseReport:
        """Take back everything that the board owns; a second time does nothing.

        Args:
            grace: seconds that running calls have before they are cancelled.

        Raises:
            BoardError: the board has children.
        """
        if not self._loop.is_open:
            return CloseReport(self.name)
        return self._loop.run(lambda: self._seat.close(grace=grace))

    def __enter__(self) -> Self:
        block = object()
        try:
            self._loop.run(lambda: self._seat.enter(block))
        except BaseException:  # it may have been interrupted when it had just entered
            with suppress(HostClosedError):
                self._loop.run(lambda: self._seat.leave(block))
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(HostClosedError):
            self._loop.run(self._seat.leave, lasts=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and twin_of(self) is twin_of(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return repr(self._seat.board)

    def _kept(self, put: Callable[[AsyncBoard], Registration]) -> Registration:
        """What was put on the board, to be taken back from any thread."""
        return self._loop.call(lambda: ThreadsafeRegistration(self._loop, put(self._seat.board)))


def twin_of(board: Board) -> AsyncBoard:
    """The same board as async code has it."""
    return board._seat.board  # noqa: SLF001 - nobody else needs it


def host_of(board: Board) -> object:
    """The host that has given it."""
    return board._host  # noqa: SLF001 - nobody else needs it

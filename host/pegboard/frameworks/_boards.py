"""Boards as agents hold them: on the agent's own loop, or blocking ones from its threads."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from pegboard import (
    JSON,
    Board,
    BoardError,
    Code,
    Failure,
    HostClosedError,
    Outcome,
    PegboardError,
    Signal,
    Tool,
    ToolCall,
    ToolDefinition,
)
from pegboard.errors import WrongArgumentError


class BlockingBoard(Protocol):
    """The part of a board of `pegboard.blocking` that agents use."""

    @property
    def name(self) -> str:
        """The board's name."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The visible tools by name."""

    @property
    def revision(self) -> int:
        """A number that moves exactly when what the model should be shown changes."""

    def definitions(self) -> Sequence[ToolDefinition]:
        """What a model is told of each tool."""

    @property
    def findable(self) -> Sequence[ToolDefinition]:
        """The same of the tools that it finds, whether or not it has; marked `defer_loading`."""

    def call(
        self,
        name: str,
        arguments: JSON = None,
        /,
        *,
        id: str | None = None,  # noqa: A002 - the contract's name
        signal: Signal | None = None,
        deps: Any = None,
    ) -> Outcome:
        """Make one call, and wait for its outcome."""

    def stream(self, calls: Iterable[ToolCall], /) -> object:
        """Make the calls of one message once somebody reads the outcomes."""


AnyBoard: TypeAlias = Board | BlockingBoard

_USED = ("call", "definitions", "revision", "stream", "tools")


def check_board(board: object) -> None:
    """Refuse what isn't a board.

    Raises:
        WrongArgumentError: says what is.
    """
    if not all(hasattr(type(board), each) for each in _USED):
        kind = type(board).__name__
        raise WrongArgumentError(
            "a board is what `await host.board(…)` gives, or a board of pegboard.blocking, "
            f"not {kind}"
        )


def is_open(board: AnyBoard) -> bool:
    """Whether calls can be made on a board, as a batch without any says."""
    try:
        board.stream(())
    except (BoardError, HostClosedError):
        return False
    return True


async def make_call(
    board: AnyBoard, name: str, given: JSON, *, call_id: str | None, deps: object
) -> Outcome:
    """Make one call; whoever cancels this cancels the call, and a closed board is a failure."""
    signal = Signal()
    try:
        if isinstance(board, Board):
            return await board.call(name, given, id=call_id, deps=deps)
        return await asyncio.to_thread(
            board.call, name, given, id=call_id, signal=signal, deps=deps
        )
    except (BoardError, HostClosedError) as error:
        return _closed(board, name, call_id, error)
    except asyncio.CancelledError:
        signal.cancel("cancelled")
        raise


def make_call_in_thread(
    board: AnyBoard, name: str, given: JSON, *, call_id: str | None, deps: object
) -> Outcome:
    """The same where nothing can be awaited.

    Raises:
        PegboardError: the board lives on a loop.
    """
    if isinstance(board, Board):
        raise PegboardError(
            f"board {board.name!r} lives on an event loop; run the agent or the tool with async "
            "(`ainvoke`), or give a board of pegboard.blocking"
        )
    try:
        return board.call(name, given, id=call_id, deps=deps)
    except (BoardError, HostClosedError) as error:
        return _closed(board, name, call_id, error)


def _closed(
    board: AnyBoard, name: str, call_id: str | None, error: BoardError | HostClosedError
) -> Failure:
    """What a model reads of a call for which there is no board any more."""
    return Failure(
        call_id or "",
        name,
        Code.ABORTED_BEFORE_START if isinstance(error, BoardError) else Code.ABORTED,
        f"board {board.name!r} is closed",
        details={"reason": str(error)},
    )

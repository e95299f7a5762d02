"""Boards as agents hold them: on the agent's own loop, or blocking ones from its threads."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from pegboard import JSON, Board, Outcome, PegboardError, Signal, Tool, ToolDefinition


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


AnyBoard: TypeAlias = Board | BlockingBoard


async def make_call(
    board: AnyBoard, name: str, given: JSON, *, call_id: str | None, deps: object
) -> Outcome:
    """Make one call; whoever cancels this cancels the call."""
    if isinstance(board, Board):
        return await board.call(name, given, id=call_id, deps=deps)
    signal = Signal()
    try:
        return await asyncio.to_thread(
            board.call, name, given, id=call_id, signal=signal, deps=deps
        )
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
    return board.call(name, given, id=call_id, deps=deps)

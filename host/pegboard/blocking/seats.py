"""A board as one caller has asked for it, and the blocks in which it is entered."""

from collections.abc import Callable

from pegboard.board import Board
from pegboard.errors import BoardError
from pegboard.host import Host
from pegboard.host.boards import BoardRequest
from pegboard.reports import CloseReport


class Seat:
    """A board as one caller has asked for it; what is entered is left again on the loop.

    Between asking and entering somebody else may leave the board as the last one; then it is
    asked for again, as `async with` does in one step.

    Attributes:
        board: the board.
    """

    __slots__ = ("_again", "_entered", "_host", "_is_used", "board")

    def __init__(self, host: Host, board: Board, again: Callable[[], BoardRequest] | None) -> None:
        self.board = board
        self._host = host
        self._again = again or (lambda: host.board(board.name))
        self._is_used = again is None
        self._entered: dict[object, BoardRequest] = {}

    async def enter(self, block: object) -> None:
        """Enter the board.

        Args:
            block: stands for the block that begins.

        Raises:
            BoardError: it is closed.
        """
        is_open = self._host.boards.get(self.board.name) is self.board
        if self._is_used and not is_open:
            raise BoardError(f"board {self.board.name!r} is closed")
        request = self._again()
        self.board = await request.__aenter__()
        self._is_used = True
        self._entered[block] = request

    async def leave(self, block: object = None) -> None:
        """Leave the board; the last one to leave closes it.

        Args:
            block: the block that ends, if it has begun; the last one that has begun if None.

        Raises:
            BoardError: none has begun.
        """
        if block is None and not self._entered:
            raise BoardError(f"board {self.board.name!r} is left more often than it was entered")
        request = self._entered.popitem()[1] if block is None else self._entered.pop(block, None)
        if request is not None:
            await request.__aexit__(None, None, None)

    async def close(self, *, grace: float) -> CloseReport:
        """Close the board; from now on it isn't asked for again."""
        self._is_used = True
        return await self.board.close(grace=grace)

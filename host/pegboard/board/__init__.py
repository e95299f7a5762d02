"""What one agent sees and may call."""

from pegboard.board.board import Board
from pegboard.board.draining import check_grace
from pegboard.board.engine import Engine

__all__ = ["Board", "Engine", "check_grace"]

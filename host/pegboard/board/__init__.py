"""What one agent sees and may call."""

from pegboard.board.board import Board
from pegboard.board.draining import check_grace
from pegboard.board.engine import Engine
from pegboard.board.run_code import RunCode

__all__ = ["Board", "Engine", "RunCode", "check_grace"]

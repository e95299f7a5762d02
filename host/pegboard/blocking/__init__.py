"""The same host and boards for programs without async, over one background loop a host."""

from pegboard.blocking.board import Board
from pegboard.blocking.host import Host

__all__ = ["Board", "Host"]

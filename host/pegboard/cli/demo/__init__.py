"""`pegboard demo`: what the host does, shown by what it does."""

from pegboard.cli.demo.telling import demonstrate

__all__ = ["demonstrate"]

"""The command: `pegboard`, also as `python -m pegboard`."""

from pegboard.cli.entry import main

__all__ = ["main"]

"""The host's log as messages of the command."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from pegboard.cli.streams import Streams
from pegboard.errors import ToolError


class _Lines(logging.Handler):
    """One line for each warning; tracebacks only for who asks."""

    def __init__(self, streams: Streams) -> None:
        super().__init__(logging.WARNING)
        self._streams = streams

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line, unless the outcome says it already."""
        if record.exc_info and isinstance(record.exc_info[1], ToolError):
            return
        hint = " (--verbose shows the traceback)" if record.exc_info else ""
        self._streams.message(f"{record.getMessage()}{hint}")


@contextmanager
def logged(streams: Streams, *, is_verbose: bool) -> Iterator[None]:
    """Send the host's log to the messages while the block runs."""
    logger = logging.getLogger("pegboard")
    handler = logging.StreamHandler(streams.messages) if is_verbose else _Lines(streams)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if is_verbose else logging.WARNING)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before

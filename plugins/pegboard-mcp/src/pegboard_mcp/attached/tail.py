"""The last lines that a server wrote for people."""

import logging
from collections import deque

from pegboard_mcp.attached.masks import Masks

_LINES = 12
_LONGEST = 400
"""Characters of a line that are shown."""
_KEPT = 64 * 1024
"""Bytes of a line without an end: more than are shown, since a secret may stand at the cut."""


class Tail:
    """Logs what a server writes on its standard error, and keeps the end of it."""

    def __init__(self, log: logging.Logger, masks: Masks) -> None:
        self._log = log
        self._masks = masks
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._rest = b""

    @property
    def text(self) -> str:
        """The last lines; the empty text if there are none."""
        return "\n".join(self._lines)

    def feed(self, chunk: bytes) -> None:
        """Take some bytes; what is no text in UTF-8 is shown as well as it can be."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        self._rest = rest[:_KEPT]
        for line in lines:
            self._take(line)

    def end(self) -> None:
        """Take what stands there without an end of line."""
        rest, self._rest = self._rest, b""
        self._take(rest)

    def _take(self, line: bytes) -> None:
        text = self._masks.hide(line[:_KEPT].decode(errors="replace").rstrip())
        if text:
            self._lines.append(text[:_LONGEST])
            self._log.info("stderr: %s", text[:_LONGEST])

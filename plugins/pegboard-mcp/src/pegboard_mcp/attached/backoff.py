"""How long to wait until a server is started again."""

import random
import time

_FIRST = 0.1
_LONGEST = 30.0
_STAYED_UP = 10.0
"""Seconds after which a server counts as one that works."""


class BackOff:
    """Pauses that grow with every end that follows soon on a start, and are never in step."""

    def __init__(self) -> None:
        self._pause = 0.0
        self._until = 0.0
        self._began = 0.0

    @property
    def left(self) -> float:
        """Seconds until the next start."""
        return max(0.0, self._until - time.monotonic())

    def start(self) -> None:
        """Note that the server is started."""
        self._began = time.monotonic()

    def end(self) -> None:
        """Note that it has ended, or couldn't be started."""
        now = time.monotonic()
        stayed_up = now - self._began >= _STAYED_UP
        self._pause = _FIRST if stayed_up else min(_LONGEST, max(_FIRST, 2 * self._pause))
        self._until = now + self._pause * random.uniform(0.75, 1.0)  # noqa: S311 - no secret

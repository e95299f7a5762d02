"""What one thread waits for while the loop works on it."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from pegboard.calls.threads import Ended, Running

Told: TypeAlias = SimpleQueue[Any]
"""What the loop tells a thread that waits, in order."""

_SLICE = 0.2 if os.name == "nt" else None  # on Windows, Ctrl-C doesn't interrupt a longer waiting


class Wait:
    """One thing that a thread waits for, and what it is told meanwhile.

    Args:
        told: what it is told by way of; something of its own if None.
        lasts: whether it goes on though the waiting is interrupted.

    Attributes:
        has_ended: whether it has.
        is_given_up: whether the thread doesn't want it any more.
    """

    __slots__ = ("_ended", "_running", "_told", "has_ended", "is_given_up", "lasts")

    def __init__(self, told: Told | None = None, *, lasts: bool = False) -> None:
        self.lasts = lasts
        self._ended: Ended | None = None
        self.has_ended = False
        self.is_given_up = False
        self._running: Running | None = None
        self._told: Told = SimpleQueue() if told is None else told

    def follow(self, begun: Ended | Running) -> None:
        """Note on the loop what was begun: it has ended, or does so later."""
        if isinstance(begun, Running):
            self._running = begun
            begun.future.add_done_callback(lambda future: self.end(future.result()))
        else:
            self.end(begun)

    def end(self, ended: Ended | None) -> None:
        """Let the thread go on; None where nothing comes of it."""
        self._running = None
        if not self.has_ended:
            self._ended, self.has_ended = ended, True
            self._told.put(self)

    def interrupt(self) -> None:
        """Have what runs on the loop cancelled."""
        if self._running is not None:
            self._running.interrupt()

    def out(self, hear: Callable[[Any], None] | None = None) -> Ended | None:
        """Wait until it has ended; gives how.

        Args:
            hear: called with what the loop tells meanwhile, in this thread.
        """
        for told in iter(self._next, self):
            if hear is not None and not isinstance(told, Wait):
                hear(told)
        ended, self._ended = self._ended, None  # an error keeps frames alive, and those this
        return ended

    def _next(self) -> object:
        while True:
            with suppress(Empty):
                return self._told.get(timeout=_SLICE)

    def is_over(self, within: float) -> bool:
        """Wait for at most so many seconds; whether it has ended by then."""
        until = time.monotonic() + within
        while not self.has_ended and (left := until - time.monotonic()) > 0:
            with suppress(Empty):
                self._told.get(timeout=left)
        return self.has_ended

"""Telling a caller's `on_progress` in the thread that waits."""

import inspect
import logging
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from pegboard.blocking.loop import BackgroundLoop
from pegboard.blocking.waiting import Told
from pegboard.calls import Progress

_log = logging.getLogger("pegboard.calls")


class Reports:
    """What is reported to one caller.

    Attributes:
        told: what was reported and not heard yet.
    """

    __slots__ = ("_loop", "_on_progress", "told")

    def __init__(self, loop: BackgroundLoop, on_progress: Callable[[Any], Any]) -> None:
        self.told: Told = SimpleQueue()
        self._loop = loop
        self._on_progress = on_progress

    def note(self, progress: Progress) -> None:
        """Keep a report, on the loop."""
        self.told.put(progress)

    def hear(self, progress: Progress) -> None:
        """Have the caller told, in its own thread; what it raises is logged."""
        try:
            answer = self._on_progress(progress)
            if inspect.isawaitable(answer):
                self._loop.run(lambda: answer)
        except Exception:  # noqa: BLE001 - a caller's own code must not fail the call
            _log.exception("on_progress of call %r raised", progress.call_id)

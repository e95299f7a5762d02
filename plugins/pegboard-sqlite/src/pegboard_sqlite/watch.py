"""Stopping SQLite in the middle of a statement."""

import sqlite3
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from pegboard import RunContext, ToolError

from pegboard_sqlite.scratch import resident_bytes, scratch_bytes
from pegboard_sqlite.settings import Settings

T = TypeVar("T")

TICK = 0.02
"""Seconds between two looks at the time and the call's signal."""
RARELY = 5
"""In which of those looks the temporary files are looked at; the memory is in each."""
PATIENCE = 0.1
"""Seconds that SQLite itself waits for a lock before the signal is looked at again."""


class Watch:
    """Interrupts a connection once its call is cancelled or goes too far.

    A thread looks, since SQLite asks nobody in some of its longest loops and still heeds an
    interrupt there.

    Attributes:
        is_waiting: whether a lock of another program is in the way.
    """

    def __init__(self, connection: sqlite3.Connection, context: RunContext) -> None:
        settings: Settings = context.plugin.settings
        self._connection = connection
        self._signal = context.signal
        self._seconds = settings.max_seconds
        self._deadline = time.monotonic() + settings.max_seconds
        self._max_scratch = settings.max_scratch_bytes
        self._max_memory = settings.max_memory_bytes
        self._has_filled = False
        self.is_waiting = False
        self._is_done = threading.Event()
        self._thread = threading.Thread(
            target=self._look, name="pegboard-sqlite-watch", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._is_done.set()
        self._thread.join()

    @property
    def is_late(self) -> bool:
        """Whether the call should end."""
        has_time = time.monotonic() < self._deadline
        return self._has_filled or self._signal.cancelled or not has_time

    def check(self) -> None:
        """Do nothing, or raise if the call should end by itself.

        Raises:
            CallCancelledError: it was cancelled.
            ToolError: it took too long, or too much of the disk.
        """
        self._signal.raise_if_cancelled()
        if self.is_waiting:
            return
        if self._has_filled:
            raise ToolError(
                "the statement was stopped: it sorts or keeps more than the settings allow; "
                "narrow it with WHERE, or sort by an index",
                code="too_large",
            )
        if self.is_late:
            raise ToolError(
                f"the statement was stopped after {self._seconds:g} s; narrow it with WHERE or "
                "LIMIT, or use an index (EXPLAIN QUERY PLAN shows which)",
                code="too_slow",
            )

    def patiently(self, step: Callable[[], T]) -> T:
        """What a step gives once no other program's lock is in its way.

        Raises:
            sqlite3.OperationalError: it fails otherwise, or the lock has stayed too long.
            CallCancelledError: the call was cancelled meanwhile.
        """
        while True:
            try:
                given = step()
            except sqlite3.OperationalError as error:
                self.is_waiting = is_busy(error)
                if not self.is_waiting or time.monotonic() > self._deadline:
                    raise
            else:
                self.is_waiting = False
                return given
            self._signal.raise_if_cancelled()
            time.sleep(TICK)

    def _look(self) -> None:
        scratch, memory = scratch_bytes(), resident_bytes()
        ticks = 0
        while not self._is_done.wait(TICK):
            has_grown = resident_bytes() - memory > self._max_memory
            if has_grown or (ticks % RARELY == 0 and scratch_bytes() - scratch > self._max_scratch):
                self._has_filled = True
            if self.is_late:
                self._connection.interrupt()
            ticks += 1


def is_busy(error: sqlite3.Error) -> bool:
    """Whether a lock of another program was in the way."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

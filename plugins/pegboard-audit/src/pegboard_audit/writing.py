"""Writing records in a thread of its own, so that no call waits for a disk."""

import atexit
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pegboard_audit.rows import Recorded, Row, Sizes
from pegboard_audit.schema import connect, insertion
from pegboard_audit.settings import AuditError

GATHERING = 0.05
"""Seconds in which records gather, to be written together."""
IDLE = 1.0
"""Seconds without a record after which everything is brought from the log into the file."""
_BATCH = 1_000
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 10.0
_LAST_WORDS = 30.0


class Writer:
    """Adds records to one file, in the order in which they come.

    Attributes:
        lost: how many could not be written.
    """

    def __init__(
        self,
        path: Path,
        *,
        sizes: Sizes,
        max_queued: int,
        max_file_bytes: int | None,
        log: logging.Logger,
    ) -> None:
        self._path = path
        self._sizes = sizes
        self._max_queued = max_queued
        self._max_file_bytes = max_file_bytes
        self._log = log
        self._queue: deque[Recorded] = deque()
        self._rows: list[Row] = []
        self._ready, self._closing = threading.Event(), threading.Event()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._fault: str | None = None
        self._overflows = False
        self._thread = threading.Thread(target=self._work, name="pegboard-audit", daemon=True)
        self.lost = 0

    def start(self) -> None:
        """Write from now on.

        Raises:
            AuditError: the file can't be opened.
        """
        connect(self._path).close()
        atexit.register(self.close)
        self._thread.start()

    def put(self, record: Recorded) -> None:
        """Have something written soon; it is lost if too much waits already."""
        if len(self._queue) >= self._max_queued:
            self._lose(1, "too many wait")
            self._overflows = True
            return
        self._queue.append(record)
        if not self._ready.is_set():
            self._ready.set()

    @property
    def refusal(self) -> str | None:
        """Why nothing can be recorded now, or None."""
        if self._overflows and len(self._queue) >= self._max_queued:
            return "too many records wait"
        return self._fault

    def close(self) -> None:
        """Write what waits, and end."""
        atexit.unregister(self.close)
        self._closing.set()
        self._ready.set()
        self._thread.join(_LAST_WORDS)

    def _work(self) -> None:
        while not self._closing.is_set():
            if self._connection is not None and not self._ready.wait(IDLE):
                self._disconnect()
            self._ready.wait()
            self._closing.wait(GATHERING)
            self._ready.clear()
            self._write_all()
        self._write_all()
        if self._rows or self._queue:
            self._lose(len(self._rows) + len(self._queue), self._fault or "it ends")
        self._disconnect()

    def _write_all(self) -> None:
        """Write what waits; what can't be written is tried again until the writer is closed."""
        pause = _FIRST_PAUSE
        while self._queue or self._rows:
            self._take()
            fault = self._write()
            self._note(fault)
            if fault is None:
                continue
            if self._closing.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _take(self) -> None:
        """Turn what waits into rows, as far as it fits into one transaction."""
        while self._queue and len(self._rows) < _BATCH:
            record = self._queue.popleft()
            try:
                self._rows.extend(record.rows(self._sizes))
            except Exception as error:  # noqa: BLE001 - one record never holds up the others
                self._lose(1, f"{type(error).__name__} in a {type(record).__name__}")

    def _write(self) -> str | None:
        """Add the rows in one transaction; why that isn't possible, or None."""
        try:
            connection = self._connected()
            if self._is_full():
                return f"{self._path} has reached max_file_bytes"
            connection.execute("BEGIN IMMEDIATE")
            try:
                _insert(connection, self._rows)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except (AuditError, sqlite3.Error, OSError) as error:
            self._disconnect()
            return str(error)
        self._rows.clear()
        return None

    def _connected(self) -> sqlite3.Connection:
        """A connection to the file that is there now: it may have been moved or removed."""
        if self._connection is not None and self._file == self._identity():
            return self._connection
        self._disconnect()
        self._connection = connect(self._path)
        self._file = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _is_full(self) -> bool:
        if self._max_file_bytes is None:
            return False
        files = (self._path, Path(f"{self._path}-wal"))
        size = sum(each.stat().st_size for each in files if each.exists())
        return size >= self._max_file_bytes

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _note(self, fault: str | None) -> None:
        if fault is not None and self._fault is None:
            self._log.error("records can't be written, and wait: %s", fault)
        elif fault is None and self._fault is not None:
            self._log.warning("records are written again; %d are lost", self.lost)
        self._fault = fault
        if fault is None:
            self._overflows = False

    def _lose(self, count: int, why: str) -> None:
        if not self._overflows:
            self._log.error("records are lost, %d so far: %s", self.lost + count, why)
        self.lost += count


def _insert(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    for table, group in groupby(rows, key=itemgetter(0)):
        connection.executemany(insertion(table), [values for _, values in group])

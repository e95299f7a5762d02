"""The one file in which all lists are kept, opened for each call and closed at its end."""

import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import attrs
from pegboard import PegboardError, ToolError

from pegboard_todo.faults import fault_of, is_busy

APPLICATION = 0x5045544F
"""What marks a file as one of these, in its header."""
VERSION = 1
PATIENCE = 0.1
"""Seconds that SQLite itself waits for a lock before the call's signal is looked at again."""
_STEPS = 10_000
_TABLES = (
    "CREATE TABLE lists (board TEXT PRIMARY KEY, last_id INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE items (
        board TEXT NOT NULL,
        id INTEGER NOT NULL,
        place INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'doing', 'done')),
        text TEXT NOT NULL,
        PRIMARY KEY (board, id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX items_in_order ON items (board, place, id)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


class Stop(Protocol):
    """The part of a call's signal that is looked at."""

    @property
    def cancelled(self) -> bool:
        """Whether the call should end."""

    def raise_if_cancelled(self) -> None:
        """Raise once it should."""


@attrs.define(eq=False)
class Store:
    """The file of all lists.

    Attributes:
        path: where it is, or will be.
        patience: seconds that a call waits for others.
        was_there: whether it has been seen; then it isn't made again if it goes.
    """

    path: Path
    patience: float
    was_there: bool = False

    def check(self) -> None:
        """Let a file pass that is one of these, or none at all.

        Raises:
            PegboardError: it is something else, or damaged; it is left as it is.
        """
        try:
            if self._is_there():
                with closing(self._connection()) as connection:
                    _has_tables(connection)
        except sqlite3.Error as error:
            if not is_busy(error):
                text = f"the file of the lists, {str(self.path)!r}, {fault_of(error)[1]}"
                raise PegboardError(f"{text}; move it away, or put a sound one there") from error
        except ToolError as error:
            raise PegboardError(f"{error}: {str(self.path)!r}; set another path") from error

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever written.

        Raises:
            ToolError: something was, and the file is gone.
        """
        if self._is_there():
            return False
        if self.was_there:
            raise _gone("was removed; its operator has to put it back, or todo_clear begins anew")
        return True

    @contextmanager
    def reading(self, stop: Stop) -> Iterator[sqlite3.Connection | None]:
        """A connection that reads, for the block; None where nothing was ever written.

        Raises:
            ToolError: the file is gone, or can't be read.
            CallCancelledError: the call was cancelled meanwhile.
        """
        with _told(stop):
            if self.is_new:
                yield None
                return
            with closing(self._connection()) as connection:
                self._limit(connection, stop)
                self._patiently(stop, lambda: connection.execute("BEGIN").fetchall())
                has_tables = self._patiently(stop, lambda: _has_tables(connection))
                yield connection if has_tables else None

    @contextmanager
    def writing(self, stop: Stop, *, anew: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, for the block; all of it is kept, or nothing.

        Args:
            stop: the call's signal.
            anew: whether a file that is gone is made again.

        Raises:
            ToolError: the file is gone, or can't be written.
            CallCancelledError: the call was cancelled meanwhile; nothing is written.
        """
        with _told(stop):
            is_made = anew or self.is_new
            with closing(self._connection(makes=is_made)) as connection:
                self._limit(connection, stop)
                begin = "BEGIN IMMEDIATE"
                self._patiently(stop, lambda: connection.execute(begin).fetchall())
                if not _has_tables(connection):
                    for statement in _TABLES:
                        connection.execute(statement).fetchall()
                identity = self._identity()
                yield connection
                stop.raise_if_cancelled()
                self._patiently(stop, lambda: connection.execute("COMMIT").fetchall())
                self._check_same(identity)

    def _connection(self, *, makes: bool = False) -> sqlite3.Connection:
        mode = "rwc" if makes else "rw"
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}", uri=True, timeout=PATIENCE, isolation_level=None
        )
        connection.text_factory = lambda data: data.decode(errors="backslashreplace")
        return connection

    def _limit(self, connection: sqlite3.Connection, stop: Stop) -> None:
        """Have a statement end once the call should, or takes too long."""
        deadline = time.monotonic() + 2 * self.patience
        connection.set_progress_handler(
            lambda: int(stop.cancelled or time.monotonic() > deadline), _STEPS
        )
        connection.execute("PRAGMA trusted_schema = OFF").fetchall()

    def _patiently(self, stop: Stop, step: Callable[[], Any]) -> Any:
        """What a step gives once no lock is in its way."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                return step()
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
            stop.raise_if_cancelled()
            time.sleep(0.01)

    def _is_there(self) -> bool:
        """Whether the file is.

        Raises:
            ToolError: something else is.
        """
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise ToolError(
                "the file of the lists can't be reached: the host has no permission",
                code="cant_open",
            ) from error
        if not stat.S_ISREG(found.st_mode):
            raise ToolError("the file of the lists is no regular file", code="not_a_file")
        self.was_there = True
        return True

    def _identity(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_dev, found.st_ino

    def _check_same(self, identity: tuple[int, int]) -> None:
        if not self._is_there() or self._identity() != identity:
            raise _gone("was replaced while it was written; look at the list before you go on")


@contextmanager
def _told(stop: Stop) -> Iterator[None]:
    """Turn what SQLite raises inside the block into errors that a model can read."""
    try:
        yield
    except (sqlite3.Error, FileNotFoundError) as error:
        stop.raise_if_cancelled()
        code, text = fault_of(error)
        raise ToolError(f"the file of the lists {text}", code=code) from error


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there.

    Raises:
        ToolError: the file belongs to something else, or to a later version.
    """
    ((mark,),) = connection.execute("PRAGMA application_id").fetchall()
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    ((count,),) = connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    if mark != APPLICATION and (mark or version or count):
        raise ToolError("the file of the lists is a database of something else", code="not_ours")
    if version > VERSION:
        raise ToolError("the file of the lists is of a later pegboard-todo", code="not_ours")
    return bool(mark == APPLICATION)


def _gone(reason: str) -> ToolError:
    return ToolError(f"the file of the lists {reason}", code="gone")

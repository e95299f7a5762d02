"""What a model is told when SQLite refuses; never a path of the machine."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from pegboard import ToolError

from pegboard_sqlite.gate import Gate
from pegboard_sqlite.settings import Database
from pegboard_sqlite.watch import Watch
from pegboard_sqlite.wording import plain

_REASONS = {
    sqlite3.SQLITE_BUSY: ("locked", "is locked by another program; try again later"),
    sqlite3.SQLITE_LOCKED: ("locked", "is locked by another program; try again later"),
    sqlite3.SQLITE_NOTADB: ("not_a_database", "is not an SQLite database, or is encrypted"),
    sqlite3.SQLITE_CORRUPT: ("corrupt", "is damaged; PRAGMA integrity_check says more"),
    sqlite3.SQLITE_CANTOPEN: (
        "cant_open",
        "can't be opened: the host may not read its file, or not make what belongs beside it",
    ),
    sqlite3.SQLITE_PERM: ("cant_open", "can't be opened: the host has no permission"),
    sqlite3.SQLITE_READONLY: ("read_only", "can't be written: its file or folder is read-only"),
    sqlite3.SQLITE_IOERR: ("io", "can't be read or written: the disk fails or is full"),
    sqlite3.SQLITE_FULL: ("full", "can't grow: the disk is full, or the settings allow no more"),
    sqlite3.SQLITE_NOMEM: ("memory", "needs more memory for this than there is"),
    sqlite3.SQLITE_TOOBIG: (
        "too_big",
        "has, or the statement makes, a value or text that is longer than the settings allow",
    ),
    sqlite3.SQLITE_PROTOCOL: ("locked", "is locked by another program; try again later"),
    sqlite3.SQLITE_SCHEMA: ("locked", "is being changed by another program; try again"),
}
_HOT_JOURNAL = 776
"""SQLITE_READONLY_ROLLBACK, which Python names from 3.11 on only where SQLite does."""
_MORE = {
    "no such": "; sqlite_schema shows what there is",
    "unsafe use": "; a view, a trigger or a column of the database calls it",
    "user-defined function": "; printf was given a text that isn't UTF-8",
}
_RAISED = (sqlite3.Error, sqlite3.Warning, UnicodeError, DeprecationWarning)
"""What Python's sqlite3 raises; the last where warnings are errors: a list for names."""


@attrs.frozen
class Refusals:
    """Turns what SQLite refuses into errors that a model can read."""

    database: Database
    gate: Gate
    watch: Watch

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn what is raised inside the block.

        Raises:
            ToolError: SQLite refused.
            CallCancelledError: the call was cancelled meanwhile.
        """
        try:
            yield
        except _RAISED as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> ToolError:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF == sqlite3.SQLITE_INTERRUPT or self.watch.is_late:
            code = self._interrupted()
        if self.gate.refused is not None:
            return self._refused(self.gate.refused)
        return of_database(self.database, code) or _of_statement(error)

    def _interrupted(self) -> int:
        """What stands for an interrupt: a lock, where one was waited for."""
        self.watch.check()
        return sqlite3.SQLITE_BUSY

    def _refused(self, what: str) -> ToolError:
        means = "statements that only read" if not self.gate.writes else "other statements"
        return ToolError(f"not allowed here: {what}; use {means}", code="not_allowed")


def of_database(database: Database, code: int) -> ToolError | None:
    """What is wrong with a database or its file, by SQLite's number; None where it is not that."""
    if code == _HOT_JOURNAL:
        reason = "was left in the middle of a change; its own program has to open it first"
        return ToolError(f"database {database.name!r} {reason}", code="needs_recovery")
    if code & 0xFF not in _REASONS:
        return None
    name, reason = _REASONS[code & 0xFF]
    return ToolError(f"database {database.name!r} {reason}", code=name)


def _of_statement(error: Exception) -> ToolError:
    if isinstance(error, UnicodeError):
        return ToolError("a name in the database isn't valid text; use AS for it", code="not_text")
    text = plain(str(error))
    if "one statement" in text:
        return ToolError("give one statement a call, without an empty one", code="several")
    if isinstance(error, (sqlite3.ProgrammingError, DeprecationWarning)):
        lowered = text[:1].lower() + text[1:]
        return ToolError(f"the statement and its parameters don't fit: {lowered}", code="misfit")
    more = next((more for start, more in _MORE.items() if text.startswith(start)), "")
    return ToolError(f"SQLite refused: {text}{more}", code=_kind(error))


def _kind(error: Exception) -> str:
    if isinstance(error, sqlite3.DataError):
        return "too_big"
    return "constraint" if isinstance(error, sqlite3.IntegrityError) else "sql"

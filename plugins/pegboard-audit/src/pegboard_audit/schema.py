"""The tables of a record, which take what is added and nothing else."""

import os
import sqlite3
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from pegboard_audit.settings import AuditError, default_path

Value: TypeAlias = str | int | float | None

APPLICATION = 0x50454742
"""What marks a file as a record of pegboard, in its header."""
VERSION = 1
PATIENCE = 5.0
"""Seconds that another process may hold the file."""

TABLES = {
    "calls": (
        "call_id TEXT NOT NULL",
        "root_call_id TEXT NOT NULL",
        "parent_call_id TEXT",
        "board TEXT NOT NULL",
        "tool TEXT NOT NULL",
        "raw_tool TEXT NOT NULL",
        "plugin TEXT",
        "distribution TEXT",
        "version TEXT",
        "generation INTEGER",
        "arguments TEXT",
        "arguments_bytes INTEGER NOT NULL",
        "labels TEXT NOT NULL",
        "started TEXT NOT NULL",
        "total REAL NOT NULL",
        "waited REAL NOT NULL",
        "body REAL NOT NULL",
        "code TEXT NOT NULL",
        "message TEXT",
        "notes TEXT NOT NULL",
        "outcome TEXT",
        "outcome_bytes INTEGER",
    ),
    "events": (
        "at TEXT NOT NULL",
        "kind TEXT NOT NULL",
        "board TEXT",
        "plugin TEXT",
        "call_id TEXT",
        "details TEXT NOT NULL",
    ),
    "approvals": (
        "at TEXT NOT NULL",
        "digest TEXT NOT NULL",
        "answer TEXT NOT NULL",
        "by_plugin TEXT",
        "by_distribution TEXT",
        "by_version TEXT",
        "board TEXT NOT NULL",
        "tool TEXT NOT NULL",
        "plugin TEXT",
        "distribution TEXT",
        "version TEXT",
        "call_id TEXT NOT NULL",
        "reason TEXT NOT NULL",
    ),
}
_TABLE = """
CREATE TABLE {name} (id INTEGER PRIMARY KEY AUTOINCREMENT, {columns}) STRICT;
CREATE TRIGGER {name}_keep BEFORE UPDATE ON {name} BEGIN
    SELECT RAISE(ABORT, 'a record is never changed');
END;
CREATE TRIGGER {name}_stay BEFORE DELETE ON {name} BEGIN
    SELECT RAISE(ABORT, 'a record is never removed');
END;
CREATE TRIGGER {name}_add BEFORE INSERT ON {name}
WHEN EXISTS (SELECT 1 FROM {name} WHERE id = NEW.id) BEGIN
    SELECT RAISE(ABORT, 'a record is never replaced');
END;
"""
_INDEXES = """
CREATE INDEX calls_started ON calls (started);
CREATE INDEX approvals_digest ON approvals (digest);
"""


def insertion(table: str) -> str:
    """The statement that adds one row to a table, of all its columns in order."""
    marks = ", ".join("?" * len(TABLES[table]))
    names = ", ".join(column.partition(" ")[0] for column in TABLES[table])
    return f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names from above only


def connect(path: Path) -> sqlite3.Connection:
    """A connection that adds to a record, which is made if there is none.

    Raises:
        AuditError: the file can't be opened, or is something else.
    """
    try:
        with suppress(AuditError):
            if path == default_path():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create(path)
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise AuditError(f"record {path} can't be opened: {reason}") from error
    try:
        _prepare(connection, path)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error):
            raise AuditError(f"record {path} can't be opened: {error}") from error
        raise
    return connection


def _create(path: Path) -> None:
    """Make an empty file for its owner only, unless there is one.

    A file that somebody may be connected to is never opened here: closing it would take away the
    locks that SQLite holds on it for this process.
    """
    if path.exists():
        return
    target = Path(os.path.realpath(path))
    opened, fresh = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    os.close(opened)
    try:
        os.link(fresh, target)
    except FileExistsError:
        pass
    except OSError:  # a disk without hard links
        with suppress(FileExistsError):
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    finally:
        os.unlink(fresh)  # noqa: PTH108 - text, as mkstemp gives it


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    _check(connection, path)
    _use_wal(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _check(connection, path):
            for name, columns in TABLES.items():
                _execute(connection, _TABLE.format(name=name, columns=", ".join(columns)))
            _execute(connection, _INDEXES)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _execute(connection: sqlite3.Connection, script: str) -> None:
    """Run several statements inside the transaction that is open."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def _check(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the tables are there.

    Raises:
        AuditError: the file belongs to something else, or to a later version.
    """
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (count,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if mark != APPLICATION and (mark or version or count):
        raise AuditError(f"{path} is a database of something else; name another file")
    if version > VERSION:
        raise AuditError(f"record {path} is of a later version of pegboard-audit; upgrade it")
    return bool(mark == APPLICATION)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let readers and one writer work at once; SQLite doesn't wait for others by itself here."""
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > patience:
                raise
            time.sleep(0.01)
        else:
            return

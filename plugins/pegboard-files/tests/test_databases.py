"""SQLite's files are left alone while they are in use: closing one would take its locks away."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pegboard import Failure, Outcome

Call = Callable[..., Outcome]
FILES = ("calls.sqlite3", "calls.sqlite3-wal", "calls.sqlite3-shm")
CONNECTING = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("SELECT * FROM t").fetchall()
database.close()
"""


@pytest.fixture
def database(root: Path) -> Iterator[sqlite3.Connection]:
    """A connection of this process to a database below the root."""
    with closing(sqlite3.connect(root / FILES[0], isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE t (x)")
        yield database


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("tool", "more"), [("files_read", {}), ("files_write", {"content": "x"})])
def test_a_file_of_a_database_in_use_is_neither_read_nor_written(
    call: Call, database: sqlite3.Connection, tool: str, more: dict[str, object], name: str
) -> None:
    outcome = call(tool, {"path": name, **more})

    assert isinstance(outcome, Failure)
    assert "belongs to a database that is in use" in outcome.message


def test_a_search_takes_no_lock_of_a_database_away(
    call: Call, root: Path, database: sqlite3.Connection
) -> None:
    call("files_search", {"pattern": "one"})
    subprocess.run([sys.executable, "-c", CONNECTING, str(root / FILES[0])], check=True)
    database.execute("INSERT INTO t VALUES (1)")

    with closing(sqlite3.connect(root / FILES[0])) as other:
        assert other.execute("SELECT x FROM t").fetchall() == [(1,)]


def test_a_search_says_that_files_were_left_out(call: Call, database: sqlite3.Connection) -> None:
    found = call("files_search", {"pattern": "one"}).unwrap()

    assert [each["path"] for each in found["matches"]] == ["notes/overview.md"]
    assert found["notes"] == ["files that can't be read: 3"]


def test_files_of_such_names_without_a_database_are_files(call: Call, root: Path) -> None:
    (root / "a-shm").write_text("one\n")
    (root / "b-wal").write_text("one\n")

    found = call("files_search", {"pattern": "^one"}).unwrap()

    assert [each["path"] for each in found["matches"]] == ["a-shm", "b-wal"]

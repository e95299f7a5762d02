"""What may stand in the place of a database, and what happens to it meanwhile."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pegboard import Outcome

Call = Callable[..., Outcome]
Beside = Callable[[], dict[str, int]]

NOBODY = 65534
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
for statement in sys.argv[2:]:
    connection.execute(statement)
print("ready", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path: Path, *statements: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Another program that has run statements, and goes on."""
    command = [sys.executable, "-c", HOLD, str(path), *statements]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.stdin.close()


def code(outcome: Outcome) -> object:
    """What a failure says is wrong."""
    assert outcome.is_error
    return outcome.details["code"]


NONE_AT_ALL = [
    ("missing", "missing", "there is no such file; it is never made here"),
    ("dangling", "missing", "it is a link that leads nowhere"),
    ("loop", "cant_open", "is a link that leads to itself"),
    ("folder", "not_a_file", "is a folder, not a file"),
    ("pipe", "not_a_file", "is a named pipe, not a file"),
    ("socket", "not_a_file", "is a socket, not a file"),
    ("library.sqlite3/x", "cant_open", "a part of its path is not a folder"),
    ("x" * 300, "cant_open", "its path is too long"),
    ("noise", "not_a_database", "is not an SQLite database, or is encrypted"),
    ("text", "not_a_database", "is not an SQLite database, or is encrypted"),
    ("/dev/null", "not_a_file", "is a device, not a file"),
    ("/dev/zero", "not_a_file", "is a device, not a file"),
]


@pytest.mark.parametrize("tool", ["sqlite_query", "sqlite_execute"])
@pytest.mark.parametrize(("name", "expected", "words"), NONE_AT_ALL)
@pytest.mark.usefixtures("others")
def test_what_is_no_database_is_refused_and_left_alone(
    call: Call, path: Path, *, tool: str, name: str, expected: str, words: str
) -> None:
    before = sizes(path.parent)

    arguments = {"sql": "SELECT 1 FROM sqlite_master"}
    outcome = call(tool, arguments, databases={"main": str(path.parent / name)}, writable=True)

    assert code(outcome) == expected
    assert outcome.message.startswith("database 'main' ")
    assert words in outcome.message
    assert str(path.parent) not in outcome.message
    assert sizes(path.parent) == before


def sizes(folder: Path) -> dict[str, int]:
    """What a folder holds."""
    return {each.name: each.lstat().st_size for each in folder.iterdir()}


@pytest.fixture
def others(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is no database, beside the database."""
    folder = path.parent
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    (folder / "noise").write_bytes(os.urandom(8192))
    (folder / "text").write_text("name,year\n" * 1000)


def test_a_link_of_the_operator_is_followed(call: Call, path: Path) -> None:
    (path.parent / "link").symlink_to(path)

    outcome = call("sqlite_query", {"sql": "SELECT 1"}, databases={"a": str(path.parent / "link")})

    assert outcome.unwrap()["rows"] == [[1]]


def test_a_name_with_everything_that_a_uri_knows_is_only_a_name(call: Call, path: Path) -> None:
    odd = path.parent / "a b?mode=rwc&x=%2e#ünï.db"
    path.rename(odd)

    outcome = call("sqlite_query", {"sql": "SELECT 1"}, databases={"a": str(odd)})

    assert outcome.unwrap()["rows"] == [[1]]


def test_an_empty_file_is_a_database_without_tables(call: Call, path: Path) -> None:
    path.write_bytes(b"")

    assert call("sqlite_schema").unwrap()["tables"] == []


def test_a_damaged_database_is_said_to_be_damaged(call: Call, path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)

    outcome = call("sqlite_query", {"sql": "SELECT * FROM books"})

    assert code(outcome) == "corrupt"
    assert path.read_bytes() == data


def test_a_database_that_was_cut_off_is_said_to_be_damaged(call: Call, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:8192])

    assert code(call("sqlite_query", {"sql": "SELECT * FROM books"})) == "corrupt"


@contextmanager
def ordinary(folder: Path) -> Iterator[None]:
    """Be an ordinary user, whose folder it is."""
    is_privileged = os.geteuid() == 0
    if is_privileged:
        for each in (folder, *folder.iterdir()):
            os.chown(each, NOBODY, NOBODY)
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        folder.chmod(0o700)
        if is_privileged:
            os.seteuid(0)


@pytest.fixture
def own() -> Iterator[Path]:
    """A folder that an ordinary user can reach, with a database in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "own.db").resolve()
        path.parent.chmod(0o755)
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (a)")
        connection.close()
        with ordinary(path.parent):
            yield path


def asked(call: Call, path: Path, tool: str) -> object:
    """How a call over a database ends."""
    sql = "SELECT * FROM t" if tool == "sqlite_query" else "DELETE FROM t"
    outcome = call(tool, {"sql": sql}, databases={"own": str(path)}, writable=True)
    return code(outcome) if outcome.is_error else "success"


def test_a_file_that_may_not_be_read_is_refused(call: Call, own: Path) -> None:
    own.chmod(0)

    assert asked(call, own, "sqlite_query") == "cant_open"
    assert asked(call, own, "sqlite_execute") == "cant_open"


def test_a_file_that_may_only_be_read_is_read(call: Call, own: Path) -> None:
    own.chmod(0o400)

    assert asked(call, own, "sqlite_query") == "success"
    assert asked(call, own, "sqlite_execute") == "read_only"


def test_a_folder_where_nothing_can_be_made_is_enough_to_read(call: Call, own: Path) -> None:
    own.parent.chmod(0o500)

    assert asked(call, own, "sqlite_query") == "success"
    assert asked(call, own, "sqlite_execute") == "read_only"


@pytest.mark.parametrize(
    ("tool", "sql"),
    [
        ("sqlite_query", "SELECT * FROM books"),
        ("sqlite_execute", "DELETE FROM books"),
        ("sqlite_schema", ""),
    ],
)
def test_a_lock_of_another_program_is_waited_for_and_then_told(
    call: Call, path: Path, tool: str, sql: str
) -> None:
    arguments = {"sql": sql} if sql else {}
    with held(path, "BEGIN EXCLUSIVE"):
        outcome = call(tool, arguments, max_seconds=0.3, writable=True)

    assert code(outcome) == "locked"
    assert call(tool, arguments, writable=True).is_error is False


def test_a_reader_is_not_in_the_way_of_readers(call: Call, path: Path) -> None:
    with held(path, "BEGIN", "SELECT * FROM books"):
        outcome = call("sqlite_query", {"sql": "SELECT count(*) FROM books"})

    assert outcome.unwrap()["rows"] == [[4]]


def test_a_change_that_a_crash_has_cut_off_is_left_to_its_own_program(
    call: Call, path: Path, beside: Beside
) -> None:
    with held(
        path, "BEGIN", "CREATE TABLE big AS SELECT randomblob(100000)", "UPDATE books SET year = 0"
    ) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = beside()

    outcome = call("sqlite_query", {"sql": "SELECT DISTINCT year FROM books"})

    assert path.name + "-journal" in before
    assert code(outcome) == "needs_recovery"
    assert beside() == before


def test_a_change_here_takes_back_first_what_a_crash_has_cut_off(call: Call, path: Path) -> None:
    with held(
        path, "BEGIN", "CREATE TABLE big AS SELECT randomblob(100000)", "UPDATE books SET year = 0"
    ) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()

    arguments = {"sql": "UPDATE books SET title = title RETURNING min(year, 1)"}
    value = call("sqlite_execute", arguments, writable=True).unwrap()

    assert value["rows"] == [[1]] * 4


def test_a_query_of_a_database_with_a_log_sees_what_is_only_in_the_log(
    call: Call, path: Path
) -> None:
    with held(path, "PRAGMA journal_mode = WAL", "UPDATE books SET year = 7"):
        outcome = call("sqlite_query", {"sql": "SELECT DISTINCT year FROM books"})

    assert outcome.unwrap()["rows"] == [[7]]


def test_a_query_of_a_database_with_a_log_leaves_an_empty_log_and_nothing_else(
    call: Call, path: Path, beside: Beside
) -> None:
    with held(path, "PRAGMA journal_mode = WAL"):
        pass
    data = path.read_bytes()

    call("sqlite_query", {"sql": "SELECT * FROM books"}).unwrap()

    assert path.read_bytes() == data
    assert beside().keys() == {path.name, f"{path.name}-wal", f"{path.name}-shm"}
    assert beside()[f"{path.name}-wal"] == 0


def test_a_change_of_a_database_with_a_log_leaves_the_file_alone_behind(
    call: Call, path: Path, beside: Beside
) -> None:
    with held(path, "PRAGMA journal_mode = WAL"):
        pass

    call("sqlite_execute", {"sql": "UPDATE books SET year = 7"}, writable=True).unwrap()

    assert beside().keys() == {path.name}


def test_a_query_leaves_the_file_as_it_was_and_nothing_beside_it(
    call: Call, path: Path, beside: Beside
) -> None:
    before, data = beside(), path.read_bytes()

    call("sqlite_query", {"sql": "SELECT * FROM books ORDER BY random()"}).unwrap()

    assert beside() == before
    assert path.read_bytes() == data


def test_locks_that_the_same_process_holds_stay(call: Call, path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")

    call("sqlite_query", {"sql": "SELECT * FROM books"}).unwrap()
    with held(path):
        command = "import sqlite3, sys; sqlite3.connect(sys.argv[1], 0).execute('BEGIN IMMEDIATE')"
        ran = subprocess.run(
            [sys.executable, "-c", command, path], capture_output=True, check=False
        )

    connection.close()
    assert b"database is locked" in ran.stderr

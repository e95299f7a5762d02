"""What may happen to the file."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path

import pytest
from pegboard import Host, Outcome, PluginLoadError

Call = Callable[..., Outcome]
Hosted = Callable[..., AbstractAsyncContextManager[Host]]
ADD = {"texts": ["one"]}
NOBODY = 65534
EVERY = {
    "todo_list": {},
    "todo_add": ADD,
    "todo_update": {"id": 1, "status": "done"},
    "todo_remove": {"ids": [1]},
    "todo_clear": {"what": "all"},
}


def test_only_the_file_is_there_after_a_call(call: Call, path: Path) -> None:
    call("todo_add", ADD).unwrap()

    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_looking_makes_no_file(call: Call, path: Path) -> None:
    call("todo_list").unwrap()

    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"\xff" * len(data),
        lambda data: b"not a database, but text" * 1000,
        lambda data: data[:20] + b"\xff" * (len(data) - 20),
        lambda data: data[:100] + b"\xff" * 1000 + data[1100:],
    ],
    ids=["noise", "text", "header", "schema"],
)
def test_a_damaged_file_stops_loading_and_is_left_as_it_is(
    call: Call, path: Path, damage: Callable[[bytes], bytes]
) -> None:
    call("todo_add", ADD).unwrap()
    data = damage(path.read_bytes())
    path.write_bytes(data)

    with pytest.raises(PluginLoadError, match=r"todo\.sqlite3.* is damaged"):
        call("todo_list")

    assert path.read_bytes() == data
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_a_file_that_is_damaged_meanwhile_is_told_and_left_as_it_is(
    hosted: Hosted, path: Path
) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        (await board.call("todo_add", ADD)).unwrap()
        data = path.read_bytes()[:4096] + b"\xff" * 12288
        path.write_bytes(data)

        outcomes = [await board.call(tool, more) for tool, more in EVERY.items()]

    assert {each.details["code"] for each in outcomes} == {"damaged"}
    assert path.read_bytes() == data


async def test_a_file_that_was_removed_is_told_and_not_made_again(
    hosted: Hosted, path: Path
) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        (await board.call("todo_add", ADD)).unwrap()
        path.unlink()
        asked = [(tool, more) for tool, more in EVERY.items() if tool != "todo_clear"]
        outcomes = [await board.call(tool, more) for tool, more in asked]

    assert {each.details["code"] for each in outcomes} == {"gone"}
    assert "todo_clear begins anew" in outcomes[0].message
    assert list(path.parent.iterdir()) == []


async def test_after_clearing_everything_a_removed_file_is_made_again(
    hosted: Hosted, path: Path
) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        (await board.call("todo_add", ADD)).unwrap()
        path.unlink()

        (await board.call("todo_clear", {"what": "all"})).unwrap()
        value = (await board.call("todo_add", ADD)).unwrap()

    assert value["items"] == [{"id": 1, "text": "one", "status": "open"}]


async def test_a_file_that_was_put_back_is_read_again(hosted: Hosted, path: Path) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        (await board.call("todo_add", ADD)).unwrap()
        kept = path.read_bytes()
        (await board.call("todo_clear", {"what": "all"})).unwrap()
        path.write_bytes(kept)

        value = (await board.call("todo_list")).unwrap()

    assert len(value["items"]) == 1


def test_the_database_of_something_else_is_left_alone(call: Call, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (board, id, place, status, text)")
    connection.close()
    data = path.read_bytes()

    with pytest.raises(PluginLoadError, match="is a database of something else"):
        call("todo_list")

    assert path.read_bytes() == data


def test_the_file_of_a_later_version_is_left_alone(call: Call, path: Path) -> None:
    call("todo_add", ADD).unwrap()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()

    with pytest.raises(PluginLoadError, match="is of a later pegboard-todo"):
        call("todo_list")


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_stops_loading(call: Call, path: Path, kind: str) -> None:
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)

    with pytest.raises(PluginLoadError, match="is no regular file"):
        call("todo_list")


def test_a_folder_that_is_not_there_stops_loading(call: Call, path: Path) -> None:
    with pytest.raises(PluginLoadError, match="which is not a folder; make it"):
        call("todo_list", path=str(path.parent / "missing" / "todo.sqlite3"))


async def test_a_folder_that_is_removed_meanwhile_is_a_clear_failure(
    hosted: Hosted, path: Path
) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        shutil.rmtree(path.parent)

        outcome = await board.call("todo_add", ADD)

    assert outcome.details["code"] == "cant_open"


@pytest.mark.parametrize("tool", EVERY)
async def test_a_lock_of_another_program_is_waited_for_and_then_told(
    hosted: Hosted, path: Path, tool: str
) -> None:
    async with hosted(max_seconds=0.2) as host:
        board = await host.board("agent")
        (await board.call("todo_add", ADD)).unwrap()
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")

        outcome = await board.call(tool, EVERY[tool])
        connection.close()

        assert outcome.details["code"] == "locked"
        assert not (await board.call(tool, EVERY[tool])).is_error


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
    """The folder of an ordinary user."""
    with tempfile.TemporaryDirectory() as folder, ordinary(Path(folder)):
        yield Path(folder).resolve()


def test_a_list_in_a_folder_that_is_read_only_can_be_read(call: Call, own: Path) -> None:
    settings = {"path": str(own / "todo.sqlite3")}
    call("todo_add", ADD, **settings).unwrap()
    own.chmod(0o500)

    assert call("todo_list", **settings).unwrap()["open"] == 1
    assert call("todo_add", ADD, **settings).details["code"] == "read_only"


def test_a_list_that_cannot_be_made_is_a_clear_failure(call: Call, own: Path) -> None:
    settings = {"path": str(own / "todo.sqlite3")}
    own.chmod(0o500)

    assert call("todo_list", **settings).unwrap()["items"] == []
    assert call("todo_add", ADD, **settings).details["code"] == "cant_open"


def test_a_crash_in_the_middle_of_a_change_loses_only_that_change(call: Call, path: Path) -> None:
    call("todo_add", ADD).unwrap()
    program = (
        "import os, sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('PRAGMA cache_size = 1')\n"
        "connection.execute('BEGIN')\n"
        "connection.execute('CREATE TABLE big AS SELECT randomblob(100000)')\n"
        "connection.execute('DELETE FROM items')\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program, path], check=True)
    assert Path(f"{path}-journal").exists()

    assert call("todo_list").unwrap()["open"] == 1
    assert [each.name for each in path.parent.iterdir()] == [path.name]


FILLING = """
import asyncio, resource, sys
import pegboard_todo
from pegboard import Host

async def main():
    async with Host(discover=False) as host:
        settings = {"path": sys.argv[1], "max_items": 1000}
        await host.load(pegboard_todo, settings=settings)
        board = await host.board("agent")
        await board.call("todo_add", {"texts": ["x"]})
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
        kept, outcome = 1, None
        while outcome is None or not outcome.is_error:
            outcome = await board.call("todo_add", {"texts": ["y" * 500] * 20})
            kept += 0 if outcome.is_error else 20
        listed = (await board.call("todo_list")).unwrap()
        assert (len(listed["items"]), listed["open"]) == (kept, kept), listed
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        await board.call("todo_add", {"texts": ["z"]})
        print(outcome.details["code"], kept)

asyncio.run(main())
"""


def test_a_disk_that_is_full_loses_only_what_was_not_added(call: Call, path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", FILLING, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    code, kept = ran.stdout.split()
    assert code == "full"
    assert call("todo_list", max_items=1000).unwrap()["open"] == int(kept) + 1
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_file_lies_beside_the_configuration_unless_it_is_set(path: Path) -> None:
    configuration = path.parent / "pegboard.toml"
    configuration.write_text('only = ["todo"]\n[plugins.todo]\nmax_items = 5\n')

    async def main() -> Outcome:
        async with Host(configuration) as host:
            return await (await host.board("agent")).call("todo_add", ADD)

    asyncio.run(main()).unwrap()

    assert path.exists()


def test_a_link_of_the_operator_is_followed(call: Call, path: Path) -> None:
    call("todo_add", ADD).unwrap()
    (path.parent / "link").symlink_to(path)

    assert call("todo_list", path=str(path.parent / "link")).unwrap()["open"] == 1

"""The file: it only grows, several processes share it, and nothing else is taken for it."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pegboard_audit
import pytest
from pegboard import Host, PluginLoadError
from pegboard_audit import default_path, read

Recorded = Callable[..., Any]
ONE = "events (id, at, kind, details) VALUES (1, '', '', '')"
CALLING = """
import asyncio, sys
import pegboard_audit, pegboard_echo
from pegboard import Host

async def main():
    async with Host(discover=False) as host:
        await host.load(pegboard_audit, settings={"path": sys.argv[1]})
        await host.load(pegboard_echo)
        board = await host.board(sys.argv[2])
        for number in range(200):
            await board.call("echo", {"value": str(number)}, id=str(number))
            await asyncio.sleep(0.001)

asyncio.run(main())
"""
LEAVING = CALLING.replace("await asyncio.sleep(0.001)", "").replace(
    "asyncio.run(main())",
    """
async def abandoned():
    host = Host(discover=False)
    await host.open()
    await host.load(pegboard_audit, settings={"path": sys.argv[1]})
    await host.load(pegboard_echo)
    await (await host.board("one")).call("echo", {"value": "a"}, id="last")

asyncio.run(abandoned())
""",
)


async def one_call(recorded: Recorded) -> None:
    async with recorded() as host:
        await (await host.board("one")).call("echo", {"value": "a"}, id="call-1")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE calls SET code = 'success'",
        "DELETE FROM calls",
        "DELETE FROM events WHERE id = 1",
        "UPDATE events SET details = '{}'",
        f"INSERT OR REPLACE INTO {ONE}",
        f"REPLACE INTO {ONE}",
        f"INSERT INTO {ONE} ON CONFLICT (id) DO UPDATE SET kind = ''",
    ],
)
async def test_what_is_recorded_is_never_changed_or_removed(
    recorded: Recorded, path: Path, statement: str
) -> None:
    await one_call(recorded)
    with closing(sqlite3.connect(path)) as database:
        before = list(database.iterdump())

        with pytest.raises(sqlite3.IntegrityError, match="a record is never"):
            database.execute(statement)

        assert list(database.iterdump()) == before


async def test_without_a_path_the_record_is_in_the_users_folder_for_state() -> None:
    async with Host(discover=False) as host:
        await host.load(pegboard_audit)
        await (await host.board("one")).call("missing")

    assert "home-" in str(default_path())
    assert [each.tool for each in read(default_path())] == ["missing"]


async def test_the_file_is_for_its_owner_only(recorded: Recorded, path: Path) -> None:
    await one_call(recorded)

    assert path.stat().st_mode & 0o077 == 0


async def test_a_second_host_goes_on_where_the_first_ended(recorded: Recorded, path: Path) -> None:
    for _ in range(2):
        await one_call(recorded)

    assert [each.id for each in read(path)] == [1, 2]


def test_two_processes_write_one_file_and_lose_nothing(path: Path) -> None:
    command = [sys.executable, "-c", CALLING, str(path)]
    running = [subprocess.Popen([*command, board]) for board in ("a", "b")]

    assert [each.wait(120) for each in running] == [0, 0]

    for board in ("a", "b"):
        ids = [each.call_id for each in read(path, board=board)]
        assert ids == [str(number) for number in range(200)]


def test_a_program_that_never_closes_its_host_leaves_its_calls_recorded(path: Path) -> None:
    command = [sys.executable, "-c", LEAVING, str(path)]

    assert subprocess.run(command, check=False, timeout=60).returncode == 0

    assert [each.call_id for each in read(path)] == ["last"]


async def test_a_database_of_something_else_is_refused_and_left_alone(
    recorded: Recorded, path: Path
) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()

    with pytest.raises(PluginLoadError, match="is a database of something else"):
        await one_call(recorded)

    assert path.read_bytes() == before


async def test_a_file_that_is_no_database_is_refused_and_left_alone(
    recorded: Recorded, path: Path
) -> None:
    path.write_text("this is a text of mine, which is long enough to be looked at by SQLite")
    before = path.read_bytes()

    with pytest.raises(PluginLoadError, match="can't be opened"):
        await one_call(recorded)

    assert path.read_bytes() == before


async def test_a_record_of_a_later_version_is_refused(recorded: Recorded, path: Path) -> None:
    await one_call(recorded)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")

    with pytest.raises(PluginLoadError, match="of a later version"):
        await one_call(recorded)


async def test_a_folder_that_is_not_there_is_an_error_at_loading(
    recorded: Recorded, path: Path
) -> None:
    with pytest.raises(PluginLoadError, match="can't be opened"):
        async with recorded(path=str(path.parent / "missing" / "x.sqlite3")):
            pass


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("path", ""),
        ("max_queued", 0),
        ("max_outcome_bytes", -1),
        ("max_file_bytes", 1),
        ("pth", ""),
    ],
)
async def test_a_setting_that_cannot_be_held_is_an_error_that_names_it(
    recorded: Recorded, setting: str, value: Any
) -> None:
    with pytest.raises(PluginLoadError, match=setting):
        async with recorded(**{setting: value}):
            pass

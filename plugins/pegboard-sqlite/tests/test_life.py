"""Cancelling, time-outs, files that change meanwhile, and unloading."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pegboard_sqlite
import pytest
from pegboard import Board, Config, Failure, Host, Outcome, Signal, ToolConfig

NEVER = "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"
WRITES = (
    "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) "
    "INSERT INTO authors (name) SELECT i FROM c"
)


@asynccontextmanager
async def board_over(path: Path, **tools: ToolConfig) -> AsyncIterator[Board]:
    """A board over a database that may be written."""
    async with Host(Config(tools=tools), discover=False) as host:
        given = {"databases": {"library": str(path)}, "writable": True, "max_seconds": 600}
        await host.load(pegboard_sqlite, name="sqlite", settings=given)
        yield await host.board("tests")
        report = await host.unload("sqlite")
        assert (report.still_running, report.errors, report.leaked) == ((), (), ())


def watching() -> list[str]:
    """The threads that watch a connection."""
    return [each.name for each in threading.enumerate() if "sqlite-watch" in each.name]


async def begun() -> None:
    """Wait until a statement runs."""
    while not watching():
        await asyncio.sleep(0.001)


CALLS = [("sqlite_query", NEVER), ("sqlite_execute", WRITES)]


@pytest.mark.parametrize(("tool", "sql"), CALLS)
async def test_a_cancelled_call_ends_and_leaves_nothing(
    path: Path, beside: Callable[[], object], tool: str, sql: str
) -> None:
    before = beside()
    async with board_over(path) as board:
        signal = Signal()
        running = asyncio.create_task(board.call(tool, {"sql": sql}, signal=signal))
        await begun()
        signal.cancel("enough")
        outcome = await running

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.details) == ("aborted", None)
    assert (watching(), beside()) == ([], before)


@pytest.mark.parametrize(("tool", "sql"), CALLS)
async def test_a_call_that_outlasts_its_time_limit_ends_and_leaves_nothing(
    path: Path, beside: Callable[[], object], tool: str, sql: str
) -> None:
    before = beside()
    async with board_over(path, **{tool: ToolConfig(timeout=0.2)}) as board:
        outcome = await board.call(tool, {"sql": sql})

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.details) == ("timed_out", None)
    assert (watching(), beside()) == ([], before)


async def test_a_call_that_waits_for_a_lock_can_be_cancelled(path: Path) -> None:
    async with board_over(path) as board:
        first = asyncio.create_task(board.call("sqlite_execute", {"sql": WRITES}))
        await begun()
        signal = Signal()
        waiting = {"sql": "DELETE FROM books"}
        second = asyncio.create_task(board.call("sqlite_execute", waiting, signal=signal))
        while len(watching()) < 2:
            await asyncio.sleep(0.001)
        signal.cancel("enough")
        outcome = await second
        await board.cancel("the end")
        await first

    assert isinstance(outcome, Failure)
    assert outcome.code == "aborted"


async def test_unloading_stops_what_runs_and_leaves_nothing(path: Path) -> None:
    async with Host(discover=False) as host:
        given = {"databases": {"library": str(path)}, "max_seconds": 600}
        await host.load(pegboard_sqlite, name="sqlite", settings=given)
        board = await host.board("tests")
        running = asyncio.create_task(board.call("sqlite_query", {"sql": NEVER}))
        await begun()
        report = await host.unload("sqlite", grace=0.01)
        outcome = await running

    assert (report.cancelled, report.still_running, report.errors, report.leaked) == (1, (), (), ())
    assert isinstance(outcome, Failure)
    assert watching() == []


CYCLES = """
import asyncio, os, sys, threading
from importlib import import_module
from pegboard import Host

def left():
    return len(os.listdir("/dev/fd")), threading.active_count()

async def main():
    settings = {"databases": {"library": sys.argv[1]}, "writable": True}
    async with Host(discover=False) as host:
        board = await host.board("tests")
        for number in range(100):
            await host.load(import_module("pegboard_sqlite"), name="sqlite", settings=settings)
            change = {"sql": "UPDATE books SET year = ?", "parameters": [number]}
            (await board.call("sqlite_execute", change)).unwrap()
            asked = {"sql": "SELECT DISTINCT year FROM books"}
            assert (await board.call("sqlite_query", asked)).unwrap()["rows"] == [[number]]
            assert (await board.call("sqlite_query", {"sql": "oops"})).is_error
            report = await host.unload("sqlite")
            assert (report.still_running, report.errors, report.leaked) == ((), (), ()), report
            if number == 9:
                await asyncio.sleep(0.1)
                before = left()
        while any(now > then for now, then in zip(left(), before)):
            await asyncio.sleep(0.01)
        assert not [name for name in sys.modules if name.startswith("pegboard_sqlite")]

asyncio.run(main())
"""


def test_a_hundred_cycles_of_loading_and_calling_leave_nothing(path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", CYCLES, str(path)]

    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_twenty_queries_run_at_once(path: Path) -> None:
    async with board_over(path) as board:
        asked = {"sql": "SELECT count(*) FROM books a, books b, books c, books d, books e"}
        outcomes = await asyncio.gather(*(board.call("sqlite_query", asked) for _ in range(20)))

    assert {each.unwrap()["rows"][0][0] for each in outcomes} == {4**5}


@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_a_query_goes_on_over_a_file_that_goes_meanwhile(path: Path, how: str) -> None:
    async with board_over(path) as board:
        with locked(path):
            asked = board.call("sqlite_query", {"sql": "SELECT count(*) FROM books"})
            running = asyncio.create_task(asked)
            await begun()
            gone(path, how)
        outcome = await running
        after = await board.call("sqlite_query", {"sql": "SELECT * FROM books"})

    assert outcome.unwrap()["rows"] == [[4]]
    assert after.details["code"] == ("missing" if how == "removed" else "sql")


@pytest.mark.parametrize("how", ["removed", "replaced"])
async def test_a_change_of_a_file_that_goes_meanwhile_is_said_to_be_lost(
    path: Path, how: str
) -> None:
    async with board_over(path) as board:
        with locked(path):
            asked = board.call("sqlite_execute", {"sql": "DELETE FROM books"})
            running = asyncio.create_task(asked)
            await begun()
            gone(path, how)
        outcome: Outcome = await running

    assert outcome.details["code"] in {"missing", "replaced", "read_only"}
    assert [each.name for each in path.parent.iterdir() if "journal" in each.name] == []


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """A database that another connection keeps to itself, for the block."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def gone(path: Path, how: str) -> None:
    """Take a file away, or put an empty one in its place."""
    if how == "removed":
        path.unlink()
        return
    (path.parent / "new").touch()
    (path.parent / "new").replace(path)


if sys.platform == "linux":
    SERIES = "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) "

    @pytest.mark.parametrize("order", ["a.title || c.i", "random()"])
    async def test_a_query_that_sorts_too_much_is_stopped(path: Path, order: str) -> None:
        async with Host(discover=False) as host:
            given = {"databases": {"library": str(path)}, "max_seconds": 600}
            more = {"max_scratch_bytes": 1 << 22}
            await host.load(pegboard_sqlite, settings={**given, **more})
            board = await host.board("tests")
            sql = f"{SERIES} SELECT hex(zeroblob(100)) FROM books a, c ORDER BY {order}"
            outcome = await board.call("sqlite_query", {"sql": sql})

        assert outcome.details["code"] == "too_large"

    @pytest.mark.parametrize(
        "kept",
        [
            "json_group_array(hex(zeroblob(50000)))",
            "json_group_object(i, hex(zeroblob(50000)))",
            ", ".join(f"json_group_array(hex(zeroblob({n})))" for n in range(20000, 20020)),
        ],
    )
    def test_a_query_that_keeps_too_much_in_memory_is_stopped(
        call: Callable[..., Outcome], kept: str
    ) -> None:
        limits = {"max_seconds": 600, "max_memory_bytes": 1 << 24}

        outcome = call("sqlite_query", {"sql": f"{SERIES} SELECT {kept} FROM c"}, **limits)

        assert outcome.details["code"] == "too_large"

"""The disk is slow, locked, full or gone: calls go on, unless the operator requires a record."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pegboard_audit import read, read_events, schema, writing
from pegboard_audit.rows import Sizes
from pegboard_audit.writing import Writer

Recorded = Callable[..., Any]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for other processes, and between attempts, for moments only."""
    monkeypatch.setattr(schema, "PATIENCE", 0.05)
    monkeypatch.setattr(writing, "_FIRST_PAUSE", 0.02)
    monkeypatch.setattr(writing, "IDLE", 0.1)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """A record that another program holds."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


def ids(path: Path) -> list[str]:
    return [each.call_id for each in read(path)]


async def test_calls_go_on_while_the_file_is_locked_and_are_recorded_afterwards(
    recorded: Recorded, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recorded() as host:
        board = await host.board("one")
        with locked(path):
            for number in range(3):
                outcome = await board.call("echo", {"value": "a"}, id=str(number))
                assert not outcome.is_error
            await until(lambda: "records can't be written, and wait" in caplog.text)
        await until(lambda: "records are written again; 0 are lost" in caplog.text)

    assert ids(path) == ["0", "1", "2"]


async def test_a_call_never_waits_for_the_disk(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        board = await host.board("one")
        with locked(path):
            began = time.perf_counter()
            await board.call("echo", {"value": "a"})
            took = time.perf_counter() - began

    assert took < 0.05


async def test_where_a_record_is_required_calls_are_refused_until_it_is_written_again(
    recorded: Recorded, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recorded(required=True) as host:
        board = await host.board("one")
        with locked(path):
            unseen = await board.call("echo", {"value": "a"}, id="0")
            await until(lambda: "records can't be written" in caplog.text)
            refused = await board.call("echo", {"value": "a"}, id="1")
        await until(lambda: "are written again" in caplog.text)
        again = await board.call("echo", {"value": "a"}, id="2")

    assert (unseen.is_error, again.is_error) == (False, False)
    assert refused.message == "calls can't be recorded now, and none may run without its record"
    assert ids(path) == ["0", "1", "2"]


async def test_what_waits_too_long_is_lost_counted_and_logged(
    recorded: Recorded, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recorded(max_queued=20) as host:
        board = await host.board("one")
        await until(lambda: list(read_events(path, kind="BoardOpened")))
        with locked(path):
            await board.call("echo", {"value": "a"}, id="held")
            await until(lambda: "records can't be written" in caplog.text)
            for number in range(23):
                await board.call("echo", {"value": "a"}, id=str(number))
        await until(lambda: "are written again; 3 are lost" in caplog.text)

    assert ids(path) == ["held", *map(str, range(20))]
    assert caplog.text.count("records are lost") == 1


async def test_what_cannot_be_written_until_the_end_is_counted_and_logged(
    recorded: Recorded, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recorded() as host:
        await (await host.board("one")).call("echo", {"value": "a"})
        await until(lambda: ids(path))
        with locked(path):
            await (await host.board("one")).call("echo", {"value": "a"})
            report = await host.unload("audit")

    assert report.errors == ()
    assert "records are lost" in caplog.text


async def test_everything_that_waits_is_written_when_the_plugin_is_unloaded(
    recorded: Recorded, path: Path
) -> None:
    async with recorded() as host:
        board = await host.board("one")
        for number in range(2_500):
            await board.call("echo", {"value": "a"}, id=str(number))
        report = await host.unload("audit")

        assert len(ids(path)) == 2_500
        assert (report.errors, report.leaked) == ((), ())


async def test_a_file_that_has_reached_its_size_takes_no_more_and_says_so(
    recorded: Recorded, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recorded(max_file_bytes=400_000, required=True) as host:
        board = await host.board("one")
        while "has reached max_file_bytes" not in caplog.text:
            await board.call("echo", {"value": "x" * 60_000})
            await asyncio.sleep(0.03)
        assert (await board.call("echo", {"value": "a"})).is_error

    assert 1 < len(ids(path)) < 8
    assert path.stat().st_size < 500_000


async def test_a_file_that_was_moved_away_is_begun_anew(recorded: Recorded, path: Path) -> None:
    async with recorded() as host:
        board = await host.board("one")
        await board.call("echo", {"value": "a"}, id="1")
        await until(lambda: ids(path) and not Path(f"{path}-wal").exists())
        path.rename(path.with_suffix(".old"))
        await board.call("echo", {"value": "a"}, id="2")
        await until(path.exists)

    assert ids(path) == ["2"]
    assert ids(path.with_suffix(".old")) == ["1"]


async def test_a_file_that_was_removed_under_a_busy_writer_is_begun_anew(
    recorded: Recorded, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "IDLE", 60.0)
    async with recorded() as host:
        board = await host.board("one")
        await board.call("echo", {"value": "a"}, id="1")
        await until(lambda: ids(path))
        path.unlink()
        await board.call("echo", {"value": "a"}, id="2")
        await until(path.exists)

    assert ids(path) == ["2"]


def test_a_record_that_cannot_be_made_is_lost_alone(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def rows(self, sizes: Sizes) -> Iterator[Any]:
            raise RuntimeError("hunter2")

    log = logging.getLogger("test")
    sizes = Sizes(1, 1)
    writer = Writer(path, sizes=sizes, max_queued=9, max_file_bytes=None, log=log)
    writer.start()

    writer.put(Broken())
    writer.close()

    assert writer.lost == 1
    assert "RuntimeError in a Broken" in caplog.text
    assert "hunter2" not in caplog.text

"""`log --follow` goes on with what comes, whatever becomes of the file."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pegboard_audit
import pytest
from pegboard import Host, tool

Follow = Callable[..., "subprocess.Popen[str]"]


@tool
async def say(value: str) -> str:
    """Say one value."""
    return value


def record(path: Path, *ids: str) -> None:
    """Make calls on a host that records them."""

    async def calls() -> None:
        async with Host(discover=False) as host:
            await host.load(pegboard_audit, name="audit", settings={"path": str(path)})
            host.register(say)
            board = await host.board("desk")
            for call_id in ids:
                await board.call("say", {"value": "x"}, id=call_id)

    asyncio.run(calls())


@pytest.fixture
def path(bare: Any) -> Path:
    """Where calls are recorded; nothing is there yet."""
    record_file: Path = bare.work / "audit.sqlite3"
    return record_file


@pytest.fixture
def follow(bare: Any) -> Iterator[Follow]:
    """Start following beside the test; what still runs in the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> "subprocess.Popen[str]":
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        command = ("log", "--follow", "--json", "--record", "audit.sqlite3", *words)
        started.append(bare.start(*command, **pipes))
        return started[-1]

    yield begin
    for each in started:
        each.kill()
        each.communicate()


def next_ids(process: "subprocess.Popen[str]", count: int) -> list[str]:
    """The ids of the next calls that are printed."""
    assert process.stdout is not None
    return [json.loads(process.stdout.readline())["call_id"] for _ in range(count)]


def test_calls_are_printed_as_they_come_after_those_that_are_there(
    path: Path, follow: Follow
) -> None:
    record(path, "a", "b")

    process = follow()
    there = next_ids(process, 2)
    record(path, "c")

    assert (there, next_ids(process, 1)) == (["a", "b"], ["c"])


def test_a_record_that_is_not_there_yet_is_waited_for(path: Path, follow: Follow) -> None:
    process = follow()
    assert process.stderr is not None
    said = process.stderr.readline()

    record(path, "a")

    assert said == "pegboard: there is no record audit.sqlite3; waiting\n"
    assert next_ids(process, 1) == ["a"]


def test_a_record_that_is_moved_away_is_followed_by_the_one_in_its_place(
    path: Path, follow: Follow
) -> None:
    record(path, "a", "b")
    process = follow()
    next_ids(process, 2)

    path.rename(path.with_name("old.sqlite3"))
    record(path, "c")

    assert next_ids(process, 1) == ["c"]


def test_calls_that_are_not_wanted_are_passed_over_while_following(
    path: Path, follow: Follow
) -> None:
    record(path, "a")
    process = follow("--since", "2100-01-01")

    record(path, "b")
    process.send_signal(signal.SIGTERM)

    assert process.communicate(timeout=30)[0] == ""


@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "Ctrl-C"]
)
def test_following_ends_without_a_word_when_it_is_stopped(
    path: Path, follow: Follow, stop: signal.Signals, status: int
) -> None:
    record(path, "a")
    process = follow()
    next_ids(process, 1)

    process.send_signal(stop)

    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == status

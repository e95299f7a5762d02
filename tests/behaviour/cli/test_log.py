"""`log` shows what pegboard-audit has recorded, one line each, and goes on with what comes."""

import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pegboard_audit
import pytest
from pegboard import Host, ToolError, tool

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  (?P<rest>.*)")
HOSTILE = "\x1b[2Jgone\nsecond"


@tool
async def say(value: str) -> str:
    """Say one value."""
    return value


@tool
async def fail(value: str) -> str:
    """Fail."""
    raise ToolError(value)


async def record(path: Path, calls: Sequence[tuple[str, str, str]]) -> None:
    """Make calls on a host that records them, each on a board with a tool and a value."""
    async with Host(discover=False) as host:
        await host.load(pegboard_audit, name="audit", settings={"path": str(path)})
        host.register(say)
        host.register(fail)
        for number, (board, name, value) in enumerate(calls):
            own = await host.board(board, labels={"user": "me" if board == "one" else HOSTILE})
            await own.call(name, {"value": value}, id=f"{board}-{number}")


@pytest.fixture
def recorded(bare: Any) -> Any:
    """A desk with a record of three calls, which its configuration names."""
    bare.write("pegboard.toml", '[plugins.audit]\npath = "audit.sqlite3"\n')
    calls = [("one", "say", "a"), ("two", "fail", "b"), ("two", "say", "c")]
    asyncio.run(record(bare.work / "audit.sqlite3", calls))
    return bare


def ids(ran: Any) -> list[str]:
    """The ids of the calls that a command has printed as JSON."""
    return [json.loads(line)["call_id"] for line in ran.out.splitlines()]


def test_each_call_is_one_line_that_says_when_where_what_how_and_for_whom(recorded: Any) -> None:
    ran = recorded.answer("log")

    lines = [LINE.fullmatch(each) for each in ran.out.splitlines()]
    first = next(each["rest"] for each in lines if each).split("  ")
    assert (ran.status, ran.err, len(lines), all(lines)) == (0, "", 3, True)
    assert [*first[:4], *first[5:]] == ["one", "say", "-", "success", "one-0", "user=me"]


def test_nothing_that_was_recorded_can_steer_a_terminal(recorded: Any) -> None:
    [line] = recorded.answer("log", "--failed").out.splitlines()

    assert r"user=\x1b[2Jgone\nsecond" in line
    assert line.isprintable()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ["one-0", "two-1", "two-2"]),
        ("--board two", ["two-1", "two-2"]),
        ("--board t*", ["two-1", "two-2"]),
        ("--tool say", ["one-0", "two-2"]),
        ("--failed", ["two-1"]),
        ("--plugin nobody", []),
        ("--since 2h", ["one-0", "two-1", "two-2"]),
        ("--since 2100-01-01", []),
        ("--since 2020-01-01T10:00:00+02:00 --tool fail", ["two-1"]),
    ],
)
def test_options_narrow_down_which_calls_are_shown(
    recorded: Any, words: str, expected: list[str]
) -> None:
    assert ids(recorded.answer("log", "--json", *words.split())) == expected


def test_json_holds_everything_that_was_recorded_of_a_call(recorded: Any) -> None:
    [call] = map(json.loads, recorded.answer("log", "--json", "--failed").out.splitlines())

    assert (call["board"], call["arguments"], call["code"]) == (
        "two",
        {"value": "b"},
        "tool_error",
    )
    assert datetime.fromisoformat(call["started"]).tzinfo == UTC


def test_a_record_that_is_named_beats_the_configuration(recorded: Any) -> None:
    asyncio.run(record(recorded.work / "other.sqlite3", [("three", "say", "x")]))

    assert ids(recorded.answer("log", "--json", "--record", "other.sqlite3")) == ["three-0"]


def test_the_record_lies_where_the_host_writes_it_wherever_it_is_read_from(bare: Any) -> None:
    (bare.work / "etc").mkdir()
    file = bare.write("etc/pegboard.toml", '[plugins.audit]\npath = "here.sqlite3"\n')

    async def write() -> None:
        async with Host(file, discover=False) as host:
            await host.load(pegboard_audit, name="audit")
            await host.board("seen")

    asyncio.run(write())
    ran = bare.answer("log", "--events", "--board", "seen", "--config", "etc/pegboard.toml")

    assert (ran.status, ran.err, "BoardOpened  seen" in ran.out) == (0, "", True)
    assert sorted(each.name for each in bare.work.iterdir()) == ["etc"]


ODD = [
    "0001-01-01T00:00+01:00",
    "9999-12-31T23:59-14:00",
    "0001-01-01T00:00:00.000001+00:00:01",
    "0000-01-01",
    "10000-01-01",
    "2026-02-30",
    "2026-01-01T25:00",
    "2026-01-01T00:00+24:00",
    "-1h",
    "1.5h",
    "999999999w",
    "9" * 40 + "s",
    "",
    "  ",
    "12:00",
    "nan",
    "2h\0",
]


@pytest.mark.parametrize("moment", ODD)
@pytest.mark.parametrize("more", [[], ["--json"], ["--events"]], ids=str)
def test_a_moment_that_is_none_is_one_line_and_exit_status_2(
    recorded: Any, moment: str, more: list[str]
) -> None:
    ran = recorded.answer("log", f"--since={moment}", *more)

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("pegboard: --since takes 10m, 2h or 3d")


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        ("0001-01-01", 3),
        ("0001-01-01T00:00-12:00", 3),
        ("9999-12-31T23:59:59.999999", 0),
        ("9999-12-31T23:59+14:00", 0),
        ("0s", 0),
        ("2026-W01-1", 3),
    ],
)
def test_the_first_and_the_last_moments_are_some(recorded: Any, moment: str, count: int) -> None:
    ran = recorded.answer("log", "--since", moment)

    assert (ran.status, ran.err, ran.out.count("\n")) == (0, "", count)


def test_a_name_of_which_another_is_the_beginning_is_another(recorded: Any) -> None:
    asyncio.run(record(recorded.work / "audit.sqlite3", [("one", "say", "x")]))

    assert ids(recorded.answer("log", "--json", "--tool", "say\0x", "--board", "on\0e")) == []
    assert recorded.answer("log", "--tool", "\udcff").status == 0


def test_without_a_configuration_the_record_is_the_one_of_the_user(
    bare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(bare.work / "state"))
    asyncio.run(record(pegboard_audit.default_path(), [("own", "say", "x")]))

    assert ids(bare.answer("log", "--json")) == ["own-0"]


def test_a_configuration_with_mistakes_elsewhere_still_says_where_the_record_is(
    recorded: Any,
) -> None:
    recorded.write("pegboard.toml", 'bolck = 1\n[plugins.audit]\npath = "audit.sqlite3"\n')

    assert recorded.answer("log").out.count("\n") == 3


def test_events_say_what_happened_to_plugins_and_boards(recorded: Any) -> None:
    ran = recorded.answer("log", "--events", "--board", "two")

    assert [each.split("  ")[1:3] for each in ran.out.splitlines()] == [
        ["BoardOpened", "two"],
        ["BoardClosed", "two"],
    ]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("--since 5x", ["--since", "10m", "'5x'"]),
        ("--since yesterday", ["'yesterday'"]),
        ("--events --failed", ["--events", "--failed"]),
        ("--record none.sqlite3", ["no record none.sqlite3"]),
        ("--record pegboard.toml", ["pegboard.toml"]),
        ("--config none.toml", ["'none.toml'"]),
        ("--config odd.toml", ["[plugins.audit]", "--record"]),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(
    recorded: Any, words: str, parts: list[str]
) -> None:
    recorded.write("odd.toml", "[plugins.audit]\npath = 7\n")

    ran = recorded.answer("log", *words.split())

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert not [each for each in parts if each not in ran.err]


def test_without_pegboard_audit_the_message_says_what_to_install(
    bare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pegboard_audit", None)

    ran = bare.answer("log")

    assert (ran.status, ran.out) == (2, "")
    assert "pip install pegboard-audit" in ran.err


def test_a_damaged_row_is_named_and_no_traceback(recorded: Any) -> None:
    with closing(sqlite3.connect(recorded.work / "audit.sqlite3")) as damaged, damaged:
        damaged.execute("DROP TRIGGER calls_keep")
        damaged.execute("UPDATE calls SET labels = '{' WHERE id = 2")

    ran = recorded.answer("log")

    assert (ran.status, ran.out.count("\n")) == (2, 1)
    assert "row 2 of calls" in ran.err

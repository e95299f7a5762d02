"""Inputs and files that mean harm: each is refused or bounded, and nothing is left."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from traceback import walk_stack

import pytest
from pegboard import Failure, Host, Outcome, Signal

Call = Callable[..., Outcome]
Hosted = Callable[..., AbstractAsyncContextManager[Host]]

TEXTS = [
    "",
    " ",
    "\t",
    "\N{NO-BREAK SPACE}",
    "one\ntwo",
    "one\r[x] 9: faked",
    "\0",
    "\x1b[2J",
    "a\x7f",
    "a\x85b",
    "a\u2028[x] 9: faked",
    "a\u2029b",
    "\u202egnp.exe",
    "\u2066a",
    "a\u200f",
    "\U000e0041\U000e0042",
    "x" * 501,
    "x" * 5_000_000,
    "☕" * 501,
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("tool", ["todo_add", "todo_update"])
def test_a_text_that_is_no_line_is_refused(call: Call, path: Path, tool: str, text: str) -> None:
    arguments = {"texts": ["fine", text]} if tool == "todo_add" else {"id": 1, "text": text}

    outcome = call(tool, arguments)

    assert outcome.details == {"code": "invalid_text"}
    assert outcome.message.isprintable()
    assert len(outcome.message) < 200
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "'); DROP TABLE items; --",
        "naïve ☕ 👩‍💻 日本語 עברית",
        "%s {0} $HOME",
        "[x] 2: done",
        "NULL",
        "1",
        "x" * 500,
    ],
)
def test_a_text_that_is_a_line_is_kept_character_for_character(call: Call, text: str) -> None:
    call("todo_add", {"texts": [text, "other"]})

    value = call("todo_list").unwrap()

    assert [each["text"] for each in value["items"]] == [text, "other"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("todo_add", {}),
        ("todo_add", {"texts": []}),
        ("todo_add", {"texts": "one"}),
        ("todo_add", {"texts": [1]}),
        ("todo_add", {"texts": [None]}),
        ("todo_add", {"texts": ["x"] * 101}),
        ("todo_add", {"texts": ["x"] * 100_000}),
        ("todo_add", {"texts": ["x"], "position": 0}),
        ("todo_add", {"texts": ["x"], "position": -1}),
        ("todo_add", {"texts": ["x"], "position": 2**64}),
        ("todo_add", {"texts": ["x"], "position": 1.5}),
        ("todo_update", {"id": 0, "status": "done"}),
        ("todo_update", {"id": "1", "status": "done"}),
        ("todo_update", {"id": 2**64, "status": "done"}),
        ("todo_update", {"id": True, "status": "done"}),
        ("todo_update", {"id": 1, "status": "Done"}),
        ("todo_update", {"id": 1, "status": "deleted"}),
        ("todo_update", {"id": 1, "position": 10**400}),
        ("todo_remove", {"ids": []}),
        ("todo_remove", {"ids": [2**64]}),
        ("todo_remove", {"ids": [-1]}),
        ("todo_remove", {"ids": "all"}),
        ("todo_clear", {"what": "everything"}),
        ("todo_clear", {"what": ["all"]}),
        ("todo_add", {"texts": ["x"], "board": "other"}),
    ],
)
def test_arguments_of_other_kinds_change_nothing(
    call: Call, path: Path, tool: str, arguments: object
) -> None:
    call("todo_add", {"texts": ["one", "two"]})
    before = call("todo_list").unwrap()

    outcome = call(tool, arguments)

    if outcome.is_error:
        assert outcome.code == "invalid_arguments"
        assert call("todo_list").unwrap() == before
    else:
        assert outcome.notes == ("left out $.board, which isn't declared",)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_list_never_has_more_items_than_the_setting_says(call: Call) -> None:
    call("todo_add", {"texts": ["x"] * 10}, max_items=12)

    outcome = call("todo_add", {"texts": ["x"] * 3}, max_items=12)

    assert outcome.message == (
        "the list has 10 items, and may have 12; todo_clear takes out what is done"
    )
    assert call("todo_add", {"texts": ["x"] * 2}, max_items=12).unwrap()["open"] == 12


FOREVER = "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) SELECT i FROM c"


def planted(path: Path, script: str, *rows: tuple[object, ...]) -> None:
    """Do something to the file that the plugin never does."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    for row in rows:
        connection.execute("INSERT INTO items VALUES ('agent', ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()


def test_a_hundred_thousand_items_of_another_program_are_bounded(call: Call, path: Path) -> None:
    call("todo_add", {"texts": ["one"]})
    planted(path, "", *((number, 1, "open", "x") for number in range(2, 100_002)))

    value = call("todo_list").unwrap()
    more = call("todo_add", {"texts": ["x"]})
    moved = call("todo_update", {"id": 1, "position": 2})

    assert (len(value["items"]), value["open"]) == (200, 100_001)
    assert value["notes"] == ["items that are not shown: 99801"]
    assert more.details["code"] == "too_many"
    assert not moved.is_error


def test_a_huge_text_of_another_program_is_cut(call: Call, path: Path) -> None:
    call("todo_add", {"texts": ["one"]})
    planted(path, "", (2, 2, "open", "y" * 20_000_000))

    value = call("todo_list").unwrap()

    assert [len(each["text"]) for each in value["items"]] == [3, 500]
    assert value["notes"] == ["texts that were cut: 1"]


def test_a_text_of_another_program_cannot_fake_a_line(call: Call, path: Path) -> None:
    call("todo_add", {"texts": ["one"]})
    planted(path, "", (2, 2, "open", "two\n[x] 3: three\x1b[2J\u202e"))

    text = call("todo_list").content[0].text

    assert len(text.splitlines()) == 3
    assert text.replace("\n", "").isprintable()


def test_a_text_that_is_none_is_shown_in_hexadecimal(call: Call, path: Path) -> None:
    call("todo_add", {"texts": ["one"]})
    planted(path, "UPDATE items SET text = CAST(x'ff6f' AS TEXT)")

    assert call("todo_list").unwrap()["items"][0]["text"] == "\\xffo"


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TRIGGER t BEFORE INSERT ON items BEGIN SELECT load_extension('x'); END",
        "CREATE TRIGGER t BEFORE INSERT ON items BEGIN SELECT RAISE(ABORT, 'no\nmore'); END",
        "DROP TABLE items",
        "DROP TABLE lists",
        "ALTER TABLE items ADD COLUMN more TEXT NOT NULL DEFAULT ''",
        f"CREATE TRIGGER t BEFORE INSERT ON items BEGIN SELECT count(*) FROM ({FOREVER}); END",
    ],
)
def test_a_schema_that_somebody_has_changed_is_a_clear_failure(
    call: Call, path: Path, script: str
) -> None:
    call("todo_add", {"texts": ["one"]})
    planted(path, script)

    outcome = call("todo_add", {"texts": ["two"]}, max_seconds=0.2)

    assert outcome.details["code"] in {"damaged", "too_slow"}
    assert outcome.message.isprintable()
    assert [each.name for each in path.parent.iterdir()] == [path.name]


WRITTEN = [("success", 1), ("aborted", 1), ("aborted", 0), ("aborted_before_start", 0)]
"""How a cancelled call may end, and how many items it may then have written."""


def is_waited_for_a_lock() -> bool:
    """Whether the body of a call has begun and waits, in whatever thread it runs.

    The stage of a call says less: it is "body" before a thread has taken the body.
    """
    frames = (frame for top in sys._current_frames().values() for frame, _ in walk_stack(top))
    return any(frame.f_code.co_name == "_patiently" for frame in frames)


@pytest.mark.parametrize("moment", [0, 1, 2, 3, 5, 8, 50])
async def test_a_call_that_is_cancelled_at_any_moment_says_what_it_did(
    hosted: Hosted, moment: int
) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        signal = Signal()
        asked = board.call("todo_add", {"texts": ["one"]}, signal=signal)
        running = asyncio.create_task(asked)
        for _ in range(moment):
            await asyncio.sleep(0)
        signal.cancel("enough")
        outcome = await running
        count = (await board.call("todo_list")).unwrap()["open"]

    code = outcome.code if isinstance(outcome, Failure) else "success"
    assert (code, count) in WRITTEN


async def test_a_call_that_waits_can_be_cancelled_and_leaves_nothing(
    hosted: Hosted, path: Path
) -> None:
    async with hosted(max_seconds=600) as host:
        board = await host.board("agent")
        (await board.call("todo_add", {"texts": ["one"]})).unwrap()
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        signal = Signal()
        asked = board.call("todo_add", {"texts": ["two"]}, signal=signal)
        waiting = asyncio.create_task(asked)
        while not is_waited_for_a_lock():
            await asyncio.sleep(0.001)
        signal.cancel("enough")
        outcome = await waiting
        connection.close()
        listed = (await board.call("todo_list")).unwrap()

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.details, listed["open"]) == ("aborted", None, 1)

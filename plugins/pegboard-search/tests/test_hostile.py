"""Whatever is asked or offered: a clear outcome within bounds, and nothing is left behind."""

import asyncio
import gc
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Failure, Tool, ToolCall

Made = Callable[..., Tool]

QUERIES = {
    "empty": "",
    "blank": " \t\n ",
    "nul": "\0",
    "nul in a word": "zeb\0ra",
    "emoji": "🦓🦓🦓",
    "quotes": '"zebra" OR "horse"',
    "an open quote": 'zebra"',
    "single quotes": "'; DROP TABLE tools; --",
    "operators": "zebra AND NOT horse OR NEAR(zebra horse, 2)",
    "a column": "takes : zebra",
    "a column filter": "{name says} : zebra",
    "a minus": "- zebra -horse",
    "a caret": "^zebra",
    "stars": "* zebra* **",
    "parentheses": "((((((((((zebra",
    "many parentheses": "(" * 10_000,
    "ten kilobytes of words": " ".join(f"word{n}" for n in range(1_200)),
    "one word of ten kilobytes": "z" * 10_000,
    "ten kilobytes of one letter": "z " * 5_000,
    "humps": "aB" * 5_000,
    "a megabyte": "zebra " * 170_000,
    "what grows when it is made equal": "ﷺ" * 10_000,
    "marks that combine": "z" + "\u0301" * 5_000,
    "right to left": "\u202ezebra\u202c",
    "Chinese": "斑马" * 2_000,
    "digits": "1" * 5_000,
    "a backslash": "\\zebra\\",
    "percent and underscore": "%_zebra_%",
    "a bidirectional mix": "زيبرا zebra זברה",
    "another script's digits": "١٢٣ ①②③ Ⅷ",
}
UNSAYABLE = {"empty", "blank", "nul", "emoji", "many parentheses"}
HIDDEN = "\u202c\u202e"
"""What no tool may say anyway."""

ARGUMENTS: dict[str, Any] = {
    "no query": {},
    "null": {"query": None},
    "a number": {"query": 7},
    "a list": {"query": ["zebra"]},
    "an object": {"query": {"$match": "zebra"}},
    "limit 0": {"query": "zebra", "limit": 0},
    "limit below 0": {"query": "zebra", "limit": -1},
    "a huge limit": {"query": "zebra", "limit": 10**30},
    "a limit that is no number": {"query": "zebra", "limit": "5; DROP"},
    "another board": {"query": "zebra", "bord": "x", "limt": 3},
    "no JSON": '{"query": "zebra',
    "a key twice": '{"query": "zebra", "query": "horse"}',
}


@pytest.mark.parametrize("kind", QUERIES)
async def test_a_query_is_words_and_never_syntax(desk: Any, made: Made, kind: str) -> None:
    tools = [made("zebra", "Count zebras. 斑马 1"), made("horse", "Count horses.")]
    async with desk(*tools) as it:
        outcome = await it.outcome(QUERIES[kind])
        after = await it.names("horses")

    assert after == ["horse"]
    if kind in UNSAYABLE:
        assert isinstance(outcome, Failure)
        assert outcome.details == {"code": "no_words"}
    else:
        value: Any = outcome.unwrap()
        assert len(repr(value)) < 2_000


@pytest.mark.parametrize("kind", ARGUMENTS)
async def test_arguments_that_can_not_be_meant_are_refused(
    desk: Any, made: Made, kind: str
) -> None:
    async with desk(made("zebra", "Count zebras.")) as it:
        outcome = await it.board.call(ToolCall("1", "tools_search", ARGUMENTS[kind]))

        assert isinstance(outcome, Failure)
        assert outcome.code == "invalid_arguments"
        assert it.said == ["tools_search"]


@pytest.mark.parametrize("kind", QUERIES)
async def test_what_a_tool_says_is_words_too(desk: Any, made: Made, kind: str) -> None:
    said = "".join(each for each in QUERIES[kind] if each.isprintable() and each not in HIDDEN)
    schema = {"x": {"description": said, "enum": ["needle", said]}}
    async with desk(made("first", f"Needle. {said}", schema), made("mule", "Mules.")) as it:
        assert await it.names("needle") == ["first"]
        assert (await it.names("mule"))[0] == "mule"


STUFFED = {
    "every word": " ".join(f"{a}{b}{c}" for a in "bdgklmnprst" for b in "aeiou" for c in "bdgkm"),
    "one word": "zebra " * 2_000,
    "many words again and again": "count zebras horses mules in a field " * 300,
}


@pytest.mark.parametrize("kind", STUFFED)
@pytest.mark.parametrize("where", ["description", "parameter"])
async def test_no_tool_comes_first_by_saying_much(
    desk: Any, made: Made, kind: str, where: str
) -> None:
    said = f"Anything at all. {STUFFED[kind]} zebra mule"
    parameters = {"x": {"description": said}} if where == "parameter" else {}
    stuffed = made("aaa", said if where == "description" else "Do it.", parameters)
    honest = [made(f"{each}_count", f"Count {each}s in a field.") for each in ("zebra", "mule")]
    async with desk(stuffed, *honest) as it:
        firsts = [(await it.names(each))[0] for each in ("zebras", "count mules in the field")]

    assert firsts == ["zebra_count", "mule_count"]


async def test_a_thousand_tools_that_say_the_same_are_answered_within_bounds(
    desk: Any, made: Made
) -> None:
    tools = [made(f"zebra_{number}", "Count zebras. " * 50) for number in range(1000)]
    async with desk(*tools) as it:
        value = await it.value("zebra", limit=20)
        shown = len(it.said)

    assert (len(value["tools"]), shown) == (20, 21)
    assert len(repr(value)) < 20_000


async def test_a_search_that_is_cancelled_leaves_nothing_and_the_next_one_finds(
    desk: Any, made: Made
) -> None:
    tools = [made(f"zebra_{number}", "Count zebras.") for number in range(500)]
    async with desk(*tools) as it:
        searching = asyncio.create_task(it.outcome("zebra"))
        await asyncio.sleep(0)
        await it.board.cancel("enough")
        outcome = await searching
        first = it.said
        again = await it.names("zebra")

    assert isinstance(outcome, Failure)
    assert outcome.code == "aborted"
    assert (first, len(again)) == (["tools_search"], 5)


async def test_no_thread_and_no_connection_is_left_by_boards_and_hosts(
    desk: Any, made: Made
) -> None:
    gc.collect()
    before = threading.active_count(), connections()
    async with desk(made("zebra", "Count zebras.")) as it:
        for number in range(20):
            async with it.host.board(f"b{number}") as board:
                (await board.call("tools_search", {"query": "zebra"})).unwrap()
        await it.names("zebra")
        await it.host.unload("search")
        gc.collect()

        assert connections() == before[1]
    assert threading.active_count() == before[0]


def connections() -> int:
    """How many connections to SQLite are open or waited to be forgotten."""
    found = [each for each in gc.get_objects() if isinstance(each, sqlite3.Connection)]
    return len([each for each in found if is_open(each)])


def is_open(connection: sqlite3.Connection) -> bool:
    """Whether a connection was not closed."""
    try:
        connection.total_changes  # noqa: B018 - asking is what raises
    except sqlite3.ProgrammingError:
        return False
    return True

"""A search for tools: beside a scan of the same tools, and how much of a host's time it takes."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import cycle

import pegboard_search
import pytest
from pegboard import Board, Host, Tool
from pegboard_search.texts import Texts
from pegboard_search.words import telling, words
from pegboard_services import FILE, tools_of_services
from side_by_side import Figures, Way, measure

MANY = 500
LIMIT = 5
MOST_MS = 5
REQUESTS = [
    line.partition(" | ")[0]
    for line in FILE.with_name("requests.txt").read_text(encoding="utf-8").splitlines()
]
WORST = " ".join(f"{each} {number}" for number, each in enumerate(REQUESTS))
"""All requests in one: many words, and hardly a tool that has none of them."""


@asynccontextmanager
async def a_board(tools: Iterable[Tool]) -> AsyncIterator[tuple[Host, Board]]:
    """A board with these tools, that may be searched."""
    async with Host(discover=False) as host:
        await host.load(pegboard_search, name="search")
        for each in tools:
            host.register(each)
        yield host, await host.board("bench")


def searching(board: Board, *queries: str) -> Way:
    """A call of the search, for one query after the other."""
    given = cycle(queries)

    async def search() -> None:
        (await board.call("tools_search", {"query": next(given)})).unwrap()

    return search


def scanning(tools: list[Tool]) -> Way:
    """What does without an index: read every tool, and count the words that are in it."""
    given = cycle(REQUESTS)

    async def scan() -> list[str]:
        wanted = telling(words(next(given)))
        texts = [(each.name, Texts.of(each.name, each)) for each in tools]
        scores = [(_score(text, wanted), name) for name, text in texts]
        return [name for _, name in sorted(scores, reverse=True)[:LIMIT]]

    return scan


def scanning_what_was_read(tools: list[Tool]) -> Way:
    """The same over texts that were read before."""
    given = cycle(REQUESTS)
    texts = [(each.name, Texts.of(each.name, each)) for each in tools]

    async def scan() -> list[str]:
        wanted = telling(words(next(given)))
        scores = [(_score(text, wanted), name) for name, text in texts]
        return [name for _, name in sorted(scores, reverse=True)[:LIMIT]]

    return scan


def _score(text: Texts, wanted: list[str]) -> int:
    return sum(
        3 * (each in text.name) + (each in text.says) + (each in text.takes) for each in wanted
    )


def changing(host: Host, board: Board, tool: Tool) -> Way:
    """A search after one tool has come, and one after it has gone."""

    async def change() -> None:
        with host.register(tool):
            await board.call("tools_search", {"query": REQUESTS[0]})
        await board.call("tools_search", {"query": REQUESTS[0]})

    return change


def first(host: Host) -> Way:
    """The first search of a new board, which makes its index."""

    async def search() -> None:
        async with host.board() as board:
            (await board.call("tools_search", {"query": REQUESTS[0]})).unwrap()

    return search


async def test_a_search_among_500_tools_takes_less_than_5_ms_and_than_a_scan(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tools = tools_of_services()
    async with a_board(tools[:MANY]) as (host, board):
        ways = {
            "a search": searching(board, *REQUESTS),
            "for all requests in one": searching(board, WORST),
            "a scan that reads every tool": scanning(tools[:MANY]),
            "a scan of what was read before": scanning_what_was_read(tools[:MANY]),
            "two, after a tool came and went": changing(host, board, tools[MANY]),
            "the first of a new board": first(host),
        }
        for way in ways.values():
            await way()
        figures = (await measure(ways, rounds=15, warming=2)).per(1000)

    _tell(figures, capsys)
    assert figures.microseconds("a search") < MOST_MS
    assert figures.microseconds("for all requests in one") < MOST_MS
    assert figures.ratio("a search", "a scan that reads every tool") < 0.2


async def test_a_search_does_not_grow_with_the_tools_that_have_nothing_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    schema = {"type": "object", "properties": {"thing": {"type": "string"}}}
    more = [
        Tool(
            name=f"unrelated_{number}",
            description="Polish gems.",
            parameters=schema,
            run=print,
            defer_loading=True,
        )
        for number in range(5_000)
    ]
    some = tools_of_services()[:MANY]
    async with a_board(some) as (_, few), a_board([*some, *more]) as (_, many):
        ways = {"500 tools": searching(few, *REQUESTS), "5,500 tools": searching(many, *REQUESTS)}
        for way in ways.values():
            await way()
        figures = (await measure(ways, rounds=15, warming=2)).per(1000)

    _tell(figures, capsys)
    assert figures.ratio("5,500 tools", "500 tools") < 3


def _tell(figures: Figures, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        beside = next(iter(figures.rounds))
        print("\n\n" + figures.table("searching for tools", beside, unit="ms"))

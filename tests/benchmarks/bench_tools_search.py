"""A search for tools: beside a scan of the same tools, and how much of a host's time it takes."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pegboard_search
import pytest
from pegboard import Board, Host, Tool
from pegboard_house import ORIGINAL
from pegboard_plenty import plenty
from pegboard_plenty import requests as asked_of_real_ones
from pegboard_services import FILE, tools_of_services
from search_ways import scanning, scanning_what_was_read, searching
from side_by_side import Figures, Way, measure

MANY = 500
MOST_MS = 5
REQUESTS = [
    line.partition(" | ")[0]
    for line in FILE.with_name("requests.txt").read_text(encoding="utf-8").splitlines()
]
PREPARED = ORIGINAL.get("PEGBOARD_ECOSYSTEM")
"""The folder with real servers, as `tests/ecosystem/prepare.py` fills it."""

REAL = "real"
KINDS = ["made-up", REAL] if PREPARED else ["made-up"]


@asynccontextmanager
async def a_board(tools: Iterable[Tool]) -> AsyncIterator[tuple[Host, Board]]:
    """A board with these tools, that may be searched."""
    async with Host(discover=False) as host:
        await host.load(pegboard_search, name="search")
        for each in tools:
            host.register(each)
        yield host, await host.board("bench")


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


def all_in_one(requests: list[str]) -> str:
    """All requests in one: many words, and hardly a tool that has none of them."""
    return " ".join(f"{each} {number}" for number, each in enumerate(requests))


async def tools_of(kind: str, work: Path) -> list[Tool]:
    """More than 500 tools of a kind, each marked to be found."""
    if kind != REAL:
        return tools_of_services()
    async with plenty(Path(str(PREPARED)), work) as (_, board):
        return [
            attrs.evolve(tool, name=name, run=print)
            for name, tool in board.tools.items()
            if tool.defer_loading
        ]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_search_among_500_tools_takes_less_than_5_ms_and_than_a_scan(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requests = [each.asked for each in asked_of_real_ones()] if kind == REAL else REQUESTS
    tools = await tools_of(kind, tmp_path)
    some = {each.name: each for each in tools[:MANY]}
    async with a_board(some.values()) as (host, board):
        ways = {
            "a search": searching(board, requests),
            "for all requests in one": searching(board, [all_in_one(requests)]),
            "a scan that reads every tool": scanning(some, requests),
            "a scan of what was read before": scanning_what_was_read(some, requests),
            "two, after a tool came and went": changing(host, board, tools[MANY]),
            "the first of a new board": first(host),
        }
        for way in ways.values():
            await way()
        figures = (await measure(ways, rounds=15, warming=2)).per(1000)

    _tell(f"searching among {MANY} {kind} tools", figures, capsys)
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
        ways = {"500 tools": searching(few, REQUESTS), "5,500 tools": searching(many, REQUESTS)}
        for way in ways.values():
            await way()
        figures = (await measure(ways, rounds=15, warming=2)).per(1000)

    _tell("searching for tools", figures, capsys)
    assert figures.ratio("5,500 tools", "500 tools") < 3


def _tell(title: str, figures: Figures, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        beside = next(iter(figures.rounds))
        print("\n\n" + figures.table(title, beside, unit="ms"))

"""A search among hundreds of real tools: those of many servers, and of pegboard's own plugins."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest
from pegboard import Board
from pegboard_house.hermetic import hermetic
from pegboard_plenty import kept_definitions, plenty, requests
from search_ways import LIMIT, scanning, searching
from side_by_side import Figures, measure

pytestmark = pytest.mark.xdist_group("plenty")

REQUESTS = requests()
AS_ASKED = {each.asked: each.right for each in REQUESTS}
AS_SEARCHED = {each.query: each.right for each in REQUESTS}
Found = Mapping[str, list[str]]


@attrs.frozen
class Seen:
    """What was seen of a board with hundreds of tools.

    Attributes:
        tools: the names of its tools.
        different: how many of them differ in more than their names.
        found: what it finds for every query.
        found_among_more: the same with the definitions that were kept.
        figures: what a search takes, and a scan.
    """

    tools: frozenset[str]
    different: int
    found: Found
    found_among_more: Found
    figures: Figures


@pytest.fixture(scope="module")
def seen(
    prepared: Path, shared_definitions: Path, tmp_path_factory: pytest.TempPathFactory
) -> Seen:
    """All that the tests ask of one board, since its servers take long to start."""
    work = tmp_path_factory.mktemp("plenty")
    with hermetic(tmp_path_factory.mktemp("home")):
        return asyncio.run(looked_at(prepared, work, shared_definitions))


async def looked_at(prepared: Path, work: Path, kept: Path) -> Seen:
    async with plenty(prepared, work) as (host, board):
        tools = dict(board.tools)
        found = await found_on(board)
        ways = {"search": searching(board, AS_ASKED), "scan": scanning(tools, AS_ASKED)}
        figures = await measure(ways, rounds=3, warming=1)
        for each in kept_definitions(kept):
            host.register(each)
        return Seen(
            frozenset(tools),
            len({(each.description, str(each.parameters)) for each in tools.values()}),
            found,
            await found_on(board),
            figures,
        )


async def found_on(board: Board) -> Found:
    """The first five names that a board finds for every query."""
    found = {}
    for query in [*AS_ASKED, *AS_SEARCHED]:
        value = (await board.call("tools_search", {"query": query})).unwrap()
        found[query] = [each["name"] for each in value["tools"]][:LIMIT]
    return found


def missed(found: Found, queries: Mapping[str, frozenset[str]]) -> list[str]:
    """The queries for which no right tool was found, and what was."""
    return [
        f"{query}: {', '.join(found[query])} instead of {' or '.join(sorted(right))}"
        for query, right in queries.items()
        if not right & set(found[query])
    ]


def test_there_are_fifty_requests_each_for_other_tools() -> None:
    names = [name for each in REQUESTS for name in each.right]

    assert len(AS_ASKED) == len(AS_SEARCHED) == 50
    assert len(set(names)) == len(names)


def test_there_are_five_hundred_different_tools_and_every_right_one_is_among_them(
    seen: Seen,
) -> None:
    assert seen.different >= 500
    assert {name for each in REQUESTS for name in each.right} <= seen.tools


def test_at_least_45_of_50_requests_find_a_right_tool_among_the_first_five(seen: Seen) -> None:
    wrong = missed(seen.found, AS_SEARCHED)

    assert len(wrong) <= 5, "\n".join([f"{len(wrong)} of 50 missed", *wrong])


@pytest.mark.shared
def test_as_many_do_among_the_definitions_that_were_kept_too(seen: Seen) -> None:
    wrong = missed(seen.found_among_more, AS_SEARCHED)

    assert len(wrong) <= 5, "\n".join([f"{len(wrong)} of 50 missed", *wrong])


def test_whole_sentences_of_people_still_find_most(seen: Seen) -> None:
    wrong = missed(seen.found, AS_ASKED)

    assert len(wrong) <= 20, "\n".join([f"{len(wrong)} of 50 missed", *wrong])


def test_a_search_takes_little_of_what_reading_every_tool_takes(seen: Seen) -> None:
    assert seen.figures.ratio("search", "scan") < 0.2

"""The index follows the tools, and ranks them."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import PegboardError, Tool
from pegboard_search import index
from pegboard_search.index import Index
from pegboard_search.texts import Texts
from pegboard_search.words import telling, words

Made = Callable[..., Tool]


@pytest.fixture
def found() -> Iterator[Index]:
    """An index."""
    made = Index()
    yield made
    made.close()


def following(found: Index, *tools: Tool) -> None:
    """Have an index follow these tools."""
    asyncio.run(found.follow({each.name: each for each in tools}))


def test_a_name_counts_more_than_what_is_said_and_that_more_than_a_parameter(
    found: Index, made: Made
) -> None:
    following(
        found,
        made("a", "Something else.", {"invoice": {}}),
        made("b", "Something for an invoice."),
        made("invoice", "Something."),
    )

    assert found.ranked(["invoice"], most=9) == ["invoice", "b", "a"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("list requests", ["list_requests", "lab_list_merge_requests"]),
        ("Lab merge request list", ["lab_list_merge_requests"]),
        ("list requests of users", []),
        ("requests", []),
        ("list list", []),
        (" ".join(["list", "requests", *(f"w{n}" for n in range(20))]), []),
    ],
)
def test_names_that_hold_every_word_of_a_query_are_told_the_shortest_first(
    found: Index, made: Made, query: str, named: list[str]
) -> None:
    said = "Merge requests of the lab, and a list of requests: list requests."
    names = ["lab_list_merge_requests", "list_requests", "get_merge_request", "requests"]
    following(found, *(made(each, said) for each in names))

    assert found.named(telling(words(query.lower())), most=9) == named


@pytest.mark.parametrize(
    "properties",
    [
        {"zebra": {}},
        {"x": {"description": "A zebra."}},
        {"x": {"enum": ["horse", "zebra"]}},
        {"x": {"const": "zebra"}},
        {"x": {"items": {"anyOf": [{"type": "null"}, {"properties": {"zebra": {}}}]}}},
    ],
    ids=["name", "description", "enum", "const", "deep inside"],
)
def test_what_a_tool_takes_is_searched(found: Index, made: Made, properties: Any) -> None:
    following(found, made("a", "A.", properties), made("b", "B."))

    assert found.ranked(["zebra"], most=9) == ["a"]


def test_a_default_is_not_searched_and_words_match_whatever_their_endings(
    found: Index, made: Made
) -> None:
    following(found, made("a", "Listing invoices.", {"x": {"default": "zebra"}}))

    assert found.ranked(["zebra"], most=9) == []
    assert [found.ranked([each], most=9) for each in ("list", "invoiced", "invoice")] == [["a"]] * 3


@pytest.mark.parametrize("word", ["warmer", "rainy", "calen", "café"])
def test_a_word_that_nobody_uses_stands_for_those_that_begin_so_or_for_its_own_beginning(
    found: Index, made: Made, word: str
) -> None:
    following(found, made("a", "Warm rain on the calendar of the cafe."), made("b", "Poland."))

    assert found.ranked([word], most=9) == ["a"]


def test_an_index_without_tools_finds_nothing() -> None:
    assert Index().ranked(["a"], most=9) == Index().begun(["a"], most=9) == []


def test_tools_that_come_change_and_go_are_followed_and_those_that_stay_are_not_read_again(
    found: Index, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = Texts.of

    def of(name: str, tool: Tool) -> Texts:
        read.append(name)
        return real(name, tool)

    monkeypatch.setattr(Texts, "of", of)
    following(found, made("a", "Alpha."), made("b", "Beta."), made("c", "Gamma."))
    following(found, made("a", "Alpha."), made("b", "Delta."), made("d", "Gamma."))

    assert read == ["a", "b", "c", "b", "d"]
    hits = {word: found.ranked([word], most=9) for word in ("alpha", "beta", "gamma", "delta")}
    assert hits == {"alpha": ["a"], "beta": [], "gamma": ["d"], "delta": ["b"]}


@given(st.lists(st.sets(st.sampled_from("abcdef")), max_size=6))
def test_whatever_comes_and_goes_the_index_has_what_is_there(states: list[set[str]]) -> None:
    schema: Any = {"type": "object"}
    found = Index()
    for state in states:
        following(
            found, *(Tool(name=each, description="Common.", parameters=schema) for each in state)
        )

        assert found.ranked(["common"], most=9) == sorted(state)
    found.close()


async def test_building_a_large_index_lets_others_go_on(found: Index, made: Made) -> None:
    ticks: list[int] = []

    async def tick() -> None:
        while True:
            ticks.append(0)
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await found.follow({f"t{n}": made(f"t{n}", "Common.") for n in range(500)})
    ticking.cancel()

    assert len(ticks) >= 9
    assert len(found.ranked(["common"], most=999)) == 500


async def test_an_index_whose_building_was_cancelled_goes_on_from_there(
    found: Index, made: Made
) -> None:
    tools = {f"t{n}": made(f"t{n}", "Common.") for n in range(200)}
    building = asyncio.create_task(found.follow(tools))
    await asyncio.sleep(0)
    building.cancel()
    await asyncio.wait([building])
    before = len(found.ranked(["common"], most=999))
    await found.follow(tools)

    assert 0 < before < 200
    assert len(found.ranked(["common"], most=999)) == 200


def test_a_tool_with_very_much_to_say_is_searched_by_its_beginning(
    found: Index, made: Made
) -> None:
    deep: Any = {"description": "zebra"}
    for _ in range(100):
        deep = {"anyOf": [deep, {"enum": ["x"] * 100}]}
    following(found, made("a", "needle " + "hay " * 200_000 + "late", {"x": deep}))

    assert found.ranked(["needle"], most=9) == ["a"]
    assert found.ranked(["late"], most=9) == []


@given(st.text(max_size=200))
def test_no_text_is_syntax(text: str) -> None:
    schema: Any = {"type": "object"}
    found = Index()
    following(found, Tool(name="a", description=text, parameters=schema))

    found.ranked(words(text), most=9)
    found.begun(words(text), most=9)
    found.close()


def test_a_sqlite_without_fts5_is_refused_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_MADE", "CREATE VIRTUAL TABLE tools USING fts6(a)")

    with pytest.raises(PegboardError, match=r"needs FTS5.*no such module.*block the plugin"):
        index.check_fts5()

"""A search finds what its board may see at that moment, and nothing else."""

import asyncio
from collections.abc import Callable
from typing import Any

import pegboard_search
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Board, Config, Host, Registration, Select, Tool, ToolConfig, hookimpl
from pegboard_cases import named

Made = Callable[..., Tool]
SECRET = "zebra"


def zebra(name: str) -> Tool:
    """A tool that waits to be found."""
    schema: Any = {"type": "object"}
    shared: Any = {"parameters": schema, "run": print, "defer_loading": True}
    return Tool(name=name, description="Zebra.", **shared)


def hidden(host: Host, name: str) -> Registration:
    """Hide a tool that need not be there."""
    return host.restrict(deny=[f"{name}*"])


async def found_on(board: Board, query: str = SECRET) -> list[str]:
    """The names that a search on a board finds."""
    value = (await board.call("tools_search", {"query": query, "limit": 20})).unwrap()
    return [each["name"] for each in value["tools"]]


@pytest.mark.parametrize(
    "mask",
    [
        {"deny": ["zebra_*"]},
        {"deny": ["zebra_find"]},
        {"allow": ["tools_*", "horse"]},
        {"deny": [Select(tags={"striped"})]},
    ],
    ids=["pattern", "name", "allow", "select"],
)
async def test_what_is_masked_is_neither_found_nor_named(desk: Any, made: Made, mask: Any) -> None:
    tools = [made("zebra_find", "Zebra.", tags={"striped"}), made("horse", "Horse.")]
    async with desk(*tools, board=mask) as it:
        values = [await it.value(each) for each in ("zebra", "zebra_find", "zebra_fin", "zeb")]

    assert "zebra" not in repr(values)


async def test_a_mask_that_comes_and_goes_counts_for_the_next_search(desk: Any, made: Made) -> None:
    async with desk(made("zebra_find", "Zebra.")) as it:
        seen = [await it.names("zebra")]
        with it.host.restrict(deny=["zebra_*"]):
            seen.append(await it.names("zebra"))
        seen.append(await it.names("zebra"))

    assert seen == [["zebra_find"], [], ["zebra_find"]]


async def test_nothing_of_another_board_is_found(desk: Any, made: Made) -> None:
    async with desk() as it:
        other = await it.host.board("other")
        other.register(made("zebra_find", "Zebra."))
        it.board.register(made("horse_find", "Horse."))

        assert (await found_on(other), await found_on(it.board)) == (["zebra_find"], [])
        assert await found_on(it.board, "find") == ["horse_find"]


async def test_of_a_shadowed_tool_only_the_nearer_one_is_searched(desk: Any, made: Made) -> None:
    async with desk(made("animal", "Zebra.")) as it:
        with it.board.register(made("animal", "Horse.")):
            nearer = await it.names("zebra"), await it.names("horse")
        farther = await it.names("zebra"), await it.names("horse")

    assert (nearer, farther) == (([], ["animal"]), (["animal"], []))


async def test_what_comes_is_found_and_what_goes_is_not(desk: Any, made: Made) -> None:
    async with desk(made("horse", "Horse.")) as it:
        with it.host.register(made("zebra_find", "Zebra.")):
            during = await it.names("zebra")
        after = await it.value("zebra_find")

    assert during == ["zebra_find"]
    assert after["tools"] == []


async def test_what_was_found_and_goes_is_gone_and_is_shown_again_when_it_comes_back(
    desk: Any, made: Made
) -> None:
    class Zebras:
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            return [made("zebra_find", "Zebra.")]

    async with desk(made("horse", "Horse.")) as it:
        for _ in range(2):
            await it.host.load(Zebras(), name="zebras")
            found = await it.names("zebra"), it.said
            report = await it.host.unload("zebras")
            gone = await it.names("zebra"), it.said

            assert found == (["zebra_find"], ["zebra_find", "tools_search"])
            assert gone == ([], ["tools_search"])
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())
        it.host.register(made("zebra_find", "Zebra."))

        assert it.said == ["zebra_find", "tools_search"]


async def test_a_tool_that_the_operator_marks_is_found_in_the_operators_words(desk: Any) -> None:
    tools = {"horse": ToolConfig(defer_loading=True, description="Zebra.")}
    async with desk(named("horse"), config=Config(tools=tools)) as it:
        before = it.said, await it.names("zebra")
        await it.host.sync(Config(tools={"horse": ToolConfig(defer_loading=True)}))
        after = await it.names("zebra")

    assert (before, after) == ((["tools_search"], ["horse"]), [])


async def test_a_board_that_may_not_search_is_shown_everything(desk: Any, made: Made) -> None:
    async with desk(made("zebra", "Zebra."), board={"deny": ["tools_*"]}) as it:
        outcome = await it.outcome("zebra")

        assert it.said == ["zebra"]
        assert outcome.is_error


async def test_searches_on_many_boards_at_once_find_what_each_of_them_has(
    desk: Any, made: Made
) -> None:
    async with desk() as it:
        boards = [await it.host.board(f"b{number}") for number in range(8)]
        for number, board in enumerate(boards):
            for each in range(60):
                board.register(made(f"own_{number}_{each}", f"Zebra{number}."))
        searches = [found_on(board, f"zebra{n}") for n, board in enumerate(boards) for _ in "ab"]
        found = await asyncio.gather(*searches)

    assert [len(each) for each in found] == [20] * 16
    for number, names in enumerate(found):
        assert all(name.startswith(f"own_{number // 2}_") for name in names)


async def test_searches_on_one_board_at_once_find_each_tool_once(desk: Any, made: Made) -> None:
    tools = [made(f"zebra_{number}", "Zebra.") for number in range(300)]
    async with desk(*tools) as it:
        found = await asyncio.gather(*(it.names("zebra", limit=20) for _ in range(10)))

    assert {tuple(each) for each in found} == {tuple(found[0])}
    assert len(set(found[0])) == 20


async def test_tools_that_come_and_go_while_it_searches_leave_no_wrong_answer(
    desk: Any, made: Made
) -> None:
    tools = [made(f"zebra_{number}", "Zebra.") for number in range(200)]

    async def come_and_go(host: Host) -> None:
        for number in range(200):
            with host.register(made(f"pony_{number}", "Zebra.")):
                await asyncio.sleep(0)

    async with desk(*tools) as it:
        moving = asyncio.create_task(come_and_go(it.host))
        while not moving.done():
            assert len(await it.names("pony zebra", limit=20)) == 20
            await asyncio.sleep(0)
        assert not [name for name in await it.names("pony zebra", limit=20) if "pony" in name]


COME = ["come", "go", "hide", "show"]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(COME)), max_size=12))
async def test_whatever_comes_goes_or_is_hidden_the_search_and_the_board_agree(
    changes: list[tuple[str, str]],
) -> None:
    async with Host(discover=False) as host:
        await host.load(pegboard_search, name="search")
        board = await host.board("case")
        held: dict[tuple[str, bool], Registration] = {}
        for name, change in changes:
            key = name, change in ("come", "go")
            if change in ("go", "show") and key in held:
                held.pop(key).close()
            elif change in ("come", "hide") and key not in held:
                held[key] = (
                    host.register(zebra(name)) if key[1] else host.restrict(deny=[f"{name}*"])
                )
            visible = [each for each in board.tools if each != "tools_search"]
            assert await found_on(board) == sorted(visible)

"""How deferred tools show: in the providers' shapes, to programs, in explanations and notices."""

import asyncio
from typing import Any

import attrs
import pegboard.blocking
import pytest
from pegboard import formats
from pegboard_cases import named
from pegboard_finding import FINDER, RARE, SCARCE, USUAL, Finding, finding, said, waiting
from pegboard_programs import Inside, Runtime, running

SHAPES = ["anthropic", "openai", "openai_responses", "gemini", "mcp", "pi"]
OWN_SEARCH = ["anthropic", "openai_responses"]


def marks(definitions: list[Any]) -> dict[str, bool]:
    """By name, whether a provider is told to find it later."""
    return {each["name"]: each.get("defer_loading", False) for each in definitions}


@pytest.mark.parametrize("shape", SHAPES)
async def test_no_shape_shows_what_waits_to_be_found(shape: str) -> None:
    module = getattr(formats, shape)
    async with finding(USUAL, RARE) as (_, board, deferral):
        before = repr(module.definitions(board)), board.encoded_definitions(shape).decode()
        deferral.show(["rare"])
        after = repr(module.definitions(board)), board.encoded_definitions(shape).decode()

    assert ["rare" in each for each in (*before, *after)] == [False, False, True, True]
    assert "defer_loading" not in "".join(after)


@pytest.mark.parametrize("shape", OWN_SEARCH)
async def test_a_provider_that_searches_itself_gets_those_that_wait_with_their_mark(
    shape: str,
) -> None:
    module = getattr(formats, shape)
    async with finding(USUAL, RARE, SCARCE) as (_, board, deferral):
        before = marks(module.definitions(board, deferred=True))
        deferral.show(["rare"])
        after = marks(module.definitions(board, deferred=True))

    assert before == {"usual": False, "rare": True, "scarce": True}
    assert after == {"usual": False, "rare": False, "scarce": True}


@pytest.mark.parametrize("shape", OWN_SEARCH)
async def test_the_finder_is_no_tool_that_waits(shape: str) -> None:
    module = getattr(formats, shape)
    async with finding(USUAL, finder=FINDER) as (host, board, _):
        without = marks(module.definitions(board, deferred=True)), waiting(board)
        host.register(RARE)
        found = marks(module.definitions(board, deferred=True))

    assert without == ({"usual": False}, [])
    assert found == {"usual": False, "finder": False, "rare": True}


@pytest.mark.parametrize("shape", SHAPES)
async def test_nothing_is_lost_of_a_tool_that_was_found_for_its_mark(shape: str) -> None:
    async with finding(RARE) as (_, board, deferral):
        deferral.show(["rare"])
        losses = getattr(formats, shape).losses(board)

    assert "defer_loading" not in {each.what for each in losses}


async def test_a_call_that_a_provider_sends_of_a_waiting_tool_is_changed_back_and_runs() -> None:
    schema = {"type": "object", "properties": {"a b": {"type": "string"}}}
    tool = attrs.evolve(RARE, parameters=schema, run=lambda arguments, context: arguments)
    async with finding(tool) as (_, board, _deferral):
        (shown,) = formats.anthropic.definitions(board, deferred=True)
        (key,) = shown["input_schema"]["properties"]
        message = {"type": "tool_use", "id": "1", "name": "rare", "input": {key: "x"}}
        outcomes = await board.run(formats.anthropic.calls(message, board))

    assert outcomes[0].unwrap() == {"a b": "x"}


async def test_programs_are_told_of_what_was_found_from_the_next_one_on() -> None:
    plugin, told = Finding(FINDER), list[str]()

    async def program(inside: Inside) -> Any:
        told.append(inside.sdk.text)
        plugin.deferrals["case"].show(["rare"])
        return await inside.make("finder")

    async with pegboard.Host(discover=False) as host:
        await host.load(Runtime(program), name="runtime")
        await host.load(plugin, name="finding")
        host.register(RARE)
        board = await host.board("case", presentation="code")
        before = board.revision, board.sdk
        for _ in range(2):
            (await running(board)).unwrap()

        assert board.revision == before[0] + 1
        assert told == [before[1], board.sdk]
        assert ["def rare(" in each for each in told] == [False, True]
        assert all("def finder(" in each for each in told)


async def test_a_tool_that_waits_says_so_in_its_explanation() -> None:
    async with finding(RARE) as (_, board, deferral):
        waits = board.explain("rare")
        deferral.show(["rare"])
        found = board.explain("rare")

    assert waits.visible
    assert "'rare' is shown to models once they have found it" in str(waits)
    assert "deferred" not in {each.kind for each in found.reasons}


async def test_a_finder_without_anything_to_find_says_so_in_its_explanation() -> None:
    async with finding(finder=FINDER) as (host, board, _):
        idle = str(board.explain("finder"))
        host.register(RARE)

        assert "'finder' is shown to models as soon as there is a tool for them to find" in idle
        assert "shown to models" not in str(board.explain("finder"))


async def test_hooks_are_told_of_what_was_found_and_not_of_what_comes_to_wait() -> None:
    told: list[str] = []
    async with finding(RARE) as (host, board, deferral):
        host.hook(tools_changed=lambda board: told.append(board.name))
        assert said(board) == []
        host.register(SCARCE)
        await asyncio.sleep(0.01)
        at_first = list(told)
        deferral.show(["rare"])
        await asyncio.sleep(0.01)

    assert (at_first, told) == ([], ["case"])


def test_a_board_without_async_says_what_waits_too() -> None:
    with pegboard.blocking.Host(discover=False) as host:
        plugin = Finding()
        host.load(plugin, name="finding")
        host.register(RARE)
        board = host.board("case")
        before = [each.name for each in board.deferred], list(board.definitions())
        plugin.deferrals["case"].show(["rare"])

        assert before == (["rare"], [])
        assert [each.name for each in board.definitions()] == ["rare"]
        assert board.deferred == ()
        assert formats.anthropic.definitions(board, deferred=True)[0]["name"] == "rare"


async def test_the_version_of_a_boards_tools_moves_with_what_is_visible_alone() -> None:
    plugin = Finding()
    async with pegboard.Host(discover=False) as host:
        await host.load(plugin, name="finding")
        host.register(RARE)
        await host.board("case")
        board, seen = plugin.boards["case"], list[int]()
        seen.append(board.tools_version)
        plugin.deferrals["case"].show(["rare"])
        seen.append(board.tools_version)
        host.register(named("new"))
        seen.append(board.tools_version)

    assert seen[0] == seen[1] != seen[2]

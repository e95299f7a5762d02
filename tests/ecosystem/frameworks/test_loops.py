"""An agent of each framework runs its loop over a board that changes under it."""

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import ModuleType

import pytest
from pegboard import Board, Deny, Host, Image, Text, Tool, ToolResult, tool
from pegboard_agents import PLAYERS, Calls, Script, calling

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)
Play = Callable[[Board, Script], Awaitable[Script]]


@pytest.fixture(params=list(PLAYERS))
def play(request: pytest.FixtureRequest) -> Play:
    return PLAYERS[request.param]


@tool
async def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


@tool
def early() -> str:
    """Say that it is early."""
    return "early"


@tool
async def late() -> str:
    """Say that it is late."""
    return "late"


def module(name: str, *tools: Tool) -> ModuleType:
    made = ModuleType(name)
    for each in tools:
        setattr(made, each.name, each)
    return made


@asynccontextmanager
async def a_board(*tools: Tool) -> AsyncIterator[tuple[Host, Board]]:
    async with Host(discover=False) as host:
        for each in tools:
            host.register(each)
        yield host, await host.board("agent")


async def test_a_value_reaches_the_model_as_text(play: Play) -> None:
    async with a_board(add) as (_, board):
        script = await play(board, Script([calling(("add", {"a": 3, "b": 4}), ("add", {"a": 1}))]))

    assert [each.text for each in script.told.values()] == ["7", "2"]
    assert not any(each.is_error for each in script.told.values())


async def test_a_tool_unloaded_after_it_was_offered_gives_an_error_result(play: Play) -> None:
    async with a_board() as (host, board):
        await host.load(module("mornings", early), name="mornings")

        async def unloading() -> Calls:
            await host.unload("mornings")
            return [("early", {})]

        script = await play(board, Script([calling(("early", {})), unloading]))

    assert script.told["call-1-1"].text == "early"
    assert "unknown tool 'early'" in script.told["call-2-1"].text
    assert script.told["call-2-1"].is_error is not False
    assert script.named("early") == [True, True, False]


async def test_a_call_of_a_tool_that_is_offered_no_more_gives_an_error_result(play: Play) -> None:
    async with a_board(add) as (host, board):
        await host.load(module("mornings", early), name="mornings")

        async def unloading() -> Calls:
            await host.unload("mornings")
            return [("add", {"a": 1})]

        script = await play(board, Script([unloading, calling(("early", {}), ("add", {"a": 2}))]))

    assert "early" in script.told["call-2-1"].text
    assert script.told["call-2-1"].is_error is not False
    assert script.told["call-2-2"].text == "3"


async def test_a_newly_loaded_tool_is_offered_and_answers(play: Play) -> None:
    async with a_board(add) as (host, board):

        async def loading() -> Calls:
            await host.load(module("evenings", late), name="evenings")
            return [("add", {"a": 1})]

        script = await play(board, Script([loading, calling(("late", {}))]))

    assert script.named("late") == [False, True, True]
    assert script.told["call-2-1"].text == "late"


async def test_a_denied_call_gives_an_error_result_however_often(play: Play) -> None:
    async with a_board(add) as (_, board):
        board.hook(before_call=lambda execution: Deny("not today"))
        step = calling(("add", {"a": 1}))

        script = await play(board, Script([step] * 6))

    assert len(script.told) == 6
    assert {each.text for each in script.told.values()} == {"Error: not today"}
    assert all(each.is_error is not False for each in script.told.values())


async def test_a_restricted_tool_is_neither_offered_nor_reached(play: Play) -> None:
    async with a_board(add, early) as (_, board):
        board.restrict(deny=["add"])

        script = await play(board, Script([calling(("add", {"a": 1}))]))

    assert script.named("add") == [False, False]
    assert "add" in script.told["call-1-1"].text
    assert script.told["call-1-1"].is_error is not False


@pytest.mark.parametrize("given", [{"a": "one"}, {}, {"a": 1, "c": 2, "aa": 3}], ids=str)
async def test_wrong_arguments_give_an_error_result(play: Play, given: dict[str, object]) -> None:
    async with a_board(tool(add.function, extra="forbid")) as (_, board):
        script = await play(board, Script([calling(("add", given))] * 5))

    assert len(script.told) == 5
    assert "$" in script.told["call-1-1"].text
    assert script.told["call-5-1"].is_error is not False


async def test_a_tool_that_crashes_gives_an_error_result(play: Play) -> None:
    @tool
    async def crash() -> None:
        """Crash."""
        raise SystemExit(3)

    async with a_board(crash) as (_, board):
        script = await play(board, Script([calling(("crash", {}))]))

    assert script.told["call-1-1"].text.startswith("Error: ")
    assert script.told["call-1-1"].is_error is not False


async def test_an_image_reaches_the_model_beside_text(play: Play) -> None:
    picture = Image(base64.b64encode(PIXEL).decode(), "image/png")

    @tool
    async def draw():  # type: ignore[no-untyped-def]  # nothing is said of the value
        """Draw a pixel."""
        return ToolResult("drawn", content=[Text("a pixel"), picture])

    async with a_board(draw) as (_, board):
        script = await play(board, Script([calling(("draw", {}))]))

    told = script.told["call-1-1"]
    assert (told.text, told.images) == ("a pixel", (PIXEL,))


async def test_calls_keep_the_ids_of_the_model(play: Play) -> None:
    seen = []
    async with a_board(add) as (_, board):
        board.hook(call_finished=lambda execution: seen.append(execution.call_id))

        await play(board, Script([calling(("add", {"a": 1}), ("add", {"a": 2}))]))

    assert seen == ["call-1-1", "call-1-2"]


@pytest.mark.parametrize("is_safe", [True, False])
async def test_calls_of_a_message_overlap_only_where_their_tools_allow_it(
    play: Play, is_safe: bool
) -> None:
    running, most = 0, 0

    @tool(concurrency_safe=is_safe)
    async def work(number: int) -> None:
        """Work."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1

    async with a_board(work) as (_, board):
        calls = [("work", {"number": number}) for number in range(4)]
        await play(board, Script([calling(*calls)]))

    assert most == (4 if is_safe else 1)


async def test_cancelling_the_run_cancels_the_call(play: Play) -> None:
    started, ended = asyncio.Event(), []

    @tool
    async def wait() -> None:
        """Wait."""
        started.set()
        await asyncio.Event().wait()

    async with a_board(wait) as (_, board):
        board.hook(call_finished=lambda outcome: ended.append(outcome.code))
        run = asyncio.ensure_future(play(board, Script([calling(("wait", {}))])))
        await started.wait()

        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    assert ended == ["aborted"]

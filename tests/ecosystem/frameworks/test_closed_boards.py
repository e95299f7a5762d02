"""A board or its host may be closed while an agent runs, and nothing is raised into the run."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agents import FunctionTool
from agents.tool_context import ToolContext
from langchain_core.tools import BaseTool, ToolException
from pegboard import Board, Host, tool
from pegboard import blocking as sync
from pegboard.frameworks import langchain, openai_agents
from pegboard_agents import PLAYERS, Calls, Script, langchain_agent

CALL: Any = {"type": "tool_call", "id": "call-7", "name": "add", "args": {"a": 1}}
Play = Callable[[Any, Script], Awaitable[Script]]


@pytest.fixture(params=list(PLAYERS))
def play(request: pytest.FixtureRequest) -> Play:
    return PLAYERS[request.param]


@tool
async def add(a: int) -> int:
    """Add one to a number."""
    return a + 1


def closing(close: Callable[[], Awaitable[object]]) -> Script:
    """Close while the model thinks, and then call what was offered."""

    async def step() -> Calls:
        await close()
        return [("add", {"a": 1})]

    return Script([step])


async def a_board(host: Host) -> Board:
    host.register(add)
    return await host.board("agent")


def told(script: Script) -> str:
    """What the model was told, if it was offered nothing afterwards."""
    assert script.shown == [["add"], []]
    [result] = script.told.values()
    assert result.is_error is not False
    return result.text


@pytest.mark.parametrize("whose", ["board", "host"])
async def test_a_call_on_a_board_that_was_closed_gives_an_error_result(
    play: Play, whose: str
) -> None:
    async with Host(discover=False) as host:
        board = await a_board(host)

        script = await play(board, closing(board.close if whose == "board" else host.close))

    assert told(script) == "Error: board 'agent' is closed"


@pytest.mark.parametrize("whose", ["board", "host"])
async def test_a_call_on_a_blocking_board_that_was_closed_gives_an_error_result(
    play: Play, whose: str
) -> None:
    host = await asyncio.to_thread(sync.Host(discover=False).open)
    host.register(add)
    board = host.board("agent")
    close = board.close if whose == "board" else host.close

    script = await play(board, closing(lambda: asyncio.to_thread(close)))
    await asyncio.to_thread(host.close)

    assert told(script) == "Error: board 'agent' is closed"


@pytest.mark.parametrize("whose", ["board", "host"])
def test_a_run_without_async_is_told_too(whose: str) -> None:
    with sync.Host(discover=False) as host:
        host.register(add)
        board = host.board("agent")
        [made] = langchain.tools(board)

        async def step() -> Calls:
            (board if whose == "board" else host).close()
            return [("add", {"a": 1})]

        state = langchain_agent(board, Script([step])).invoke({"messages": [("user", "go")]})

    assert state["messages"][-2].text == "Error: board 'agent' is closed"
    assert made.invoke(CALL).artifact["code"].startswith("aborted")


async def test_a_tool_of_a_list_says_that_its_board_is_closed() -> None:
    async with Host(discover=False) as host:
        board = await a_board(host)
        [made], [function] = langchain.tools(board), openai_agents.tools(board)
        await board.close()

        message = await made.ainvoke(CALL)
        text = await asyncio.wait_for(invoked(function), 10)

    assert (message.status, message.text) == ("error", text)
    assert message.artifact == {
        "code": "aborted_before_start",
        "details": {"reason": "board 'agent' is closed"},
    }


async def invoked(function: Any) -> Any:
    assert isinstance(function, FunctionTool)
    given = json.dumps({"a": 1})
    context = ToolContext(None, tool_name="add", tool_call_id="call-7", tool_arguments=given)
    return await function.on_invoke_tool(context, given)


async def test_a_tool_with_plain_arguments_raises_what_langchain_reads() -> None:
    async with Host(discover=False) as host:
        [made] = langchain.tools(await a_board(host))
        made.handle_tool_error = False

    with pytest.raises(ToolException, match="board 'agent' is closed"):
        await made.ainvoke({"a": 1})


@pytest.mark.parametrize(
    "tools", [langchain.tools, openai_agents.tools], ids=["langchain", "agents"]
)
async def test_a_closed_board_lists_no_tools(tools: Callable[[Any], list[BaseTool]]) -> None:
    async with Host(discover=False) as host:
        board = await a_board(host)
        before = tools(board)
        await board.close()

        assert (len(before), tools(board)) == (1, [])

    with sync.Host(discover=False) as other:
        other.register(add)
        closed = other.board("agent")
    assert tools(closed) == []

"""A board as LangChain tools, and a middleware that follows it."""

import asyncio
import base64
import threading
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import ToolException
from langchain_core.tools import tool as langchain_tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pegboard import (
    Audio,
    PegboardError,
    Resource,
    RunContext,
    Text,
    Tool,
    ToolResult,
    tool,
)
from pegboard import blocking as sync
from pegboard.frameworks.langchain import tools
from pegboard_agents import (
    Script,
    ScriptedChatModel,
    a_board,
    calling,
    langchain_agent,
    langchain_result,
    note,
    with_langchain,
)

GO = {"messages": [("user", "go")]}


@tool
async def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


def call_of(name: str, **arguments: Any) -> Any:
    return {"type": "tool_call", "id": "call-7", "name": name, "args": arguments}


async def results(agent: Any, **options: Any) -> list[ToolMessage]:
    state = await agent.ainvoke(GO, **options)
    return [each for each in state["messages"] if isinstance(each, ToolMessage)]


async def test_a_tool_shows_the_schema_of_the_board() -> None:
    async with a_board(add) as board:
        [made] = tools(board)
        shown = convert_to_openai_tool(made)["function"]

    assert (made.name, made.description) == ("add", "Add two numbers.")
    assert shown["parameters"]["required"] == ["a"]
    assert set(made.args) == {"a", "b"}


@pytest.mark.shared
async def test_the_schemas_of_real_tools_are_taken(real_tools: list[Tool]) -> None:
    async with a_board(*real_tools) as board:
        shown = [convert_to_openai_tool(each)["function"] for each in tools(board)]

    assert len(shown) == len(real_tools) > 60
    assert all(each["parameters"]["type"] == "object" for each in shown)


async def test_a_tool_without_description_and_arguments_is_taken() -> None:
    bare = Tool(name="bare", parameters={"type": "object"}, run=lambda arguments, context: 1)
    async with a_board(bare) as board:
        script = await with_langchain(board, Script([calling(("bare", {}))]))
        [made] = tools(board)
        shown = convert_to_openai_tool(made)["function"]

    assert script.told["call-1-1"].text == "1"
    assert (shown["name"], made.args) == ("bare", {})


async def test_a_call_of_a_model_gives_a_message_with_the_value_as_its_artifact() -> None:
    async with a_board(add) as board:
        message = await tools(board)[0].ainvoke(call_of("add", a=1))

    assert (message.content, message.artifact) == ('{"sum":2}', {"sum": 2})
    assert (message.tool_call_id, message.name, message.status) == ("call-7", "add", "success")


async def test_a_call_that_fails_gives_a_message_of_the_status_error() -> None:
    async with a_board(add) as board:
        message = await tools(board)[0].ainvoke(call_of("add", a="one"))

    assert message.status == "error"
    assert message.artifact == {"code": "invalid_arguments", "details": None}
    assert message.content.startswith("Error: ")


async def test_plain_arguments_give_the_content_or_the_text_of_the_failure() -> None:
    async with a_board(add) as board:
        [made] = tools(board)

        assert await made.ainvoke({"a": 1}) == '{"sum":2}'
        assert "$.a" in await made.ainvoke({"a": "one"})
        made.handle_tool_error = False
        with pytest.raises(ToolException, match=r"\$\.a"):
            await made.ainvoke({"a": "one"})


async def test_a_tool_that_went_away_gives_an_error() -> None:
    async with a_board(add) as board:
        [made] = tools(board)
        board.restrict(deny=["add"])

        message = await made.ainvoke(call_of("add", a=1))

    assert (message.status, message.artifact["code"]) == ("error", "unknown_tool")


async def test_arguments_may_have_names_that_langchain_uses_itself() -> None:
    @tool
    async def odd(config: str, run_manager: str, self: str, callbacks: str) -> str:
        """Say them all."""
        return config + run_manager + self + callbacks

    given = {"config": "a", "run_manager": "b", "self": "c", "callbacks": "d"}
    async with a_board(odd) as board:
        script = await with_langchain(board, Script([calling(("odd", given))]))
        message = await tools(board)[0].ainvoke(call_of("odd", **given))

    assert script.told["call-1-1"].text == message.content == "abcd"


async def test_contexts_and_files_follow_the_result() -> None:
    sound = base64.b64encode(b"sound").decode()
    page = Resource("file:///a.pdf", mime_type="application/pdf", data=sound)

    @tool
    async def play(context: RunContext):  # type: ignore[no-untyped-def]
        """Play."""
        context.defer({"played": 1})
        return ToolResult(1, content=[Text("played"), Audio(sound, "audio/wav"), page])

    async with a_board(play) as board:
        message = await tools(board)[0].ainvoke(call_of("play"))

    assert message.content == [
        {"type": "text", "text": "played"},
        {"type": "audio", "base64": sound, "mime_type": "audio/wav"},
        {"type": "text", "text": "[resource file:///a.pdf, application/pdf]"},
        {"type": "file", "base64": sound, "mime_type": "application/pdf"},
        {"type": "text", "text": '{"played":1}'},
    ]


async def test_an_agent_has_its_own_tools_beside_those_of_the_board() -> None:
    @langchain_tool
    def own() -> str:
        """Say whose this is."""
        return "own"

    async with a_board(add) as board:
        script = Script([calling(("own", {}), ("add", {"a": 1}))])
        told = await results(langchain_agent(board, script, own))

    assert script.shown[0] == ["add", "own"]
    assert [each.content for each in told] == ["own", '{"sum":2}']


async def test_a_tool_of_the_agent_hides_one_of_the_board() -> None:
    @langchain_tool("add")
    def own(a: int) -> str:
        """Add."""
        return "own"

    async with a_board(add) as board:
        script = Script([calling(("add", {"a": 1}))])
        told = await results(langchain_agent(board, script, own))

    assert (script.shown[0], [each.content for each in told]) == (["add"], ["own"])


async def test_tools_of_the_board_given_to_the_agent_are_offered_once_and_go_with_it() -> None:
    async with a_board(add) as board:
        script = Script([calling(("add", {"a": 1})), calling(("add", {"a": 1}))])
        agent = langchain_agent(board, script, *tools(board))
        board.hook(call_finished=lambda execution: board.restrict(deny=["add"]))
        told = await results(agent)

    assert script.shown == [["add"], [], []]
    assert [each.status for each in told] == ["success", "error"]


async def test_a_static_list_makes_an_agent_without_a_middleware() -> None:
    async with a_board(add) as board:
        script = Script([calling(("add", {"a": 1}), ("add", {"a": "one"}))])
        agent = create_agent(ScriptedChatModel(script=script), tools(board))
        told = await results(agent)

    assert [each.status for each in told] == ["success", "error"]


async def test_deps_are_those_that_the_run_gives() -> None:
    async with a_board(note) as board:
        script = Script([calling(("note", {"text": "it"}))])
        agent = langchain_agent(board, script, deps=lambda request: request.runtime.context)
        [told] = await results(agent, context="theirs")

    assert langchain_result(told).text == "theirs noted it\nit was noted"


async def test_a_call_that_concludes_ends_the_turn() -> None:
    @tool
    async def finish(context: RunContext) -> str:
        """Finish."""
        context.conclude()
        return "finished"

    async with a_board(finish, add) as board:
        script = await with_langchain(
            board, Script([calling(("finish", {}), ("add", {"a": 1})), calling(("add", {"a": 1}))])
        )

    assert len(script.shown) == 1
    assert len(script.told) == 2


async def test_a_board_on_a_loop_says_how_it_is_used_where_there_is_no_async() -> None:
    async with a_board(add) as board:
        [made] = tools(board)

        with pytest.raises(PegboardError, match="run the agent or the tool with async"):
            made.invoke(call_of("add", a=1))


def test_a_blocking_board_serves_tools_and_agents_without_async() -> None:
    with sync.Host(discover=False) as host:
        host.register(add)
        board = host.board("agent")
        script = Script([calling(("add", {"a": 1}), ("add", {"a": "x"}), ("gone", {}))])

        message = tools(board)[0].invoke(call_of("add", a=2))
        state = langchain_agent(board, script).invoke(GO)

    told = [each for each in state["messages"] if isinstance(each, ToolMessage)]
    assert message.content == '{"sum":3}'
    assert [each.status for each in told] == ["success", "error", "error"]


def test_calls_of_threads_overlap_only_where_their_tools_allow_it() -> None:
    running, most, lock = 0, 0, threading.Lock()

    @tool
    def work(number: int) -> None:
        """Work."""
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1

    with sync.Host(discover=False) as host:
        host.register(work)
        calls = [("work", {"number": number}) for number in range(4)]
        langchain_agent(host.board("agent"), Script([calling(*calls)])).invoke(GO)

    assert most == 1


def test_cancelling_an_async_run_over_a_blocking_board_cancels_the_call() -> None:
    ended: list[str] = []

    @tool
    async def wait() -> None:
        """Wait."""
        await asyncio.Event().wait()

    async def run(board: Any) -> None:
        async with asyncio.timeout(0.2):
            await tools(board)[0].ainvoke(call_of("wait"))

    with sync.Host(discover=False) as host:
        host.register(wait)
        host.hook(call_finished=lambda outcome: ended.append(outcome.code))
        with pytest.raises(TimeoutError):
            asyncio.run(run(host.board("agent")))

    assert ended == ["aborted"]

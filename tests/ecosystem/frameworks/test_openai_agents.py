"""A board as function tools of openai-agents, and an agent that follows it."""

import asyncio
import base64
from typing import Any

import pytest
from agents import Agent, FunctionTool, RunConfig, Runner, function_tool
from agents.exceptions import ModelBehaviorError
from agents.tool_context import ToolContext
from pegboard import Host, Image, Resource, Text, Tool, ToolResult, tool
from pegboard import blocking as sync
from pegboard.formats import openai_responses
from pegboard.frameworks.openai_agents import BoardAgent, tools
from pegboard_agents import Script, ScriptedModel, a_board, calling, note, with_openai_agents

QUIET = RunConfig(tracing_disabled=True)


@tool
async def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def invoked(made: Any, arguments: str, *, context: Any = None) -> Any:
    given = ToolContext(
        context, tool_name=made.name, tool_call_id="call-7", tool_arguments=arguments
    )
    return await made.on_invoke_tool(given, arguments)


def outputs(run: Any) -> list[Any]:
    items = run.to_input_list()
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


async def test_a_tool_is_shown_in_the_shape_of_openai() -> None:
    async with a_board(add) as board:
        [made] = tools(board)
        [shown] = openai_responses.definitions(board, strict=True)

    assert isinstance(made, FunctionTool)
    assert (made.name, made.description) == ("add", "Add two numbers.")
    assert (made.params_json_schema, made.strict_json_schema) == (shown["parameters"], True)


async def test_a_null_in_strict_mode_means_that_an_optional_argument_is_absent() -> None:
    async with a_board(add) as board:
        [made] = tools(board)

        assert await invoked(made, '{"a": 1, "b": null}') == "2"


async def test_a_schema_that_strict_mode_does_not_take_is_not_strict() -> None:
    @tool
    async def keep(values: dict[str, int]) -> int:
        """Keep values."""
        return len(values)

    async with a_board(keep) as board:
        [made] = tools(board)

        assert isinstance(made, FunctionTool)
        assert not made.strict_json_schema
        assert await invoked(made, '{"values": {"a": 1}}') == "1"


async def test_a_schema_that_openai_refuses_at_its_root_is_shown_as_it_takes_it() -> None:
    either = [{"required": ["a"]}, {"required": ["b"]}]
    numbers = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    schema = {"type": "object", "properties": numbers, "anyOf": either}
    raw = Tool(name="raw", parameters=schema, run=lambda given, context: given)
    async with a_board(raw) as board:
        [made] = tools(board)

        assert isinstance(made, FunctionTool)
        assert "anyOf" not in made.params_json_schema
        assert (await invoked(made, "{}")).startswith("Error: ")


@pytest.mark.shared
async def test_the_schemas_of_real_tools_are_taken(real_tools: list[Tool]) -> None:
    async with a_board(*real_tools) as board:
        made = [each for each in tools(board) if isinstance(each, FunctionTool)]

    assert len(made) == len(real_tools) > 60


async def test_a_call_gives_text_and_so_does_one_that_fails() -> None:
    async with a_board(add) as board:
        [made] = tools(board)

        assert await invoked(made, '{"a": 1}') == "2"
        assert (await invoked(made, '{"a": 1')).startswith("Error: ")
        board.restrict(deny=["add"])
        assert (await invoked(made, '{"a": 1}')).startswith("Error: unknown tool 'add'")


async def test_a_static_list_makes_an_agent_too() -> None:
    async with a_board(add) as board:
        script = Script([calling(("add", {"a": 1}), ("add", {"a": "one"}))])
        agent = Agent(name="scripted", model=ScriptedModel(script), tools=tools(board))
        run = await Runner.run(agent, "go", run_config=QUIET)

    assert outputs(run)[0] == "2"
    assert "$.a" in outputs(run)[1]


async def test_an_agent_has_its_own_tools_beside_those_of_the_board() -> None:
    @function_tool
    def own() -> str:
        """Say whose this is."""
        return "own"

    async with a_board(add) as board:
        script = Script([calling(("own", {}), ("add", {"a": 1}))])
        agent = BoardAgent(name="a", model=ScriptedModel(script), board=board, tools=[own])
        run = await Runner.run(agent, "go", run_config=QUIET)

    assert script.shown[0] == ["add", "own"]
    assert outputs(run) == ["own", "2"]


async def test_a_tool_of_the_agent_hides_one_of_the_board() -> None:
    @function_tool(name_override="add")
    def own() -> str:
        """Say whose this is."""
        return "own"

    async with a_board(add) as board:
        script = Script([calling(("add", {}))])
        agent = BoardAgent(name="a", model=ScriptedModel(script), board=board, tools=[own])
        run = await Runner.run(agent, "go", run_config=QUIET)

    assert (script.shown[0], outputs(run)) == (["add"], ["own"])


async def test_a_clone_follows_the_same_board() -> None:
    async with a_board(add) as board:
        script = Script([calling(("add", {"a": 1}))])
        agent = BoardAgent(name="a", model=ScriptedModel(script), board=board)
        run = await Runner.run(agent.clone(instructions="be brief"), "go", run_config=QUIET)

    assert outputs(run) == ["2"]


async def test_a_handed_over_agent_has_its_own_board() -> None:
    async with Host(discover=False) as host:
        one, other = await host.board("one"), await host.board("other")
        one.register(add)
        other.register(note)
        inner = Script([calling(("note", {"text": "it"}))])
        outer = Script([calling(("transfer_to_inner", {}))], name="outer")
        second = BoardAgent(name="inner", model=ScriptedModel(inner), board=other)
        first = BoardAgent(name="outer", model=ScriptedModel(outer), board=one, handoffs=[second])
        await Runner.run(first, "go", run_config=QUIET)

    assert (outer.shown, inner.shown) == ([["add"]], [["note"], ["note"]])


async def test_deps_are_those_of_the_board_or_those_that_the_run_gives() -> None:
    async with a_board(note) as board:
        [own] = tools(board)
        [theirs] = tools(board, deps=lambda context: context.context)
        given = '{"text": "it"}'
        texts = [await invoked(each, given, context="theirs") for each in (own, theirs)]

    assert texts == ["ours noted it\nit was noted", "theirs noted it\nit was noted"]


async def test_images_and_files_are_what_openai_takes() -> None:
    data = base64.b64encode(b"pixel").decode()
    page = Resource("a.pdf", mime_type="application/pdf", data=data)

    @tool
    async def draw():  # type: ignore[no-untyped-def]  # nothing is said of the value
        """Draw."""
        return ToolResult(1, content=[Text("drawn"), Image(data, "image/png"), page])

    async with a_board(draw) as board:
        script = Script([calling(("draw", {}))])
        agent = BoardAgent(name="a", model=ScriptedModel(script), board=board)
        [output] = outputs(await Runner.run(agent, "go", run_config=QUIET))

    assert output == [
        {"type": "input_text", "text": "drawn"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{data}"},
        {"type": "input_text", "text": "[resource a.pdf, application/pdf]"},
        {
            "type": "input_file",
            "file_data": f"data:application/pdf;base64,{data}",
            "filename": "a.pdf",
        },
    ]


async def test_a_name_that_is_not_offered_is_for_the_configuration_of_the_run() -> None:
    async with a_board(add) as board:
        script = Script([calling(("gone", {}))])
        agent = BoardAgent(name="a", model=ScriptedModel(script), board=board)
        with pytest.raises(ModelBehaviorError, match="gone"):
            await Runner.run(agent, "go", run_config=QUIET)

        told = await with_openai_agents(board, Script([calling(("gone", {}))]))

    assert "gone" in told.told["call-1-1"].text


def test_a_blocking_board_serves_an_agent_in_a_script() -> None:
    script = Script([calling(("add", {"a": 1}))])
    with sync.Host(discover=False) as host:
        host.register(add)
        agent = BoardAgent(name="a", model=ScriptedModel(script), board=host.board("agent"))

        run = asyncio.run(Runner.run(agent, "go", run_config=QUIET))

    assert outputs(run) == ["2"]

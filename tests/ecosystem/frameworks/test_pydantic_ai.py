"""A board as a toolset of pydantic-ai."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    Board,
    Image,
    Resource,
    Text,
    ToolAnnotations,
    ToolResult,
    tool,
)
from pegboard import blocking as sync
from pegboard.frameworks.pydantic_ai import BoardToolset
from pegboard_agents import Script, a_board, calling, note, with_pydantic_ai
from pydantic_ai import Agent, BinaryContent, ModelRequest, ToolReturnPart
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.test import TestModel


@tool(tags=["sums"], annotations=ToolAnnotations(read_only=True))
async def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


async def definitions(board: Board) -> dict[str, Any]:
    model = TestModel(call_tools=[])
    await Agent(model, toolsets=[BoardToolset(board)]).run("go")
    assert model.last_model_request_parameters is not None
    return {each.name: each for each in model.last_model_request_parameters.function_tools}


def returns(messages: Any) -> list[ToolReturnPart]:
    parts = [part for each in messages if isinstance(each, ModelRequest) for part in each.parts]
    return [part for part in parts if isinstance(part, ToolReturnPart)]


async def test_a_definition_says_what_the_board_knows() -> None:
    async with a_board(add, note) as board:
        shown = await definitions(board)
        parameters = board.tools["add"].parameters

    assert shown["add"].description == "Add two numbers."
    assert shown["add"].parameters_json_schema == parameters
    assert shown["add"].metadata == {"annotations": {"read_only": True}, "tags": ["sums"]}
    assert (shown["add"].strict, shown["add"].sequential) == (False, False)
    assert shown["note"].sequential


async def test_a_test_model_calls_every_tool() -> None:
    async with a_board(add, note) as board:
        run = await Agent(TestModel(), toolsets=[BoardToolset(board)]).run("go")

    assert [part.outcome for part in returns(run.all_messages())] == ["success", "success"]


async def test_the_value_is_metadata_and_the_messages_can_be_stored() -> None:
    async with a_board(add) as board:
        run = await Agent(TestModel(), toolsets=[BoardToolset(board)]).run("go")

    stored = ModelMessagesTypeAdapter.validate_json(run.all_messages_json())
    [part] = returns(stored)
    assert part.metadata == {"value": 1, "meta": None, "notes": [], "concludes": False}


async def test_contexts_follow_the_results() -> None:
    async with a_board(note) as board:
        run = await Agent(TestModel(), toolsets=[BoardToolset(board)]).run("go")

    parts = [part for each in run.all_messages() for part in each.parts]
    assert [part.content for part in parts if part.part_kind == "user-prompt"] == [
        "go",
        ["a was noted"],
    ]


async def test_files_are_binary_and_what_is_no_base64_is_told_in_words() -> None:
    page = Resource("a.pdf", mime_type="application/pdf", data="cGFnZQ==")
    rest = Resource("a.bin", data="cGFnZQ==")

    @tool
    async def show():  # type: ignore[no-untyped-def]  # nothing is said of the value
        """Show."""
        return ToolResult(1, content=[Text("see"), page, Image("!", "image/png"), rest])

    async with a_board(show) as board:
        run = await Agent(TestModel(), toolsets=[BoardToolset(board)]).run("go")

    [part] = returns(run.all_messages())
    assert part.content == [
        "see",
        "[resource a.pdf, application/pdf]",
        BinaryContent(b"page", media_type="application/pdf"),
        "[image left out: image/png, 0 bytes]",
        "[resource left out: a.bin, 4 bytes]",
    ]


async def test_deps_are_those_of_the_board_or_those_that_the_run_gives() -> None:
    async with a_board(note) as board:
        own = BoardToolset[str](board)
        theirs = BoardToolset[str](board, deps=lambda context: context.deps)
        runs = [
            await Agent(TestModel(), deps_type=str, toolsets=[each]).run("go", deps="theirs")
            for each in (own, theirs)
        ]

    notes = [returns(run.all_messages())[0].content for run in runs]
    assert notes == ["ours noted a", "theirs noted a"]


async def test_a_prefixed_toolset_calls_the_tool_by_its_own_name() -> None:
    async with a_board(add) as board:
        agent = Agent(TestModel(), toolsets=[BoardToolset(board, id="sums").prefixed("x")])
        run = await agent.run("go")

    assert [part.tool_name for part in returns(run.all_messages())] == ["x_add"]


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": 1, "a": 2}', "[1]", '{"a": NaN}'])
async def test_text_that_is_no_object_fails_as_the_board_says_it_and_takes_no_retry(
    text: str,
) -> None:
    async with a_board(add) as board:
        script = await with_pydantic_ai(board, Script([calling(("add", text))] * 5))

    assert {each.is_error for each in script.told.values()} == {True}
    assert all(each.text.startswith("Error: ") for each in script.told.values())


@pytest.mark.parametrize("text", ["", " ", "{}", "null"])
async def test_text_without_arguments_means_none(text: str) -> None:
    @tool
    async def nothing() -> str:
        """Do nothing."""
        return "nothing"

    async with a_board(nothing) as board:
        script = await with_pydantic_ai(board, Script([calling(("nothing", text))]))

    assert script.told["call-1-1"].text == "nothing"


def test_a_blocking_board_serves_an_agent_in_a_script() -> None:
    with sync.Host(discover=False) as host:
        host.register(add)
        agent = Agent(TestModel(), toolsets=[BoardToolset(host.board("agent"))])

        run = asyncio.run(agent.run("go"))

    [part] = returns(run.all_messages())
    assert (part.content, part.outcome) == ("1", "success")

"""LangChain's own tools stand on a board."""

import base64
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import attrs
import pytest
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import (
    BaseTool,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    ToolException,
)
from langchain_core.tools import Tool as SimpleTool
from langchain_core.tools import tool as langchain_tool
from langgraph.prebuilt import InjectedState, ToolRuntime
from pegboard import (
    Audio,
    Board,
    Content,
    Failure,
    Host,
    Image,
    InvalidNameError,
    InvalidToolError,
    Resource,
    Success,
    Text,
)
from pegboard.frameworks.langchain import from_langchain
from pegboard_agents import Script, calling, with_langchain
from pydantic import BaseModel, Field

PIXEL = base64.b64encode(b"pixel").decode()


@asynccontextmanager
async def a_board(*tools: BaseTool) -> AsyncIterator[Board]:
    async with Host(discover=False) as host:
        for each in tools:
            host.register(from_langchain(each))
        yield await host.board("agent")


async def outcome_of(tool: BaseTool, arguments: Any = None) -> Any:
    async with a_board(tool) as board:
        return await board.call(tool.name, arguments, id="call-1")


class Sums(BaseModel):
    first: int = Field(description="The first number.")
    second: int = 2


@langchain_tool(args_schema=Sums)
def total(first: int, second: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": first + second}


async def test_the_schema_that_langchain_shows_is_shown() -> None:
    async with a_board(total) as board:
        [shown] = board.definitions()

    assert (shown.name, shown.description) == ("total", "Add two numbers.")
    assert shown.parameters == {
        "type": "object",
        "properties": {
            "first": {"type": "integer", "description": "The first number."},
            "second": {"type": "integer", "default": 2},
        },
        "required": ["first"],
    }


async def test_a_value_keeps_its_shape() -> None:
    outcome = await outcome_of(total, {"first": 1})

    assert outcome.unwrap() == {"sum": 3}
    assert outcome.content == (Text('{"sum":3}'),)


async def test_a_tool_with_a_schema_of_json_gets_the_arguments_as_they_were_sent() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    double = StructuredTool.from_function(
        lambda a: a * 2, name="double", description="Double.", args_schema=schema
    )

    assert (await outcome_of(double, {"a": 4})).unwrap() == 8
    assert (await outcome_of(double, {"a": "4"})).code == "invalid_arguments"


async def test_a_simple_tool_of_one_text_works() -> None:
    shout = SimpleTool("shout", str.upper, "Shout.")

    assert (await outcome_of(shout, {"__arg1": "hello"})).unwrap() == "HELLO"


async def test_a_sync_tool_runs_in_a_thread_of_the_host_and_an_async_one_on_the_loop() -> None:
    seen = {}

    @langchain_tool
    def waits() -> None:
        """Wait."""
        seen["sync"] = threading.current_thread().name

    @langchain_tool
    async def awaits() -> None:
        """Wait."""
        seen["async"] = threading.current_thread().name

    await outcome_of(waits)
    await outcome_of(awaits)

    assert seen["sync"].startswith("pegboard")
    assert seen["async"] == "MainThread"


async def test_a_subclass_with_a_body_for_the_loop_runs_there() -> None:
    class Where(BaseTool):
        name: str = "where"
        description: str = "Say where this runs."

        def _run(self) -> str:
            raise AssertionError

        async def _arun(self) -> str:
            return threading.current_thread().name

    assert (await outcome_of(Where())).unwrap() == "MainThread"


async def test_a_tool_exception_is_a_tool_error() -> None:
    @langchain_tool
    def refuse() -> str:
        """Refuse."""
        raise ToolException("not this one")

    outcome = await outcome_of(refuse)

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == ("tool_error", "not this one")


async def test_an_error_that_a_tool_handles_itself_is_a_tool_error_with_its_words() -> None:
    def refuse() -> str:
        raise ToolException("secret")

    handled = StructuredTool.from_function(
        refuse, name="refuse", description="Refuse.", handle_tool_error="ask somebody else"
    )

    outcome = await outcome_of(handled)

    assert (outcome.code, outcome.message) == ("tool_error", "ask somebody else")


async def test_any_other_exception_is_a_crash() -> None:
    @langchain_tool
    def crash() -> str:
        """Crash."""
        raise KeyError("lost")

    assert (await outcome_of(crash)).code == "crashed"


async def test_an_artifact_is_the_value_and_the_content_is_what_a_model_reads() -> None:
    @langchain_tool(response_format="content_and_artifact")
    def search() -> tuple[str, dict[str, list[int]]]:
        """Search."""
        return "two found", {"found": [1, 2]}

    outcome = await outcome_of(search)

    assert outcome.unwrap() == {"found": [1, 2]}
    assert outcome.content == (Text("two found"),)


async def test_content_blocks_are_content() -> None:
    @langchain_tool
    def draw() -> list[dict[str, str]]:
        """Draw."""
        image = {"type": "image", "base64": PIXEL, "mime_type": "image/png"}
        return [{"type": "text", "text": "a pixel"}, image]

    outcome = await outcome_of(draw)

    assert outcome.content == (Text("a pixel"), Image(PIXEL, "image/png"))


@pytest.mark.parametrize(
    ("block", "content"),
    [
        ({"type": "audio", "base64": PIXEL, "mime_type": "audio/mp3"}, Audio(PIXEL, "audio/mp3")),
        (
            {"type": "file", "base64": PIXEL, "mime_type": "a/b", "id": "1"},
            Resource("langchain:1", mime_type="a/b", data=PIXEL),
        ),
        ({"type": "image", "url": "https://a.b/c"}, Resource("https://a.b/c")),
        ({"type": "image_url", "image_url": {"url": "https://a.b/c"}}, Resource("https://a.b/c")),
        ({"type": "image", "file_id": "7"}, Text('{"type":"image","file_id":"7"}')),
    ],
)
async def test_blocks_of_each_kind_are_content(block: dict[str, str], content: Content) -> None:
    @langchain_tool
    def show() -> list[dict[str, str]]:
        """Show."""
        return [block]

    assert (await outcome_of(show)).content == (content,)


async def test_the_id_of_the_call_is_injected_and_not_shown() -> None:
    @langchain_tool
    def whose(call_id: Annotated[str, InjectedToolCallId]) -> str:
        """Say whose call this is."""
        return call_id

    async with a_board(whose) as board:
        outcome = await board.call("whose", id="call-9")

    assert isinstance(outcome, Success)
    assert outcome.value == "call-9"


async def test_an_injected_argument_with_a_default_is_left_out() -> None:
    @langchain_tool
    def greet(name: str, user: Annotated[str, InjectedToolArg] = "nobody") -> str:
        """Greet."""
        return f"{name} from {user}"

    outcome = await outcome_of(greet, {"name": "Ada", "user": "eve"})

    assert outcome.unwrap() == "Ada from nobody"


@langchain_tool
def stateful(state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Read the state."""
    return str(state)


@langchain_tool
def runtime_bound(runtime: ToolRuntime) -> str:
    """Read the runtime."""
    return str(runtime)


@pytest.mark.parametrize(("tool", "name"), [(stateful, "state"), (runtime_bound, "runtime")])
def test_a_tool_that_needs_what_an_agent_injects_is_refused(tool: BaseTool, name: str) -> None:
    with pytest.raises(InvalidToolError, match=f"needs '{name}'"):
        from_langchain(tool)


async def test_a_tool_gets_the_configuration_of_the_run_that_it_is_a_part_of() -> None:
    @langchain_tool
    def whose(config: RunnableConfig) -> str:
        """Say whose run this is."""
        return str(config.get("configurable", {}).get("user"))

    seen: list[str] = []
    script = Script([calling(("whose", {}))])
    async with a_board(whose) as board:
        board.hook(call_finished=lambda outcome: seen.append(outcome.value))
        await board.call("whose")
        await with_langchain(board, script, config={"configurable": {"user": "ada"}})

    assert seen == ["None", "ada"]


async def test_arguments_that_look_like_a_tool_call_of_langchain_stay_arguments() -> None:
    schema = {"type": "object", "properties": {"type": {"type": "string"}, "id": {}}}
    kind = StructuredTool.from_function(
        lambda **given: given, name="kind", description="Say it.", args_schema=schema
    )

    outcome = await outcome_of(kind, {"type": "tool_call", "id": "another"})

    assert outcome.unwrap() == {"type": "tool_call", "id": "another"}


async def test_a_name_that_a_board_does_not_take_is_refused_and_can_be_another() -> None:
    odd = StructuredTool.from_function(lambda: 1, name="my tool", description="One.")
    async with Host(discover=False) as host:
        with pytest.raises(InvalidNameError, match="my tool"):
            host.register(from_langchain(odd))
        host.register(attrs.evolve(from_langchain(odd), name="mine"))
        board = await host.board("agent")

        assert (await board.call("mine")).unwrap() == 1

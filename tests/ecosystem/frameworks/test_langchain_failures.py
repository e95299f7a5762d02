"""What goes wrong in LangChain's own tools is told for what it is."""

from typing import Annotated, Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.tools import tool as langchain_tool
from langgraph.types import Command
from pegboard import Config, Host, Outcome, WrongArgumentError
from pegboard.frameworks.langchain import from_langchain
from pydantic import AfterValidator, BaseModel


class Sums(BaseModel):
    first: int
    second: int = 2


async def outcome_of(tool: BaseTool, arguments: Any = None, **said: Any) -> Outcome:
    async with Host(Config(**said), discover=False) as host:
        host.register(from_langchain(tool))
        return await (await host.board("agent")).call(tool.name, arguments, id="call-1")


async def test_what_only_pydantic_refuses_is_told_without_values() -> None:
    def even(number: int) -> int:
        if number % 2:
            raise ValueError("it is odd")
        return number

    class Even(BaseModel):
        number: Annotated[int, AfterValidator(even)]

    @langchain_tool(args_schema=Even)
    def half(number: int) -> int:
        """Halve."""
        return number // 2

    outcome = await outcome_of(half, {"number": 12345})

    assert outcome.message == "$.number: Value error, it is odd"
    assert outcome.details == {"code": "invalid_arguments"}


@pytest.mark.parametrize("is_async", [True, False])
async def test_what_pydantic_refuses_in_a_body_is_a_crash_and_may_be_masked(is_async: bool) -> None:
    def weather(city: str) -> int:
        """Say how warm it is."""
        return Sums.model_validate({"first": f"the key of {city}"}).first

    async def weather_soon(city: str) -> int:
        """Say how warm it is."""
        return weather(city)

    made = langchain_tool(weather_soon if is_async else weather)

    outcome = await outcome_of(made, {"city": "Oban"}, mask_errors=True)

    assert (outcome.code, outcome.details) == ("crashed", None)
    assert outcome.message == "the tool failed: ValidationError"


async def test_what_pydantic_refuses_in_a_tool_that_a_body_runs_is_a_crash() -> None:
    @langchain_tool(args_schema=Sums)
    def total(first: int, second: int) -> int:
        """Add two numbers."""
        return first + second

    @langchain_tool
    def twice(first: int) -> Any:
        """Add a number to itself, badly."""
        return total.invoke({"first": f"{first} and {first}"})

    outcome = await outcome_of(twice, {"first": 1})

    assert outcome.code == "crashed"


GOTO: Any = Command(goto="end")


@pytest.mark.parametrize(
    "given", [GOTO, [GOTO], {"a": (GOTO,)}], ids=["alone", "in a list", "deeper"]
)
async def test_a_command_is_a_crash_that_says_why(given: Any) -> None:
    @langchain_tool
    def goto() -> Any:
        """Go."""
        return given

    outcome = await outcome_of(goto)

    assert outcome.code == "crashed"
    assert "Command, which only an agent of LangChain can follow" in outcome.message


async def test_messages_of_another_agent_are_a_value() -> None:
    @langchain_tool
    def ask() -> Any:
        """Ask another agent."""
        return {"messages": [ToolMessage("noon", tool_call_id="call-2")]}

    outcome = await outcome_of(ask)

    assert outcome.unwrap()["messages"][0]["content"] == "noon"


@pytest.mark.parametrize(
    "given", [None, lambda first: first, StructuredTool], ids=["nothing", "function", "class"]
)
def test_what_is_no_tool_of_langchain_is_refused_by_name(given: Any) -> None:
    with pytest.raises(WrongArgumentError, match="from_langchain takes a tool of LangChain, not"):
        from_langchain(given)

"""A body gives its value, and beside it what a model should read instead."""

from typing import Any

import pytest
from pegboard import (
    Config,
    Failure,
    Host,
    Image,
    InvalidToolError,
    Outcome,
    Output,
    Success,
    Text,
    Tool,
    ToolResult,
    tool,
)

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def outcome_of(given: Any, *, output: Output | None = None, limit: int = 10_000) -> Outcome:
    """The outcome of a tool that returns it."""

    async def run(_arguments: Any, _context: Any) -> Any:
        return given

    raw = Tool(name="t", parameters={"type": "object"}, run=run, output=output)
    async with Host(Config(max_bytes=limit), discover=False) as host:
        host.register(raw)
        board = await host.board("x")
        return await board.call("t", {})


async def test_the_value_is_the_tools_and_the_content_what_stands_beside_it() -> None:
    given = ToolResult({"n": 1}, [Text("one"), Image("aGk=", "image/png")])

    outcome = await outcome_of(given, output=Output(schema=NUMBER))

    assert isinstance(outcome, Success)
    assert outcome.value == {"n": 1}
    assert outcome.content == (Text("one"), Image("aGk=", "image/png"))


async def test_without_content_the_value_is_rendered_as_always() -> None:
    output = Output(schema=NUMBER, render=lambda _, value: [Text(f"n is {value['n']}")])

    outcome = await outcome_of(ToolResult({"n": 1}), output=output)

    assert outcome.content == (Text("n is 1"),)


async def test_no_content_at_all_is_content_too() -> None:
    outcome = await outcome_of(ToolResult("x", []))

    assert isinstance(outcome, Success)
    assert outcome.content == ()


async def test_meta_beside_the_value_is_for_the_card_of_a_direct_call() -> None:
    outcome = await outcome_of(ToolResult("x", meta={"rows": 2}))

    assert isinstance(outcome, Success)
    assert outcome.meta == {"rows": 2}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (ToolResult({"n": "1"}, [Text("one")]), "$.n"),
        (ToolResult({"n": 1}, "one"), "str isn't a list of content blocks"),
        (ToolResult({"n": 1}, ["one"]), "str isn't a content block"),
        (ToolResult({"n": 1}, [Text("x" * 10_001)]), "10003 bytes"),
        (ToolResult({"n": 1}, meta={1}), "meta"),
        (ToolResult({"n": {1}}), "$.n"),
    ],
    ids=["value", "bare text", "no block", "too large", "meta", "no JSON"],
)
async def test_a_result_that_breaks_a_rule_is_invalid_output_and_says_which(
    given: ToolResult, says: str
) -> None:
    outcome = await outcome_of(given, output=Output(schema=NUMBER))

    assert isinstance(outcome, Failure)
    assert outcome.code == "invalid_output"
    assert says in outcome.message


async def test_a_function_that_says_so_returns_one_and_shows_no_output_schema() -> None:
    @tool
    def counted(n: int) -> ToolResult:
        """Count.

        Args:
            n: How far.
        """
        return ToolResult(n, [Text("counted")])

    async with Host(discover=False) as host:
        host.register(counted)
        board = await host.board("x")
        outcome = await board.call("counted", {"n": 3})

    assert counted.output.schema is None
    assert (outcome.unwrap(), outcome.content) == (3, (Text("counted"),))


@pytest.mark.parametrize("returned", [ToolResult, ToolResult | None, ToolResult | Text])
async def test_a_result_may_stand_beside_content_and_nothing(returned: Any) -> None:
    async def one() -> Any:
        """One."""
        return ToolResult(1, [Text("one")])

    one.__annotations__["return"] = returned
    async with Host(discover=False) as host:
        host.register(tool(one))
        board = await host.board("x")
        outcome = await board.call("one", {})

    assert (outcome.unwrap(), outcome.content) == (1, (Text("one"),))


@pytest.mark.parametrize("returned", [list[ToolResult], dict[str, ToolResult], ToolResult | int])
def test_a_result_inside_another_value_is_refused_at_registration(returned: Any) -> None:
    async def many() -> Any:
        """Many."""

    many.__annotations__["return"] = returned

    with pytest.raises(InvalidToolError, match="a ToolResult is all that a tool gives"):
        tool(many)

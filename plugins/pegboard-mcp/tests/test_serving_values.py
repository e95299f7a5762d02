"""What clients of a board get as the value and the content of a result."""

import logging
from typing import Any

import pytest
from mcp import Client
from pegboard import (
    Accept,
    Output,
    RunContext,
    Text,
    Tool,
    ToolError,
    tool,
)
from pegboard_mcp import BoardServer
from pegboard_serving import TOOLS, board_with, echo, eras, texts, wire


@eras
async def test_a_value_is_text_and_structured_content(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("count", {"n": 3})

    assert (result.is_error, result.structured_content) == (False, {"n": 3})
    assert texts(result) == '{"n":3}'


@pytest.mark.parametrize(("era", "structured"), [("legacy", None), ("auto", "Pi")])
async def test_only_the_newer_era_gets_values_that_are_no_objects(
    era: str, structured: str | None
) -> None:
    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("echo", {"value": "Pi"})

    assert (texts(result), result.structured_content) == ("Pi", structured)


@eras
async def test_content_of_every_kind_arrives(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        content = wire(await client.call_tool("blocks", {}))["content"]

    kinds = ["text", "image", "audio", "resource", "resource", "resource_link"]
    assert [each["type"] for each in content] == kinds
    assert [content[1]["data"], content[3]["resource"]["text"]] == ["iVBORw0KGgo=", "inside"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "null"},
        {"type": ["integer", "null"]},
        {},
        {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/n"}], "$defs": {"n": {"type": "null"}}},
        {"enum": [1, None]},
        {"$ref": "#"},
    ],
)
@eras
async def test_a_value_that_may_be_null_is_not_promised(era: str, schema: Any) -> None:
    nothing = Tool(
        name="nothing",
        description="Nothing.",
        parameters={"type": "object"},
        run=lambda arguments, context: None,
        output=Output(schema=schema),
    )

    async with board_with(nothing) as (_, board), Client(BoardServer(board), mode=era) as client:
        listed = await client.list_tools()
        result = await client.call_tool("nothing", {})

    assert (listed.tools[0].output_schema, result.structured_content) == (None, None)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["integer", "string"]},
        {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/n"}], "$defs": {"n": {"const": 1}}},
        {"enum": [1]},
        {"allOf": [{}, {"type": "integer"}]},
    ],
)
async def test_a_value_that_is_never_null_is_promised_to_the_newer_era(schema: Any) -> None:
    one = Tool(
        name="one",
        description="One.",
        parameters={"type": "object"},
        run=lambda arguments, context: 1,
        output=Output(schema=schema),
    )

    async with board_with(one) as (_, board), Client(BoardServer(board)) as client:
        listed = await client.list_tools()
        result = await client.call_tool("one", {})

    assert (listed.tools[0].output_schema, result.structured_content) == (schema, 1)


@eras
async def test_words_that_have_no_place_in_json_harm_no_connection(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)  # what is captured can't be sent between pytest's workers
    told: list[Any] = []

    @tool
    async def odd(context: RunContext) -> str:
        """Say odd things."""
        context.report(1, message="a\ud800b")
        raise ToolError("c\ud800d")

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with board_with(odd, echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("odd", {}, progress_callback=progressed)
        again = await client.call_tool("echo", {"value": "Pi"})

    assert (told, result.is_error, texts(again)) == (["a?b"], True, "Pi")


@eras
async def test_a_value_too_deep_for_clients_is_a_failure(era: str) -> None:
    deep: Any = 1
    for _ in range(200):
        deep = {"a": deep}
    nest = Tool(
        name="nest",
        description="Nest.",
        parameters={"type": "object"},
        run=lambda arguments, context: deep,
        output=Output(schema={"type": "object"}),
    )

    async with board_with(nest) as (_, board), Client(BoardServer(board), mode=era) as client:
        await client.list_tools()
        result = await client.call_tool("nest", {})

    assert (result.is_error, result.structured_content) == (True, None)
    assert "more than 150 levels" in texts(result)


@eras
@pytest.mark.parametrize("is_typed", [True, False], ids=["promised", "not promised"])
async def test_a_value_whose_content_a_policy_has_replaced_reaches_no_client(
    era: str, is_typed: bool
) -> None:
    secret = Tool(
        name="secret",
        description="A secret.",
        parameters={"type": "object"},
        run=lambda arguments, context: {"key": "tok-123"},
        output=Output(schema={"type": "object"} if is_typed else None),
    )

    async with board_with(secret) as (_, board):
        board.hook(after_call=lambda outcome: Accept(content=[Text("a key")]))
        async with Client(BoardServer(board), mode=era) as client:
            await client.list_tools()
            result = await client.call_tool("secret", {})

    assert "tok-123" not in str(wire(result))
    assert (texts(result), result.is_error) == ("a key", is_typed)


@eras
async def test_content_that_says_the_same_keeps_the_value_beside_it(era: str) -> None:
    long = Tool(
        name="long",
        description="Long.",
        parameters={"type": "object"},
        run=lambda arguments, context: {"n": 1},
        output=Output(schema={"type": "object"}),
    )

    async with board_with(long) as (_, board):
        board.hook(after_call=lambda outcome: Accept(content=[Text("1")], keeps_value=True))
        async with Client(BoardServer(board), mode=era) as client:
            result = await client.call_tool("long", {})

    assert (texts(result), result.structured_content, result.is_error) == ("1", {"n": 1}, False)

"""The cases of section Output."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Code,
    Content,
    Image,
    Output,
    Resource,
    RunContext,
    Text,
    Tool,
    formats,
    tool,
)
from pegboard_cases import board_with, call, giving, raw, refusal, says, success

IMAGE = Image("aGVq", "image/png")
RESOURCE = Resource("file:///a.bin", "application/octet-stream", data="aGVq")
SHAPES = ["anthropic", "openai", "openai_responses", "gemini", "mcp", "pi"]


@attrs.frozen
class Point:
    """A place."""

    x: int
    y: float = 0.5


@dataclass
class Pair:
    """Two words."""

    left: str
    right: str


class Colour(Enum):
    """A choice."""

    RED = "red"


@tool
def locate() -> Point:
    """Give an attrs class."""
    return Point(1)


@tool
def pair() -> Pair:
    """Give a dataclass."""
    return Pair("a", "b")


@tool
def paint() -> Colour:
    """Give a member of an enum."""
    return Colour.RED


@tool
def when() -> datetime:
    """Give a time."""
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@tool
def letters() -> set[str]:
    """Give a set."""
    return {"a", "b"}


def numbers() -> Iterator[int]:
    """What no annotation of the tool promises."""
    yield 1


@tool
def untold() -> Any:
    """Give an object that JSON can't hold."""
    return object()


@pytest.mark.parametrize(
    "value", [numbers, numbers(), object()], ids=["function", "generator", "object"]
)
async def test_p_039_what_is_not_json_is_refused_without_a_memory_address(value: Any) -> None:
    outcome = await call(giving(value))

    assert (outcome.is_error, getattr(outcome, "code", None)) == (True, Code.INVALID_OUTPUT)
    assert "0x" not in repr(outcome)


async def test_p_039_an_open_file_is_refused_without_its_name(tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w") as file:
        message = await refusal(giving(file), code=Code.INVALID_OUTPUT)

    assert "secret" not in message
    assert "0x" not in message


async def test_p_039_a_typed_function_that_gives_an_object_is_refused_likewise() -> None:
    assert "0x" not in await refusal(untold, code=Code.INVALID_OUTPUT)


async def test_p_040_nothing_where_a_string_is_due_is_refused_as_null() -> None:
    message = await refusal(giving(None, {"type": "string"}), code=Code.INVALID_OUTPUT)

    assert says(message, "string", "null")


async def test_p_040_nothing_where_a_typed_function_promised_a_string_is_refused_as_null() -> None:
    @tool
    def silent() -> str:
        """Say nothing."""
        return None  # type: ignore[return-value]  # the lie under test

    assert says(await refusal(silent, code=Code.INVALID_OUTPUT), "string", "null")


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (locate, {"x": 1, "y": 0.5}),
        (pair, {"left": "a", "right": "b"}),
        (paint, "red"),
        (when, "2026-01-02T03:04:05+00:00"),
    ],
    ids=["attrs", "dataclass", "enum", "datetime"],
)
async def test_p_041_typed_values_are_plain_json_of_the_declared_schema(
    given: Tool, value: JSON
) -> None:
    assert (await success(given)).value == value


async def test_p_041_a_set_is_a_list() -> None:
    value = (await success(letters)).value

    assert sorted(value) == ["a", "b"]


async def test_p_042_a_value_that_fails_three_levels_down_is_refused_with_its_path() -> None:
    schema = {"additionalProperties": {"items": {"properties": {"n": {"type": "integer"}}}}}

    message = await refusal(giving({"a": [{}, {"n": "one"}]}, schema), code=Code.INVALID_OUTPUT)

    assert says(message, "$.a[1].n", "integer")


async def test_p_042_a_typed_value_that_fails_three_levels_down_is_refused_with_its_path() -> None:
    @tool
    def lie() -> dict[str, list[Point]]:
        """Give what isn't promised."""
        return {"a": [Point(1), Point("one")]}  # type: ignore[arg-type]  # the lie under test

    assert says(await refusal(lie, code=Code.INVALID_OUTPUT), "$.a[1].x")


def paints_nothing(arguments: JSON, value: JSON) -> list[Content]:
    """A renderer that can't."""
    raise RuntimeError("no paint")


async def test_p_043_a_renderer_that_raises_is_quoted_and_there_is_no_value() -> None:
    outcome = await call(giving(1, render=paints_nothing))

    assert (outcome.is_error, getattr(outcome, "code", None)) == (True, Code.INVALID_OUTPUT)
    assert says(str(outcome.content), "no paint")
    assert not hasattr(outcome, "value")


def counting(counted: list[JSON]) -> Tool:
    """A tool with a meta that keeps what it was asked about."""

    def meta(arguments: JSON, value: JSON) -> JSON:
        counted.append(value)
        return {"rows": 2}

    return giving([1, 2], meta=meta)


def forwarding(name: str) -> Tool:
    """A tool that makes one nested call and keeps its outcome."""

    async def run(arguments: JSON, context: RunContext) -> JSON:
        outcome = await context.call(name, {})
        return {"is_error": outcome.is_error, "meta": getattr(outcome, "meta", None)}

    return raw(run, name="forward")


async def test_p_044_a_direct_call_has_meta() -> None:
    outcome = await success(counting([]))

    assert outcome.meta == {"rows": 2}


async def test_p_044_a_nested_call_has_no_meta() -> None:
    """A call from a program comes with run_code."""
    counted: list[JSON] = []
    async with board_with(counting(counted), forwarding("raw")) as board:
        outcome = await board.call("forward", {})

    assert outcome.unwrap() == {"is_error": False, "meta": None}
    assert counted == []


async def test_p_045_a_meta_that_raises_does_not_run_in_a_nested_call() -> None:
    async with board_with(giving(1, meta=paints_nothing), forwarding("raw")) as board:
        outcome = await board.call("forward", {})

    assert outcome.unwrap() == {"is_error": False, "meta": None}


@pytest.mark.parametrize(
    "rendered",
    ["bare", None, {"type": "text"}, [Text("a"), object()], 7, [["a"]]],
    ids=["string", "None", "dict", "foreign object", "number", "nested"],
)
async def test_p_046_a_renderer_that_gives_no_list_of_content_is_refused(rendered: Any) -> None:
    given = giving(1, render=lambda arguments, value: rendered)

    await refusal(given, code=Code.INVALID_OUTPUT)


async def test_p_047_a_renderer_may_give_no_content() -> None:
    outcome = await success(giving(1, render=lambda arguments, value: []))

    assert (outcome.value, outcome.content) == (1, ())


@pytest.mark.parametrize(
    ("kind", "value"),
    [("string", "a"), ("array", [1]), ("null", None), ("boolean", False), ("number", 1.5)],
)
async def test_p_048_an_output_schema_may_have_any_root(kind: str, value: JSON) -> None:
    assert (await success(giving(value, {"type": kind}))).value == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (True, "true"), (1.5, "1.5"), ({"a": [1, "ö"]}, '{"a":[1,"ö"]}'), ([], "[]")],
)
async def test_p_049_a_value_that_is_no_string_is_shown_as_its_json_text(
    value: JSON, text: str
) -> None:
    assert (await success(giving(value))).content == (Text(text),)


def vandal(arguments: JSON, value: JSON) -> list[Content]:
    """A renderer that changes what it is given."""
    arguments["n"].append(9)
    value["n"].append(9)
    return [Text("ok")]


async def test_p_050_a_renderer_can_not_change_the_value_or_the_arguments() -> None:
    seen: list[JSON] = []
    given = raw(lambda arguments, context: {"n": arguments["n"]}, output=Output(render=vandal))
    async with board_with(attrs.evolve(given, extra="keep")) as board:
        board.hook(call_finished=lambda execution, outcome: seen.append(execution.arguments))

        outcome = await board.call("raw", {"n": [1]})

    assert outcome.unwrap() == {"n": [1]}
    assert seen == [{"n": [1]}]


@tool
def show() -> list[Image | Resource]:
    """Show."""
    return [IMAGE, RESOURCE]


async def test_p_051_content_blocks_are_kept_as_they_are() -> None:
    assert (await success(show)).content == (IMAGE, RESOURCE)


@pytest.mark.parametrize("name", SHAPES)
async def test_p_051_every_provider_is_sent_a_block_or_told_in_losses_that_it_is_not(
    name: str,
) -> None:
    shape = getattr(formats, name)
    async with board_with(show) as board:
        outcome = await board.call("show", {}, id="c")
        sent, lost = repr(shape.results([outcome])), repr(shape.losses(board))

    assert IMAGE.data in sent or "image" in lost
    assert RESOURCE.uri in sent
    assert sent.count(IMAGE.data) == 2 or "resource" in lost

"""The bugs of section Schemas from signatures, with postponed annotations throughout."""

from __future__ import annotations

import json
import logging
from enum import IntEnum
from functools import partial
from typing import Annotated, Any, Literal

import attrs
import pytest
from annotated_types import Gt
from pegboard import CollisionError, Doc, Host, InvalidToolError, Tool, formats, tool
from pegboard_cases import board_with, refusal, says, success

SHAPES = {
    "anthropic": formats.anthropic,
    "openai": formats.openai,
    "openai_responses": formats.openai_responses,
    "gemini": formats.gemini,
    "mcp": formats.mcp,
    "pi": formats.pi,
}


def ok(n: int, who: str | None = None) -> str:
    """Tell."""
    return f"{n}{who}"


def unresolved(price: Decimal) -> str:  # type: ignore[name-defined]  # noqa: F821 - it is missing
    """Tell."""
    return str(price)


def unresolved_inside(price: list[Decimal] | None = None) -> str:  # type: ignore[name-defined]  # noqa: F821 - it is missing
    """Tell."""
    return str(price)


def test_b_001_postponed_annotations_are_resolved() -> None:
    schema = tool(ok).parameters

    assert schema["properties"]["n"] == {"type": "integer"}
    assert schema["required"] == ["n"]
    assert schema["properties"]["who"]["default"] is None
    assert "null" in json.dumps(schema["properties"]["who"])


async def test_b_001_postponed_annotations_are_enforced() -> None:
    assert (await success(tool(ok), {"n": 1, "who": None})).value == "1None"
    assert says(await refusal(tool(ok), {"n": "one"}), "$.n")


@pytest.mark.parametrize("function", [unresolved, unresolved_inside])
def test_b_001_a_name_that_can_not_be_resolved_is_refused(function: Any) -> None:
    with pytest.raises(InvalidToolError) as caught:
        tool(function)

    assert says(str(caught.value), function.__name__, "price", "Decimal")


async def test_b_001_postponed_annotations_of_a_function_inside_a_function_are_resolved() -> None:
    @attrs.frozen
    class Local:
        """A class that the module doesn't know."""

        n: Annotated[int, Gt(0), Doc("How many.")]

    @tool
    def count(given: Local) -> int:
        """Count."""
        return given.n

    assert (await success(count, {"given": {"n": 2}})).value == 2
    assert says(await refusal(count, {"given": {"n": 0}}), "$.given.n")


def today(token: str, city: str) -> str:
    """Tell the weather of today."""
    return city


def week(token: str, city: str) -> str:
    """Tell the weather of the week."""
    return city


def bound() -> list[Tool]:
    """Two partials that bind one argument, by place and by name."""
    return [tool(partial(today, "T0P")), tool(partial(week, token="T0P"))]


async def test_b_002_partials_have_the_names_and_descriptions_of_their_functions() -> None:
    async with board_with(*bound()) as board:
        shown = {each.name: each.description for each in board.definitions()}

    assert shown == {
        "today": "Tell the weather of today.",
        "week": "Tell the weather of the week.",
    }


async def test_b_002_two_partials_of_one_function_collide() -> None:
    async with Host(discover=False) as host:
        host.register(tool(partial(today, "A")))

        with pytest.raises(CollisionError, match="'today'"):
            host.register(tool(partial(today, "B")))


@pytest.mark.parametrize("shape", SHAPES)
async def test_b_002_a_bound_argument_is_in_no_export(shape: str) -> None:
    async with board_with(*bound()) as board:
        exported = json.dumps(SHAPES[shape].definitions(board))

    assert "T0P" not in exported
    assert "token" not in exported


@pytest.mark.parametrize("made", bound(), ids=["place", "name"])
async def test_b_002_a_caller_can_not_set_a_bound_argument(made: Tool) -> None:
    outcome = await success(made, {"city": "X", "token": "mine"})

    assert outcome.value == "X"
    assert says(repr(outcome.notes), "token")


async def test_b_002_the_bound_value_is_what_the_function_gets() -> None:
    def tell(token: str, city: str) -> list[str]:
        return [token, city]

    made = tool(partial(tell, token="T0P"), extra="keep")

    assert (await success(made, {"city": "X", "token": "mine"})).value == ["T0P", "X"]


@pytest.mark.parametrize("made", bound(), ids=["place", "name"])
async def test_b_002_a_bound_value_is_in_no_message_and_no_log(
    made: Tool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        message = await refusal(made, {"city": 1, "token": "mine"})

    assert "T0P" not in message + caplog.text


LAYOUTS = {
    "blank line": "Sum.\n\nArgs:\n\n    a: first: 3:5\n    b: second",
    "no blank line": "Sum.\nArgs:\n    a: first: 3:5\n    b: second",
    "nothing else": "Args:\n    a (int): first: 3:5\n    b: second",
    "after Raises": (
        "Sum.\n\nRaises:\n    ValueError: no\n\nArgs:\n    a: first: 3:5\n    b: second\n"
        "    zz: ghost"
    ),
    "before Returns": "Sum.\n\nArgs:\n    a: first: 3:5\n\n    b: second\n\nReturns:\n    int: sum",
    "many blank lines": "Sum.\n\n\n\nArgs:\n\n\n    a: first: 3:5\n\n\n    b: second\n\n\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_b_003_descriptions_are_found_in_every_layout_and_sections_are_not_shown(
    layout: str,
) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    add.__doc__ = LAYOUTS[layout]
    async with board_with(tool(add)) as board:
        (definition,) = board.definitions()

    parts = definition.parameters["properties"]
    assert {key: part["description"] for key, part in parts.items()} == {
        "a": "first: 3:5",
        "b": "second",
    }
    assert definition.description == ("" if layout == "nothing else" else "Sum.")


class Level(IntEnum):
    """How loud."""

    LOW = 1
    HIGH = 2


@tool
def alarm(level: Level, days: Literal[2, 4, 8] = 4) -> str:
    """Ring."""
    return level.name + str(days)


@tool(coerce=True)
def alarm_leniently(level: Level) -> str:
    """Ring."""
    return level.name


def test_b_004_the_canonical_schema_of_an_integer_enum_has_integers() -> None:
    parts = alarm.parameters["properties"]

    assert (parts["level"]["type"], parts["level"]["enum"]) == ("integer", [1, 2])
    assert (parts["days"]["type"], parts["days"]["enum"]) == ("integer", [2, 4, 8])


async def test_b_004_gemini_is_shown_an_integer_whose_values_are_named() -> None:
    async with board_with(alarm) as board:
        (shown,) = formats.gemini.definitions(board)
        lost = repr(formats.gemini.losses(board))

    level = shown["parametersJsonSchema"]["properties"]["level"]
    assert (level["type"], level.get("enum")) == ("integer", None)
    assert says(level["description"], "1", "2")
    assert says(lost, "alarm", "level")


async def test_b_004_a_tool_that_gemini_can_not_be_shown_takes_no_other_with_it() -> None:
    unsayable = {"type": "object", "properties": {"x": False}, "required": ["x"]}
    odd = Tool(name="odd", description="Never.", parameters=unsayable, run=print)
    async with board_with(odd, alarm) as board:
        shown = [each["name"] for each in formats.gemini.definitions(board)]

    assert "alarm" in shown


@pytest.mark.parametrize("sent", [2, 2.0])
async def test_b_004_an_integer_sent_back_is_the_member(sent: float) -> None:
    assert (await success(alarm, {"level": sent})).value == "HIGH4"


async def test_b_004_text_is_refused_unless_the_tool_coerces() -> None:
    assert says(await refusal(alarm, {"level": "2"}), "$.level")
    assert (await success(alarm_leniently, {"level": "2"})).value == "HIGH"

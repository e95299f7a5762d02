"""The cases of section Arguments."""

import math
from collections import OrderedDict
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import attrs
import pytest
from annotated_types import Ge
from pegboard import JSON, Code, Failure, tool
from pegboard_cases import (
    Keeper,
    Watcher,
    board_with,
    refusal,
    says,
    success,
)

ABSENT = [None, "", "  \n\t", "null", "{}", {}]
NOT_JSON: dict[str, Any] = {
    "datetime": {"when": datetime(2026, 1, 2)},  # noqa: DTZ001 - any date isn't JSON
    "nan": {"x": math.nan},
    "tuple": {"x": (1, 2)},
    "Decimal": {"x": {"y": [Decimal(1)]}},
    "OrderedDict": {"x": OrderedDict(a=1)},
}
PLACES = {
    "datetime": "$.when",
    "nan": "$.x",
    "tuple": "$.x",
    "Decimal": "$.x.y[0]",
    "OrderedDict": "$.x",
}


@attrs.frozen
class Inner:
    """The second level."""

    depth: int


@attrs.frozen
class Outer:
    """The first level."""

    inner: Inner


class Colour(Enum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


@tool
def count(n: int) -> int:
    """Count."""
    return n


@tool
def outline(section: str = "index", max_depth: int = 3) -> str:
    """Outline."""
    return f"{section}:{max_depth}"


@tool
def fmt(x: float, rounded: bool = False, unit: str | None = "K") -> list[Any]:
    """Format."""
    return [x, rounded, unit]


def wrap(outer: Outer) -> Outer:
    """Wrap."""
    return outer


@pytest.mark.parametrize("kind", NOT_JSON)
async def test_p_013_what_is_not_json_is_refused_with_its_place_and_meets_no_hook_but_the_last(
    kind: str,
) -> None:
    keeper, watcher = Keeper(), Watcher()
    async with board_with(keeper.tool(extra="keep")) as board:
        watcher.on(board)

        outcome = await board.call("keep", NOT_JSON[kind])

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.INVALID_ARGUMENTS
    assert says(outcome.message, PLACES[kind])
    assert (len(keeper.kept), len(watcher.guarded), len(watcher.finished)) == (0, 0, 1)


@pytest.mark.parametrize("sent", ABSENT, ids=repr)
async def test_p_014_absent_arguments_mean_an_empty_object(sent: JSON) -> None:
    keeper = Keeper()

    await success(keeper.tool(), sent)

    assert keeper.kept == [{}]


@pytest.mark.parametrize("sent", ABSENT, ids=repr)
async def test_p_015_absent_arguments_of_a_tool_that_needs_n_are_a_missing_n(sent: JSON) -> None:
    message = await refusal(count, sent)

    assert says(message, "$.n", "missing")
    assert "parse" not in message


async def test_p_016_a_repeated_key_in_raw_text_is_named_with_its_place() -> None:
    message = await refusal(Keeper().tool(extra="keep"), '{"a": {"k": 1, "k": 2}}')

    assert says(message, "'k'", "$.a")


@pytest.mark.parametrize(
    "text",
    ['{"x": NaN}', '{"x": -Infinity}', '{"x": 1e999}', '{"x": ' + "9" * 5_000 + "}", "[" * 100_000],
    ids=["NaN", "Infinity", "1e999", "5,000 digits", "100,000 brackets"],
)
async def test_p_017_hostile_raw_text_is_refused_and_never_crashes(text: str) -> None:
    keeper = Keeper()

    await refusal(keeper.tool(extra="keep"), text)

    assert keeper.kept == []


@pytest.mark.parametrize(
    ("part", "word"),
    [
        *(("NaN", "NaN"), ("-Infinity", "-Infinity"), ("1e999", "range"), ("9" * 5_000, "digits")),
        ('"\\ud800"', "surrogate"),
    ],
    ids=["NaN", "Infinity", "1e999", "5,000 digits", "surrogate"],
)
async def test_p_017_hostile_raw_text_is_refused_by_what_it_holds_and_where(
    part: str, word: str
) -> None:
    text = f'{{"n": "http://x", "x": [1, {{"y": {part}}}]}}'

    assert says(await refusal(Keeper().tool(extra="keep"), text), word, "$.x[1].y")


async def test_p_018_everyone_sees_an_integer_of_raw_text_exactly() -> None:
    """Before hooks and approvers come with the policies."""
    keeper, watcher = Keeper(), Watcher()
    async with board_with(keeper.tool(extra="keep")) as board:
        watcher.on(board)

        await board.call("keep", '{"id": 9007199254740993}')

    seen = [keeper.kept[0], watcher.guarded[0].arguments, watcher.finished[0][0].arguments]
    assert seen == [{"id": 9007199254740993}] * 3


async def test_p_019_a_missing_argument_is_named_and_the_body_does_not_run() -> None:
    ran: list[int] = []

    @tool
    def note(n: int) -> None:
        """Note."""
        ran.append(n)

    message = await refusal(note, {})

    assert says(message, "$.n", "missing")
    assert ran == []


async def test_p_020_an_undeclared_key_does_not_arrive_and_is_noted() -> None:
    outcome = await success(count, {"n": 4, "zz": 1})

    assert outcome.value == 4
    assert says(repr(outcome.notes), "zz")


async def test_p_020_an_undeclared_key_does_not_reach_a_raw_body() -> None:
    keeper = Keeper()

    await success(keeper.tool({"type": "object", "properties": {"n": {}}}), {"n": 4, "zz": 1})

    assert keeper.kept == [{"n": 4}]


async def test_p_021_a_key_that_resembles_a_present_parameter_is_left_out_and_noted() -> None:
    outcome = await success(count, {"n": 4, "nn": 1})

    assert outcome.value == 4
    assert says(repr(outcome.notes), "nn")


@pytest.mark.parametrize("key", ["depth", "maxDepth", "max-depth", "MAX_DEPTH", "max_dept"])
async def test_p_022_a_near_miss_of_an_absent_parameter_is_refused_with_the_suggestion(
    key: str,
) -> None:
    message = await refusal(outline, {"section": "a", key: 1})

    assert says(message, key, "'max_depth'")


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        ({"outer": {"inner": {"depth": 1}}, "zz": 0}, "$.zz"),
        ({"outer": {"inner": {"depth": 1, "zz": 0}}}, "$.outer.inner.zz"),
    ],
    ids=["root", "nested"],
)
async def test_p_023_forbid_names_an_undeclared_key_and_its_path(sent: JSON, place: str) -> None:
    message = await refusal(tool(wrap, extra="forbid"), sent)

    assert says(message, place)


async def test_p_024_keep_passes_undeclared_keys_to_a_raw_body() -> None:
    keeper = Keeper()
    given = keeper.tool({"type": "object", "properties": {"n": {}}}, extra="keep")

    await success(given, {"n": 1, "zz": 2})

    assert keeper.kept == [{"n": 1, "zz": 2}]
    assert "additionalProperties" not in given.parameters


async def test_p_024_keep_passes_undeclared_keys_to_a_typed_function() -> None:
    @tool(extra="keep")
    def collect(n: int, **rest: int) -> dict[str, int]:
        """Collect."""
        return rest

    outcome = await success(collect, {"n": 1, "zz": 2})

    assert outcome.value == {"zz": 2}
    assert collect.parameters.get("additionalProperties") is not False


async def test_p_025_an_undeclared_key_two_levels_down_is_left_out_and_noted() -> None:
    outcome = await success(tool(wrap), {"outer": {"inner": {"depth": 1, "zz": 0}}})

    assert outcome.value == {"inner": {"depth": 1}}
    assert says(repr(outcome.notes), "$.outer.inner.zz")


async def test_p_026_null_means_the_default_unless_the_parameter_is_nullable() -> None:
    outcome = await success(fmt, {"x": 1, "rounded": None, "unit": None})

    assert outcome.value == [1.0, False, None]


async def test_p_027_null_for_a_required_parameter_that_is_not_nullable_is_refused() -> None:
    message = await refusal(fmt, {"x": None})

    assert says(message, "$.x", "null")


async def test_p_028_validation_comes_before_any_guard() -> None:
    """Before hooks and approvers come with the policies."""
    watcher = Watcher()
    async with board_with(count) as board:
        watcher.on(board)

        await board.call("count", {"n": "four"})

    assert (len(watcher.guarded), len(watcher.finished)) == (0, 1)


async def test_p_029_three_faults_of_one_call_are_in_one_message_with_their_paths() -> None:
    @tool
    def paint(n: int, colour: Colour, strokes: list[Annotated[int, Ge(1)]]) -> None:
        """Paint."""

    message = await refusal(paint, {"colour": "green", "strokes": [1, "two"]})

    assert says(message, "$.n is missing", "$.colour must be one of", "$.strokes[1] must be")

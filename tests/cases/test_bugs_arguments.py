"""The bugs of section Arguments."""

from typing import Any

import attrs
import pytest
from pegboard import JSON, Tool, tool
from pegboard_cases import Keeper, Watcher, board_with, raw, refusal, says, success


def keep(body: str) -> str:
    """Keep."""
    return body


def conf(opts: dict[str, int]) -> int:
    """Configure."""
    return opts["a"]


def either(v: str | dict[str, int]) -> str:
    """Tell which."""
    return type(v).__name__


@pytest.mark.parametrize("coerce", [False, True])
@pytest.mark.parametrize("text", ['{"k": "v"}', "123", "null", '"q"', "[1]", "true"])
async def test_b_005_a_string_gets_the_same_text(text: str, coerce: bool) -> None:
    outcome = await success(tool(keep, coerce=coerce), {"body": text})

    assert (outcome.value, outcome.notes) == (text, ())


async def test_b_005_without_coerce_no_text_is_decoded() -> None:
    assert says(await refusal(tool(conf), {"opts": '{"a": 3}'}), "$.opts", "object", "string")


async def test_b_005_with_coerce_text_is_decoded_where_no_string_may_stand_and_noted() -> None:
    outcome = await success(tool(conf, coerce=True), {"opts": '{"a": 3}'})

    assert outcome.value == 3
    assert says(repr(outcome.notes), "$.opts")


@pytest.mark.parametrize("text", ["null", "3", '"{}"', "true"])
async def test_b_005_with_coerce_text_is_decoded_to_an_object_or_array_only(text: str) -> None:
    assert says(await refusal(tool(conf, coerce=True), {"opts": text}), "$.opts")


@pytest.mark.parametrize("coerce", [False, True])
async def test_b_005_text_stays_text_in_a_union_with_a_string(coerce: bool) -> None:
    assert (await success(tool(either, coerce=coerce), {"v": '{"a": 3}'})).value == "str"


@tool
def ping() -> str:
    """Answer."""
    return "pong"


@tool
def need(x: int) -> int:
    """Need."""
    return x


NO_ARGUMENTS = [None, "", "  \n", "null", "{}", " null ", "\t{ }\n"]


@pytest.mark.parametrize("sent", NO_ARGUMENTS, ids=repr)
async def test_b_006_no_arguments_are_an_empty_object(sent: JSON) -> None:
    assert (await success(ping, sent)).value == "pong"


@pytest.mark.parametrize("sent", NO_ARGUMENTS, ids=repr)
async def test_b_006_no_arguments_are_refused_for_what_is_missing(sent: JSON) -> None:
    assert says(await refusal(need, sent), "$.x is missing")


@pytest.mark.parametrize("sent", ["[]", "1", '"x"', "true", "[[]]", [], 1, True], ids=repr)
async def test_b_006_what_is_no_object_is_refused_for_that(sent: JSON) -> None:
    assert says(await refusal(ping, sent), "object")


@pytest.mark.parametrize("sent", ["{", '{"a":1}}', "{'a': 1}", "ping", "{} {}", "\ufeff{"])
async def test_b_006_text_that_is_not_json_is_refused(sent: str) -> None:
    await refusal(ping, sent)


@attrs.frozen
class Depth:
    """How deep."""

    max_depth: int = 3


def outline(section: str = "index", max_depth: int = 3) -> str:
    """Outline."""
    return f"{section}:{max_depth}"


def survey(depths: list[Depth]) -> list[int]:
    """Survey."""
    return [each.max_depth for each in depths]


@pytest.mark.parametrize("extra", ["drop", "forbid"])
async def test_b_007_a_misspelt_key_is_refused_with_the_suggestion(extra: Any) -> None:
    message = await refusal(tool(outline, extra=extra), {"section": "a", "depth": 1})

    assert says(message, "$.depth", "max_depth")


@pytest.mark.parametrize("extra", ["drop", "forbid"])
async def test_b_007_a_misspelt_key_in_a_nested_object_is_refused_likewise(extra: Any) -> None:
    message = await refusal(tool(survey, extra=extra), {"depths": [{}, {"depth": 1}]})

    assert says(message, "$.depths[1].depth", "max_depth")


async def test_b_007_another_key_is_left_out_and_noted() -> None:
    outcome = await success(tool(outline), {"section": "a", "request_source": "cli"})

    assert outcome.value == "a:3"
    assert says(repr(outcome.notes), "request_source")


async def test_b_007_another_key_in_a_nested_object_is_left_out_and_noted() -> None:
    outcome = await success(tool(survey), {"depths": [{"source": "cli"}]})

    assert outcome.value == [3]
    assert says(repr(outcome.notes), "$.depths[0].source")


async def test_b_007_forbid_refuses_another_key_too() -> None:
    made = tool(outline, extra="forbid")

    assert says(await refusal(made, {"request_source": "cli"}), "$.request_source")


@pytest.mark.parametrize("extra", ["drop", "forbid"])
def test_b_007_what_is_shown_is_what_is_done(extra: Any) -> None:
    nested = tool(survey, extra=extra).parameters["properties"]["depths"]["items"]

    assert tool(outline, extra=extra).parameters["additionalProperties"] is False
    assert nested["additionalProperties"] is False


def snap(depth: int, full: bool = False) -> list[int | bool]:
    """Snap."""
    return [depth, full]


@pytest.mark.parametrize("coerce", [False, True])
async def test_b_008_a_whole_number_is_an_integer(coerce: bool) -> None:
    assert (await success(tool(snap, coerce=coerce), {"depth": 3.0})).value == [3, False]


@pytest.mark.parametrize("sent", ["3", True, 3.7, None, [3]], ids=repr)
async def test_b_008_without_coerce_nothing_else_is_an_integer(sent: JSON) -> None:
    assert says(await refusal(tool(snap), {"depth": sent}), "$.depth")


@pytest.mark.parametrize("sent", ["3", "3.0"])
async def test_b_008_with_coerce_text_that_spells_a_whole_number_is_taken_and_noted(
    sent: str,
) -> None:
    outcome = await success(tool(snap, coerce=True), {"depth": sent})

    assert (repr(outcome.value), len(outcome.notes)) == ("[3, False]", 1)


NEVER: list[JSON] = [
    *(
        True,
        "3.7",
        "",
        "abc",
        "2026-01-15",
        "1_000",
        "\u0663",
        "nan",
        " 5 ",
        "0x10",
        "+3",
        "03",
        "3.",
    ),
    *("Infinity", "true", "3\n", "\uff13", "1e999", "--3", "1,000", "9" * 5_000, [3], None, 3.7),
]


@pytest.mark.parametrize("sent", NEVER, ids=lambda sent: ascii(sent)[:20])
async def test_b_008_with_coerce_nothing_else_is_taken_for_an_integer(sent: JSON) -> None:
    assert says(await refusal(tool(snap, coerce=True), {"depth": sent}), "$.depth")


@pytest.mark.parametrize("sent", [1, 0, "1", "yes", "True", "", " true", "on", 1.0], ids=repr)
async def test_b_008_with_coerce_nothing_but_true_and_false_spells_a_boolean(sent: JSON) -> None:
    message = await refusal(tool(snap, coerce=True), {"depth": 3, "full": sent})

    assert says(message, "$.full")


@attrs.frozen
class Unit:
    """A unit."""

    scale: int = 10
    mark: str | None = "K"


def fmt(x: float, rounded: bool = False, unit: str | None = "K") -> list[Any]:
    """Format."""
    return [x, rounded, unit]


def nested(unit: Unit) -> list[Any]:
    """Format."""
    return [unit.scale, unit.mark]


async def test_b_009_null_for_a_nullable_parameter_is_none() -> None:
    outcome = await success(tool(fmt), {"x": 1.5, "unit": None})

    assert outcome.value == [1.5, False, None]


async def test_b_009_null_for_a_parameter_with_a_default_means_the_default() -> None:
    outcome = await success(tool(fmt), {"x": 1.5, "rounded": None})

    assert outcome.value == [1.5, False, "K"]


async def test_b_009_null_for_a_required_parameter_is_refused() -> None:
    assert says(await refusal(tool(fmt), {"x": None}), "$.x", "null")


async def test_b_009_the_same_holds_for_the_fields_of_a_class() -> None:
    outcome = await success(tool(nested), {"unit": {"scale": None, "mark": None}})

    assert outcome.value == [10, None]


async def test_b_009_the_default_is_shown_and_is_not_null() -> None:
    shown = tool(fmt).parameters["properties"]

    assert shown["rounded"] == {"type": "boolean", "default": False}


def drop(id: int) -> int:  # noqa: A002 - the name in the report
    """Drop."""
    return id


HOSTILE = {
    "repeated": '{"id": 1, "id": 2}',
    "repeated inside": '{"id": 1, "x": [{"k": 1, "k": 1}]}',
    "repeated by another spelling": '{"id": 1, "\\u0069d": 2}',
    "NaN": '{"id": NaN}',
    "Infinity": '{"id": -Infinity}',
    "digits": '{"id": ' + "9" * 5_000 + "}",
    "nesting": "[" * 100_000,
    "closed nesting": '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("big", [9007199254740993, -(2**63) - 1, 10**400])
async def test_b_010_an_integer_is_exact_for_everyone(big: int) -> None:
    """An approver comes with the policies; guards and observers see what it will see."""
    watcher = Watcher()
    async with board_with(tool(drop)) as board:
        watcher.on(board)

        outcome = await board.call("drop", f'{{"id": {big}}}')

    seen: list[Any] = [watcher.guarded[0].arguments, watcher.finished[0][0].arguments]
    assert [outcome.unwrap(), *(each["id"] for each in seen)] == [big] * 3
    assert all(type(each["id"]) is int for each in seen)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("given", [tool(drop), raw(print, name="drop")], ids=["typed", "raw"])
async def test_b_010_hostile_text_is_refused_before_anybody_is_asked(
    kind: str, given: Tool
) -> None:
    watcher = Watcher()
    async with board_with(given) as board:
        watcher.on(board)

        outcome = await board.call("drop", HOSTILE[kind])

    assert getattr(outcome, "code", None) == "invalid_arguments"
    assert (len(watcher.guarded), len(watcher.finished)) == (0, 1)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        *(("repeated", "'id'"), ("repeated inside", "'k'"), ("NaN", "NaN")),
        *(("Infinity", "Infinity"), ("digits", "digits"), ("nesting", "256")),
    ],
)
async def test_b_010_hostile_text_is_refused_by_what_it_holds(kind: str, word: str) -> None:
    assert says(await refusal(Keeper().tool(extra="keep"), HOSTILE[kind]), word)

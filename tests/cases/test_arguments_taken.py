"""The cases of section Arguments: what is taken for what, and how much of it."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import JSON, Config, Tool, tool
from pegboard_cases import nested, raw, refusal, says, success, taking


@tool
def dig(depth: int) -> int:
    """Dig."""
    return depth


@tool(coerce=True)
def dig_leniently(depth: int, full: bool = False) -> list[int | bool]:
    """Dig."""
    return [depth, full]


@pytest.mark.parametrize("sent", ["3", True, 3.7, "", None, [3]], ids=repr)
async def test_p_030_without_coerce_only_a_whole_number_is_an_integer(sent: JSON) -> None:
    assert says(await refusal(dig, {"depth": sent}), "$.depth")


@pytest.mark.parametrize("sent", [3, 3.0])
async def test_p_030_a_whole_number_is_an_integer_however_it_is_written(sent: JSON) -> None:
    outcome = await success(dig, {"depth": sent})

    assert (outcome.value, type(outcome.value)) == (3, int)


async def test_p_031_with_coerce_text_that_spells_a_value_is_taken_and_noted() -> None:
    outcome = await success(dig_leniently, {"depth": "3", "full": "true"})

    assert outcome.value == [3, True]
    assert says(repr(outcome.notes), "$.depth", "$.full")


@pytest.mark.parametrize(
    "sent", ["3.7", "", "abc", "1_000", "0x10", " 5 ", "\u0663", "nan", True], ids=ascii
)
async def test_p_032_with_coerce_what_does_not_spell_an_integer_exactly_is_refused(
    sent: JSON,
) -> None:
    assert says(await refusal(dig_leniently, {"depth": sent}), "$.depth")


@tool(coerce=True)
def look(opts: dict[str, int]) -> dict[str, int]:
    """Look."""
    return opts


async def test_p_033_with_coerce_text_of_an_object_is_decoded_once_and_noted() -> None:
    outcome = await success(look, {"opts": '{"a": 3}'})

    assert outcome.value == {"a": 3}
    assert says(repr(outcome.notes), "$.opts")


@pytest.mark.parametrize("sent", ["3", '"{}"', "null", "a: 3", '{"a": "3"', '"{\\"a\\": 3}"'])
async def test_p_033_with_coerce_other_text_is_not_decoded(sent: str) -> None:
    assert says(await refusal(look, {"opts": sent}), "$.opts", "not a string")


async def test_p_033_with_coerce_an_object_inside_decoded_text_is_not_decoded_again() -> None:
    @tool(coerce=True)
    def deep(opts: dict[str, dict[str, int]]) -> int:
        """Look deeper."""
        return len(opts)

    assert says(await refusal(deep, {"opts": '{"a": "{\\"b\\": 1}"}'}), "$.opts.a")


@tool(coerce=True)
def keep_text(body: str) -> str:
    """Keep."""
    return body


@tool(coerce=True)
def keep_either(body: str | dict[str, int]) -> str | dict[str, int]:
    """Keep."""
    return body


@pytest.mark.parametrize("given", [keep_text, keep_either], ids=["str", "str or dict"])
@pytest.mark.parametrize("sent", ['{"k": 1}', "3", "null"])
async def test_p_034_with_coerce_text_where_text_may_stand_arrives_as_it_is(
    given: Tool, sent: str
) -> None:
    outcome = await success(given, {"body": sent})

    assert (outcome.value, outcome.notes) == (sent, ())


@tool
def hold(x: Any) -> Any:
    """Hold."""
    return x


@pytest.mark.parametrize("sent", [-0.0, 1e-320, 2**70, "", "\u0000"], ids=ascii)
@pytest.mark.parametrize("given", [taking({}), hold], ids=["raw", "typed"])
async def test_p_035_odd_values_are_given_back_unchanged(given: Tool, sent: Any) -> None:
    outcome = await success(given, {"x": sent})

    assert repr(outcome.value) == repr(sent)


@pytest.mark.parametrize("sent", [-0.0, 1e-320, 2**70, "", "\u0000"], ids=ascii)
async def test_p_035_odd_values_are_given_back_unchanged_by_a_function_of_their_type(
    sent: Any,
) -> None:
    def same(x: Any) -> Any:
        return x

    same.__annotations__ = {"x": type(sent), "return": type(sent)}

    assert repr((await success(tool(same), {"x": sent})).value) == repr(sent)


@pytest.mark.parametrize("given", [taking({}), hold], ids=["raw", "typed"])
@pytest.mark.parametrize("write", [dict, lambda sent: sent], ids=["value", "text"])
async def test_p_036_a_value_of_256_levels_runs(given: Tool, write: Callable[..., Any]) -> None:
    sent = write({"x": nested(255)})

    assert (await success(given, sent)).value == nested(255)


@pytest.mark.parametrize("sent", [{"x": nested(256)}, '{"x":' + "[" * 256 + "]" * 256 + "}"])
async def test_p_036_a_value_of_257_levels_is_refused_with_the_limit(sent: JSON) -> None:
    assert says(await refusal(hold, sent), "256 levels")


@pytest.mark.parametrize(
    "sent",
    [{"x": [0] * 999_999}, '{"x":[0' + ",0" * 999_998 + "]}", {"x": [[0] * 999] * 1_000}],
    ids=["flat", "text", "shared"],
)
async def test_p_037_a_million_nodes_and_one_are_refused_with_the_limit(sent: JSON) -> None:
    assert says(await refusal(taking({}), sent), "1000000")


async def test_p_037_a_million_nodes_run() -> None:
    given = raw(lambda arguments, context: len(arguments["x"]), extra="keep")

    assert (await success(given, {"x": [0] * 999_998})).value == 999_998


@pytest.mark.parametrize("is_text", [False, True])
async def test_p_037_ten_mebibytes_and_one_byte_are_refused_with_the_limit(is_text: bool) -> None:
    content = "x" * (10 * 2**20 + 1 - len('{"x":""}'))

    message = await refusal(taking({}), f'{{"x":"{content}"}}' if is_text else {"x": content})

    assert says(message, "10485760", "10485761")


@pytest.mark.parametrize(
    ("limit", "sent", "shown"),
    [
        (Config(max_depth=3), {"x": nested(3)}, "3 levels"),
        (Config(max_nodes=7), {"x": [1] * 6}, "7 values"),
        (Config(max_bytes=20), {"x": "y" * 20}, "20 allowed"),
    ],
    ids=["depth", "nodes", "bytes"],
)
async def test_p_038_the_configured_limit_is_the_one_in_the_message(
    limit: Config, sent: JSON, shown: str
) -> None:
    assert says(await refusal(taking({}), sent, config=limit), shown)


@pytest.mark.parametrize("config", [Config(max_depth=3), Config(max_nodes=7), Config(max_bytes=20)])
async def test_p_038_configured_limits_hold_for_raw_text_too(config: Config) -> None:
    await refusal(taking({}), '{"x": [[[1, 2, 3, 4, 5, 6]]]}', config=config)

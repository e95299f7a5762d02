"""The cases of section JSON values."""

import time
from typing import Any

import pytest
from pegboard import JSON, Code, tool
from pegboard_cases import giving, nested, raw, refusal, says, success, taking

KEYS = ["__proto__", "__class__", "", "a.b", "a b", "$ref", "constructor", "\u0000", "ü"]
PLAIN: list[JSON] = [1.5, 2**53 + 1, -(2**70), "", [], {}, None, False, True, 0, -0.0]


def doubled(levels: int) -> JSON:
    """A list that holds the next one twice, and so on."""
    value: JSON = []
    for _ in range(levels):
        value = [value, value]
    return value


async def test_p_278_one_dict_in_two_places_is_two_in_the_body() -> None:
    shared = {"n": 1}

    def change(arguments: JSON, context: object) -> JSON:
        arguments["a"]["n"] = 2
        return arguments

    outcome = await success(raw(change, extra="keep"), {"a": shared, "b": shared})

    assert outcome.value == {"a": {"n": 2}, "b": {"n": 1}}
    assert shared == {"n": 1}


async def test_p_278_one_dict_in_two_places_of_a_value_is_two_for_its_readers() -> None:
    shared = {"n": 1}
    outcome = await success(giving([shared, shared]))

    read: Any = outcome.value
    read[0]["n"] = 2
    shared["n"] = 3

    assert (read, outcome.value) == ([{"n": 2}, {"n": 1}], [{"n": 1}, {"n": 1}])


async def test_p_279_six_thousand_nested_lists_are_refused_by_their_depth() -> None:
    message = await refusal(giving(nested(6_000)), code=Code.INVALID_OUTPUT)

    assert says(message, "256 levels")
    assert len(message) < 1_000


async def test_p_279_six_thousand_nested_lists_of_a_typed_function_are_refused_likewise() -> None:
    @tool
    def dig() -> list[Any]:
        """Dig."""
        value: list[Any] = nested(6_000)
        return value

    assert says(await refusal(dig, code=Code.INVALID_OUTPUT), "256 levels")


@pytest.mark.parametrize("key", KEYS, ids=ascii)
async def test_p_280_odd_keys_are_data(key: str) -> None:
    outcome = await success(taking({}), {"x": {key: key}})

    assert outcome.value == {key: key}


@pytest.mark.parametrize("key", KEYS, ids=ascii)
async def test_p_280_odd_keys_at_the_root_are_data(key: str) -> None:
    given = raw(lambda arguments, context: arguments, extra="keep")

    assert (await success(given, {key: key})).value == {key: key}


@pytest.mark.parametrize("value", PLAIN, ids=repr)
async def test_p_281_plain_values_come_back_unchanged_and_of_the_same_type(value: JSON) -> None:
    outcome = await success(taking({}), {"x": value})

    assert repr(outcome.value) == repr(value)


@pytest.mark.parametrize("value", PLAIN, ids=repr)
async def test_p_281_plain_values_come_back_from_a_typed_function_likewise(value: JSON) -> None:
    @tool
    def same(x: Any) -> Any:
        """Give back."""
        return x

    assert repr((await success(same, {"x": value})).value) == repr(value)


@tool
def whole(x: int) -> int:
    """Take an integer."""
    return x


@tool
def switch(x: bool) -> bool:
    """Take a boolean."""
    return x


RAW_WHOLE = taking({"type": "integer"})
RAW_SWITCH = taking({"type": "boolean"})


@pytest.mark.parametrize("given", [whole, RAW_WHOLE], ids=["typed", "raw"])
@pytest.mark.parametrize("value", [True, False])
async def test_p_282_a_boolean_is_no_integer(given: Any, value: bool) -> None:
    assert says(await refusal(given, {"x": value}), "$.x", "integer", "boolean")


@pytest.mark.parametrize("given", [switch, RAW_SWITCH], ids=["typed", "raw"])
@pytest.mark.parametrize("value", [1, 0, 1.0])
async def test_p_282_a_number_is_no_boolean(given: Any, value: float) -> None:
    assert says(await refusal(given, {"x": value}), "$.x", "boolean")


async def test_p_283_a_value_that_doubles_forty_times_is_refused_in_bounded_time() -> None:
    began = time.monotonic()

    message = await refusal(giving(doubled(40)), code=Code.INVALID_OUTPUT)

    assert says(message, "1000000")
    assert time.monotonic() - began < 20


async def test_p_283_arguments_that_double_forty_times_are_refused_likewise() -> None:
    assert says(await refusal(taking({}), {"x": doubled(40)}), "1000000")


async def test_p_283_a_typed_value_that_doubles_forty_times_is_refused_likewise() -> None:
    @tool
    def swell() -> list[Any]:
        """Swell."""
        value: list[Any] = doubled(40)
        return value

    assert says(await refusal(swell, code=Code.INVALID_OUTPUT), "1000000")

"""What the short ways through encoding and decoding must not miss."""

import enum
import math
from typing import Any

import pytest
from pegboard.errors import NotJSONError
from pegboard.outcomes import ToolCall, tool_call
from pegboard.values import Limits, Snapshot, encode, read_text


class Word(enum.StrEnum):
    A = "a"


class Whole(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("beside", [None, "null", 1.5, []])
def test_a_number_that_is_not_finite_is_found_beside_anything(number: float, beside: Any) -> None:
    with pytest.raises(NotJSONError, match=r"\$\.rows\[0\]\.x: .*finite"):
        encode({"rows": [{"beside": beside, "x": number}]})


def test_finite_numbers_beside_nulls_are_kept() -> None:
    value = {"rows": [{"x": 1.5, "y": None, "null": "null"}, [None, -0.0]]}

    assert Snapshot.of(value).read() == value


@pytest.mark.parametrize("odd", [Word.A, Whole.ONE, (), (1,), {1}, b"x"])
def test_what_equals_json_or_looks_like_it_is_refused_at_any_depth(odd: Any) -> None:
    for value in (odd, [[odd]], {"a": [{"b": odd}]}):
        with pytest.raises(NotJSONError):
            encode(value)


@pytest.mark.parametrize("value", [{1: []}, [{"a": {None: 1}}], {Word.A: [1]}])
def test_a_key_that_is_not_text_is_refused_at_any_depth(value: Any) -> None:
    with pytest.raises(NotJSONError, match="key"):
        encode(value)


def test_a_value_of_exactly_as_many_parts_as_allowed_is_taken() -> None:
    limits = Limits(max_nodes=6)

    assert encode([[1, 2], [3]], limits) == b"[[1,2],[3]]"
    with pytest.raises(NotJSONError, match="more than 6"):
        encode([[1, 2], [3, 4]], limits)


def test_a_value_of_exactly_as_many_levels_as_allowed_is_taken() -> None:
    limits = Limits(max_depth=2)

    assert encode([[1]], limits) == b"[[1]]"
    with pytest.raises(NotJSONError, match="deeper than 2"):
        encode([[[]]], limits)


def test_keys_that_are_gone_are_not_counted() -> None:
    value: dict[Any, Any] = {1: [], "a": [1.5], "b": None}
    del value[1]

    assert encode(value, Limits(max_nodes=4)) == b'{"a":[1.5],"b":null}'


def test_one_list_shared_so_often_that_it_doubles_is_refused_at_once() -> None:
    value: list[Any] = [1]
    for _ in range(100):
        value = [value, value]

    with pytest.raises(NotJSONError, match="more than 1000000"):
        encode(value)


def test_text_from_outside_is_kept_as_it_came_and_equals_the_same_value() -> None:
    value, kept = read_text('{ "a" : [1.50, 1E2] }')

    assert value == {"a": [1.5, 100.0]}
    assert kept.text == b'{ "a" : [1.50, 1E2] }'
    assert kept == Snapshot.of(value)


def test_the_value_of_text_is_the_readers_own() -> None:
    value, kept = read_text('{"a": []}')

    value["a"].append(1)

    assert kept.read() == {"a": []}


def test_a_repeated_key_is_found_where_colons_abound() -> None:
    with pytest.raises(NotJSONError, match="'a' is repeated"):
        read_text('{"a": ":", "a": 1}')


def test_a_call_made_the_short_way_is_the_same_call() -> None:
    assert tool_call("1", "add", {"a": 1}) == ToolCall("1", "add", {"a": 1})


@pytest.mark.parametrize(("call_id", "name"), [(1, "add"), ("1", None)])
def test_a_call_made_the_short_way_is_of_text_too(call_id: Any, name: Any) -> None:
    with pytest.raises(TypeError):
        tool_call(call_id, name, None)


@pytest.mark.parametrize(
    ("value", "limits", "is_too_much"),
    [
        ("x" * 20, Limits(max_bytes=10), True),
        ([[[]]], Limits(max_depth=2), True),
        ([1] * 20, Limits(max_nodes=10), True),
        ([[1] * 6, [2] * 6], Limits(max_nodes=10), True),
        (math.nan, Limits(), False),
        ({1: 2}, Limits(), False),
        ("\ud800", Limits(), False),
        ([object()], Limits(max_nodes=10), False),
    ],
)
def test_what_is_only_too_much_is_told_from_what_is_no_json(
    value: Any, limits: Limits, is_too_much: bool
) -> None:
    with pytest.raises(NotJSONError) as caught:
        encode(value, limits)

    assert caught.value.is_too_much == is_too_much


@pytest.mark.parametrize(
    ("text", "limits", "is_too_much"),
    [
        ('"xxxxxxxxxxxx"', Limits(max_bytes=10), True),
        ("[[[[]]]]", Limits(max_depth=2), True),
        ("[1, 2", Limits(), False),
        ("[NaN]", Limits(), False),
        ('{"a": 1, "a": 1}', Limits(), False),
    ],
)
def test_text_that_is_only_too_much_is_told_from_what_is_no_json(
    text: str, limits: Limits, is_too_much: bool
) -> None:
    with pytest.raises(NotJSONError) as caught:
        read_text(text, limits)

    assert caught.value.is_too_much == is_too_much

"""What a schema becomes in Python's types."""

import json
from typing import Any

import pytest
from pegboard_checked import Checker, sdk_of, text_of, tool_of

OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
LONG = [f"value {number}" for number in range(5000)]


def type_of(schema: Any, **options: Any) -> str:
    """The type of an argument with this schema."""
    text = text_of({"x": schema}, **options)
    (line,) = (each for each in text.splitlines() if each.startswith("    x: "))
    return line.removeprefix("    x: NotRequired[").partition("  #")[0].removesuffix("]")


PLAIN = [
    ({"type": "string"}, "str"),
    ({"type": "integer"}, "int"),
    ({"type": "number"}, "float"),
    ({"type": "boolean"}, "bool"),
    ({"type": "null"}, "None"),
    ({"type": "array"}, "list[Any]"),
    ({"type": "object"}, "dict[str, Any]"),
    ({}, "Any"),
    (True, "Any"),
    ({"not": {"type": "string"}}, "Any"),
    ({"type": "wrong"}, "Any"),
    ({"type": ["string", "null"]}, "str | None"),
    ({"type": ["null", "integer", "string"]}, "int | str | None"),
    ({"type": ["integer", "number"]}, "float"),
    ({"type": "string", "nullable": True}, "str | None"),
    ({"type": "array", "items": {"type": "string"}}, "list[str]"),
    ({"type": "array", "items": True}, "list[Any]"),
    ({"type": "array", "items": False}, "list[Any]"),
    ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
    ({"type": "object", "additionalProperties": False}, "dict[str, Any]"),
    ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, "dict[str, Any]"),
    ({"items": {"type": "string"}}, "Any"),
    ({"minimum": 3}, "Any"),
]


@pytest.mark.parametrize(("schema", "expected"), PLAIN)
def test_a_schema_of_a_few_words_is_a_plain_type(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


UNIONS = [
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None"),
    ({"oneOf": [{"type": "null"}, {"type": "string"}]}, "str | None"),
    ({"anyOf": [{"type": "string"}, {"type": "string", "minLength": 3}]}, "str"),
    ({"anyOf": [{"anyOf": [{"type": "integer"}]}, {"type": "string"}]}, "int | str"),
    ({"anyOf": [{"type": "string"}, {}]}, "Any"),
    ({"anyOf": [{"type": "string"}, False]}, "str"),
    ({"type": "string", "anyOf": [{"format": "date"}, {"format": "time"}]}, "str"),
    ({"type": "string", "not": {"const": "a"}, "if": {"const": "b"}}, "str"),
    ({"allOf": [{"type": "string"}]}, "str"),
    ({"allOf": [{"minLength": 3}, {"type": "string"}]}, "str"),
    ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, "int"),
    ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "int"),
    ({"allOf": [{"type": "string"}, {"enum": ["a", "b"]}]}, 'Literal["a", "b"]'),
]


@pytest.mark.parametrize(("schema", "expected"), UNIONS)
def test_alternatives_are_a_flat_union_in_a_stable_order(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


LISTED = [
    ({"enum": ["a", 1, None, True]}, 'Literal["a", 1, True] | None'),
    ({"enum": [1, True, 0, False]}, "Literal[1, True, 0, False]"),
    ({"const": 2**53 + 1}, "Literal[9007199254740993]"),
    ({"const": 10**200}, "int"),
    ({"const": -1}, "Literal[-1]"),
    ({"const": None}, "None"),
    ({"const": 1.5}, "float"),
    ({"enum": [1.5, 2]}, "float | Literal[2]"),
    ({"enum": [[1], {"a": 1}]}, "list[Any] | dict[str, Any]"),
    ({"type": "string", "enum": ["a", None]}, 'Literal["a"]'),
    ({"type": ["string", "null"], "enum": ["a", None]}, 'Literal["a"] | None'),
    ({"type": "integer", "enum": [1.0, 2]}, "float | Literal[2]"),
    ({"const": 'it\'s "so"\\\n\u202e'}, 'Literal["it\'s \\"so\\"\\\\\\n\\u202e"]'),
    ({"anyOf": [{"const": "a"}, {"enum": ["b", "a"]}]}, 'Literal["a", "b"]'),
    ({"enum": LONG[:200]}, f"Literal[{json.dumps(LONG[:200])[1:-1]}]"),
    ({"enum": LONG}, "str"),
    ({"anyOf": [{"const": each} for each in LONG]}, "str"),
    ({"enum": [*LONG, 1, None]}, "str | int | None"),
    ({"enum": ["x" * 2000, "y"]}, 'str | Literal["y"]'),
    ({"enum": []}, "Any"),
]


@pytest.mark.parametrize(("schema", "expected"), LISTED)
def test_listed_values_are_exact_where_a_literal_can_say_them(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


def array(**words: Any) -> Any:
    return {"type": "array", **words}


FIRST = [{"type": "string"}, {"type": "integer"}]
TUPLES = [
    (array(prefixItems=FIRST), "list[Any]"),
    (array(prefixItems=FIRST, items=False), "list[str | int]"),
    (array(prefixItems=FIRST, maxItems=2), "list[str | int]"),
    (array(prefixItems=FIRST, items={"type": "null"}), "list[str | int | None]"),
    (array(items=FIRST, additionalItems=False), "list[str | int]"),
    (array(items=FIRST), "list[Any]"),
]


@pytest.mark.parametrize(("schema", "expected"), TUPLES)
def test_a_row_is_a_list_of_whatever_its_places_take(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


def test_an_object_is_closed_where_its_schema_refuses_other_keys() -> None:
    text = text_of({"x": {**OBJECT, "additionalProperties": False}})

    assert "class FX(TypedDict, closed=True):\n    a: int\n" in text


def test_an_object_takes_what_its_schema_says_of_other_keys() -> None:
    text = text_of({"x": {**OBJECT, "additionalProperties": {"type": "string"}}})

    assert "class FX(TypedDict, extra_items=str):\n    a: int\n" in text


def test_an_object_whose_schema_says_nothing_of_other_keys_takes_them() -> None:
    assert "class FX(TypedDict, extra_items=Any):\n    a: int\n" in text_of({"x": OBJECT})


def test_a_value_that_a_tool_gives_shows_the_keys_that_it_has() -> None:
    text = text_of(gives=OBJECT)

    assert text == "class FResult(TypedDict):\n    a: int\nasync def f() -> FResult: ...\n"


def test_keys_that_match_a_pattern_are_taken_beside_those_declared() -> None:
    patterns = {"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False}

    assert "extra_items=str" in text_of({"x": {**OBJECT, **patterns}})


def test_a_property_that_can_never_be_there_is_left_out() -> None:
    properties = {"properties": {"a": {"type": "integer"}, "b": False}}

    assert "b:" not in text_of({"x": {**OBJECT, **properties}})


def test_a_required_key_that_is_not_declared_may_be_anything() -> None:
    assert "    b: Any\n" in text_of({"x": {**OBJECT, "required": ["a", "b"]}})


def test_objects_under_all_of_are_one_record() -> None:
    other = {"properties": {"b": {"type": "string"}}, "required": ["b"]}

    text = text_of({"x": {"allOf": [OBJECT, other], "unevaluatedProperties": False}})

    assert "class FX(TypedDict, closed=True):\n    a: int\n    b: str\n" in text


def test_a_part_under_all_of_that_refuses_other_keys_refuses_those_of_its_neighbours() -> None:
    closed = {**OBJECT, "additionalProperties": False}

    text = text_of({"x": {"allOf": [closed, {"properties": {"b": {"type": "string"}}}]}})

    assert "class FX(TypedDict, closed=True):\n    a: int\nclass" in text


def test_each_alternative_of_an_object_has_the_keys_that_all_have() -> None:
    kinds = [{"properties": {"kind": {"const": each}}} for each in ("p", "q")]

    text = text_of({"x": {**OBJECT, "oneOf": kinds}})

    assert '    a: int\n    kind: NotRequired[Literal["p"]]\n' in text
    assert "x: NotRequired[FX1 | FX2]" in text


def test_a_record_without_a_type_may_be_anything_else_too() -> None:
    properties = {"properties": {"a": {"type": "integer"}}}

    assert "x: NotRequired[FX | Any]" in text_of({"x": properties})


def test_a_dict_beside_a_record_is_loose_since_no_checker_tells_them_apart(
    sandbox: Checker,
) -> None:
    table = {"type": "object", "additionalProperties": OBJECT}

    sdk = sdk_of(f=tool_of({"x": {"anyOf": [OBJECT, table]}})).text

    assert "x: NotRequired[FX1 | dict[str, Any]]" in sdk
    assert sandbox.remarks("await f(x={'k': {'a': 1}})", sdk=sdk) == []


def test_an_older_draft_has_no_words_of_a_later_one() -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}

    text = text_of(schema={**schema, "properties": {"x": {"const": 1}}}, extra="forbid")

    assert "x: NotRequired[Any]" in text


def test_what_is_said_beside_a_reference_counts_from_2019_on() -> None:
    base = {"type": "object", "$defs": {"D": OBJECT}}
    properties = {"x": {"$ref": "#/$defs/D", "properties": {"b": {"type": "string"}}}}
    draft = {"$schema": "http://json-schema.org/draft-07/schema#"}

    assert "    b: NotRequired[str]" in text_of(schema={**base, "properties": properties})
    assert "b:" not in text_of(schema={**draft, **base, "properties": properties})


def test_the_root_is_closed_unless_what_it_does_not_declare_is_kept() -> None:
    dropping, keeping = (text_of({"x": {}}, extra=each) for each in ("drop", "keep"))

    assert "class FArguments(TypedDict, closed=True):" in dropping
    assert "class FArguments(TypedDict, extra_items=Any):" in keeping


def test_a_root_that_takes_any_key_of_one_type_says_so() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string"}}

    assert text_of(schema=schema) == "async def f(**arguments: str) -> Any: ...\n"


def test_keys_that_only_alternatives_of_the_root_declare_are_taken() -> None:
    schema = {"type": "object", "properties": {"a": {}}, "anyOf": [{"properties": {"b": {}}}]}

    assert "    b: NotRequired[Any]\n" in text_of(schema=schema)


def test_a_tool_without_parameters_takes_nothing() -> None:
    assert text_of(gives={"type": "string"}) == "async def f() -> str: ...\n"


def test_a_tool_without_output_schema_gives_anything() -> None:
    assert tool_of().output.schema is None
    assert text_of() == "async def f() -> Any: ...\n"

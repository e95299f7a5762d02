"""Messages and schemas that nobody should send."""

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pegboard.errors import MessageError
from pegboard.formats import anthropic, gemini, mcp, openai, openai_responses, pi

FORMATS = {
    "anthropic": anthropic,
    "gemini": gemini,
    "mcp": mcp,
    "openai": openai,
    "openai_responses": openai_responses,
    "pi": pi,
}
SCHEMA_OF = {
    "anthropic": lambda shown: shown["input_schema"],
    "openai": lambda shown: shown["function"]["parameters"],
    "openai_responses": lambda shown: shown["parameters"],
}
names = st.sampled_from(["a", "b", "c d", "$e", "1f", "", "ünï"])
texts = st.text(st.characters(codec="utf-8"), max_size=5)
leaves = st.sampled_from(
    [
        {},
        {"type": "object"},
        {"type": "integer", "exclusiveMaximum": 3},
        {"enum": [1, "x", None]},
        {"const": 2, "description": "One."},
        {"type": ["string", "null"], "maxLength": 9},
        {"type": "array", "prefixItems": [{}], "items": False},
        {"required": ["a"], "properties": {"b": False}},
    ]
)
KEYS = (
    "content type id name input tool_calls choices message function arguments output call_id "
    "candidates parts functionCall args method params"
)
KINDS = ["tool_use", "function_call", "toolCall", "tools/call", "function"]


def message_around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Something that looks like a part of a message."""
    keys = st.sampled_from(KEYS.split())
    values = inner | st.sampled_from(KINDS)
    return st.lists(inner, max_size=3) | st.dictionaries(keys, values, max_size=4)


messages = st.recursive(st.none() | st.integers() | texts, message_around, max_leaves=12)


@pytest.mark.parametrize("name", FORMATS)
@given(message=messages)
@settings(max_examples=200)
def test_any_message_gives_calls_or_a_clear_error(name, message) -> None:
    try:
        found = FORMATS[name].calls(message)
    except MessageError:
        return

    assert all(isinstance(each.id, str) and each.name for each in found)


@st.composite
def hostile_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """Schemas that lead to each other and themselves in every way."""
    leads = st.integers(0, 3).map(lambda n: {"$ref": f"#/$defs/d{n}"})
    nodes = st.recursive(leads | leaves, hostile_around, max_leaves=5)
    defs = {f"d{n}": draw(nodes) for n in range(4)}
    return {**draw(nodes), "$defs": defs}


def hostile_around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    keys = st.sampled_from(["anyOf", "oneOf", "allOf"])
    properties = st.dictionaries(names, inner, max_size=2)
    return st.one_of(
        st.dictionaries(keys, several, min_size=1),
        st.tuples(inner, st.dictionaries(keys, several)).map(lambda two: {**two[0], **two[1]}),
        properties.map(lambda each: {"type": "object", "properties": each}),
        st.tuples(inner, properties).map(lambda two: {**two[0], "properties": two[1]}),
        inner.map(lambda each: {"items": each, "not": each}),
    )


@pytest.mark.parametrize("name", FORMATS)
@given(schema=hostile_schemas())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_any_schema_is_shown_or_named_and_never_takes_the_next_with_it(
    board_showing, name, schema
) -> None:
    board = board_showing(hostile=schema, plain={"type": "object", "properties": {}})

    shown = FORMATS[name].definitions(board)
    lost = {each.tool for each in FORMATS[name].losses(board)}

    assert "plain" in repr(shown[-1])
    assert len(shown) == 2 or "hostile" in lost


@pytest.mark.parametrize("name", SCHEMA_OF)
@given(schema=hostile_schemas())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_any_schema_is_shown_in_strict_mode_or_goes_out_without_it(
    board_showing, name, schema
) -> None:
    board = board_showing(hostile=schema)

    shown = FORMATS[name].definitions(board, strict=True)

    for each in shown:
        jsonschema_rs.meta.validate(SCHEMA_OF[name](each))

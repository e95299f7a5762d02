"""What holds for every schema, call and outcome."""

import copy
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pegboard.formats import anthropic, gemini, mcp, openai, openai_responses, pi
from pegboard.formats._names import _ours
from pegboard.outcomes import Failure, Success
from pegboard.values import Audio, Image, Resource, Text

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
    "gemini": lambda shown: shown.get("parametersJsonSchema", {"type": "object"}),
    "openai": lambda shown: shown["function"]["parameters"],
    "openai_responses": lambda shown: shown["parameters"],
}
EACH_SCHEMA = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])

names = st.sampled_from(["a", "b", "c d", "$e", "1f", "", "ünï"])
texts = st.text(st.characters(codec="utf-8"), max_size=5)
Pair = tuple[dict[str, Any], Any]


def leaves() -> st.SearchStrategy[Pair]:
    """A schema without others inside, and a value that it accepts."""
    integers = st.integers(-9, 9)
    return st.one_of(
        integers.map(lambda n: ({"type": "integer", "minimum": n, "multipleOf": 1}, n)),
        integers.map(lambda n: ({"type": "integer", "exclusiveMaximum": n + 1}, n)),
        integers.map(lambda n: ({"enum": [n, "x", None]}, n)),
        integers.map(lambda n: ({"type": "integer", "enum": [n, n + 1]}, n)),
        integers.map(lambda n: ({"const": n, "description": "One."}, n)),
        texts.map(lambda t: ({"type": ["string", "null"], "maxLength": 9, "title": "T"}, t)),
        texts.map(lambda t: ({"type": "string", "format": "x", "default": t}, t)),
        st.booleans().map(lambda b: ({"type": "boolean"}, b)),
        st.just(({"type": "null"}, None)),
        st.sampled_from([1, "x", None, [1], {"a": {}}]).map(lambda v: ({}, v)),
    )


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    """A closed object, some of its properties optional."""
    properties = draw(st.dictionaries(names, inner, max_size=3))
    required = [name for name in properties if draw(st.booleans())]
    present = [name for name in properties if name in required or draw(st.booleans())]
    schema = {
        "type": "object",
        "properties": {name: each for name, (each, _) in properties.items()},
        "required": required,
        "additionalProperties": False,
    }
    return schema, {name: properties[name][1] for name in present}


def around(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    """A schema with others inside, and a value that it accepts."""
    unions = st.tuples(st.sampled_from(["anyOf"]), inner, inner)
    return st.one_of(
        objects(inner),
        inner.map(lambda p: ({"type": "array", "items": p[0], "uniqueItems": False}, [p[1]] * 2)),
        inner.map(lambda p: ({"type": "array", "prefixItems": [p[0]], "items": False}, [p[1]])),
        inner.map(lambda p: ({"allOf": [p[0]], "description": "D."}, p[1])),
        inner.map(lambda p: ({"allOf": [p[0], p[0]]}, p[1])),
        unions.map(lambda u: ({u[0]: [u[1][0], u[2][0]]}, u[2][1])),
        inner.map(lambda p: ({"type": "object", "additionalProperties": p[0]}, {"k": p[1]})),
    )


pairs = st.recursive(leaves(), around, max_leaves=6)


@st.composite
def tools(draw: st.DrawFn) -> Pair:
    """The schema of a tool, with a union, a reference or nothing special at its root."""
    one, value = draw(objects(pairs))
    other, _ = draw(objects(pairs))
    form = draw(st.sampled_from(["plain", "anyOf", "allOf", "$ref", "inside"]))
    match form:
        case "anyOf":
            return {"anyOf": [other, one]}, value
        case "allOf":
            return {"type": "object", "allOf": [one, {"description": "Both."}]}, value
        case "$ref":
            return {"$ref": "#/definitions/T", "definitions": {"T": one}}, value
        case "inside":
            inside = {"type": "object", "properties": {"in": {"$ref": "#/$defs/T"}}}
            return {**inside, "$defs": {"T": one}}, {"in": value}
        case _:
            return one, value


@pytest.mark.parametrize("name", SCHEMA_OF)
@given(tool=tools())
@EACH_SCHEMA
def test_whatever_a_tool_accepts_its_shown_schema_accepts(board_with, name, tool) -> None:
    schema, value = tool
    assert jsonschema_rs.is_valid(schema, value)

    (shown,) = FORMATS[name].definitions(board_with(schema))

    assert jsonschema_rs.is_valid(SCHEMA_OF[name](shown), aliased(value, name))


def aliased(value: Any, name: str) -> Any:
    """The value with names as the provider is shown them."""
    rule = getattr(FORMATS[name], "_NAME", getattr(FORMATS[name], "_SHAPE", None))
    rule = getattr(rule, "property_name", rule)
    if isinstance(value, list):
        return [aliased(each, name) for each in value]
    if not isinstance(value, dict) or rule is None:
        return value
    return {
        key if rule.fullmatch(key) else _ours(key): aliased(each, name)
        for key, each in value.items()
    }


@pytest.mark.parametrize("name", SCHEMA_OF)
@given(tool=tools())
@EACH_SCHEMA
def test_a_call_in_the_shown_names_comes_back_in_the_tools_own(board_with, name, tool) -> None:
    schema, value = tool

    (call,) = FORMATS[name].calls(message_of(name, aliased(value, name)), board_with(schema))

    assert call.arguments == value


def message_of(name: str, arguments: Any) -> Any:
    match name:
        case "anthropic":
            return {"type": "tool_use", "id": "c", "name": "t", "input": arguments}
        case "gemini":
            return {"functionCall": {"id": "c", "name": "t", "args": arguments}}
        case "openai":
            return [{"id": "c", "function": {"name": "t", "arguments": arguments}}]
        case "openai_responses":
            call = {"type": "function_call", "call_id": "c", "name": "t"}
            return {**call, "arguments": arguments}
        case "mcp":
            return {
                "id": "c",
                "method": "tools/call",
                "params": {"name": "t", "arguments": arguments},
            }
        case _:
            return {"type": "toolCall", "id": "c", "name": "t", "arguments": arguments}


plain_leaves = st.one_of(
    st.integers(-9, 9).map(lambda n: ({"type": "integer", "minimum": n}, n)),
    texts.map(lambda t: ({"type": "string"}, t)),
    texts.map(lambda t: ({"type": "string", "enum": [t, "other"]}, t)),
    st.just(({"anyOf": [{"type": "string"}, {"type": "null"}]}, None)),
)


def plain_around(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return st.one_of(
        objects(inner),
        inner.map(lambda p: ({"type": "array", "items": p[0]}, [p[1], p[1]])),
        inner.map(lambda p: ({"anyOf": [{"type": "boolean"}, p[0]]}, p[1])),
    )


strict_tools = objects(st.recursive(plain_leaves, plain_around, max_leaves=6))


def in_strict_form(schema: dict[str, Any], value: Any) -> Any:
    """What a model in strict mode says for this value: null for what is absent."""
    if "anyOf" in schema and isinstance(value, (dict, list)):
        return in_strict_form(schema["anyOf"][1], value)
    if isinstance(value, list):
        return [in_strict_form(schema["items"], each) for each in value]
    if not isinstance(value, dict):
        return value
    properties = schema["properties"].items()
    return {name: in_strict_form(each, value.get(name)) for name, each in properties}


def takes_null(schema: dict[str, Any]) -> bool:
    return jsonschema_rs.is_valid(schema, None)


def without_doubt(schema: dict[str, Any], value: Any) -> Any:
    """The value with null for each absent property that takes null itself, as strict mode says."""
    if "anyOf" in schema and isinstance(value, (dict, list)):
        return without_doubt(schema["anyOf"][1], value)
    if isinstance(value, list):
        return [without_doubt(schema["items"], each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: without_doubt(each, value.get(name))
        for name, each in schema["properties"].items()
        if name in value or takes_null(each)
    }


@pytest.mark.parametrize("name", ["openai", "openai_responses"])
@given(tool=strict_tools)
@EACH_SCHEMA
def test_a_strict_call_with_nulls_is_valid_and_comes_back_without_them(
    board_with, name, tool
) -> None:
    schema, value = tool
    board, sent = board_with(schema), in_strict_form(schema, value)

    (shown,) = FORMATS[name].definitions(board, strict=True)
    (call,) = FORMATS[name].calls(message_of(name, sent), board, strict=True)

    assert jsonschema_rs.is_valid(SCHEMA_OF[name](shown), sent)
    assert call.arguments == without_doubt(schema, value)


@pytest.mark.parametrize("name", FORMATS)
@given(tool=tools())
@settings(max_examples=50)
def test_nothing_that_is_given_is_changed_and_nothing_given_back_is_shared(
    board_with, name, tool
) -> None:
    schema, value = copy.deepcopy(tool)
    board, message = board_with(schema), message_of(name, copy.deepcopy(value))

    first = copy.deepcopy(FORMATS[name].definitions(board))
    FORMATS[name].definitions(board).clear()
    FORMATS[name].calls(message, board)

    assert FORMATS[name].definitions(board) == first
    assert message == message_of(name, value)


blocks = st.one_of(
    texts.map(Text),
    st.just(Image("AAAA", "image/png")),
    st.just(Audio("AAAA", "audio/wav")),
    texts.map(lambda text: Resource("a:b", text=text)),
)
contents = st.lists(blocks, max_size=3)


@st.composite
def batches(draw: st.DrawFn) -> list[Success | Failure]:
    """Outcomes of a batch."""
    ids = draw(st.lists(st.text("abcxyz", min_size=1), unique=True, max_size=5))
    return [
        Success(each, "t", draw(texts), content=draw(contents), contexts=draw(st.lists(texts)))
        if draw(st.booleans())
        else Failure(each, "u", "crashed", "no", content=draw(contents))
        for each in ids
    ]


PAIRED = {
    "anthropic": lambda found: [
        each["tool_use_id"]
        for message in found
        for each in message["content"]
        if each["type"] == "tool_result"
    ],
    "gemini": lambda found: [
        each["functionResponse"]["id"]
        for message in found
        for each in message["parts"]
        if "functionResponse" in each
    ],
    "openai": lambda found: [each["tool_call_id"] for each in found if each["role"] == "tool"],
    "openai_responses": lambda found: [each["call_id"] for each in found if "call_id" in each],
    "pi": lambda found: [each["toolCallId"] for each in found if each["role"] == "toolResult"],
}


@pytest.mark.parametrize("name", PAIRED)
@given(batch=batches())
def test_every_outcome_has_one_result_paired_by_id_and_in_order(name, batch) -> None:
    found = FORMATS[name].results(batch)

    assert PAIRED[name](found) == [each.call_id for each in batch]


@given(batch=batches())
def test_mcp_has_one_result_for_every_outcome_in_order(batch) -> None:
    found = mcp.results(batch)

    assert [each["isError"] for each in found] == [each.is_error for each in batch]

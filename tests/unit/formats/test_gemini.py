"""Gemini's shape."""

import json
from typing import Any

import pytest
from pegboard.errors import MessageError
from pegboard.formats import gemini
from pegboard.outcomes import Failure, Success
from pegboard.tools.model import Tool
from pegboard.values import Audio, Image, Resource, Text


def schema_of(board: Any) -> dict[str, Any]:
    return gemini.definitions(board)[0]["parametersJsonSchema"]


def what(board: Any) -> list[str]:
    return [each.what for each in gemini.losses(board) if each.tool != "*"]


def shown(board_with: Any, property_schema: Any, **root: Any) -> tuple[Any, list[str]]:
    board = board_with({"type": "object", "properties": {"x": property_schema}, **root})
    return schema_of(board)["properties"]["x"], what(board)


def part(**fields: Any) -> dict[str, Any]:
    return {"functionCall": {"name": "t", "args": {"a": 1}, **fields}}


def test_a_definition_has_its_arguments_as_json_schema(board_of) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

    listed = gemini.definitions(
        board_of(Tool(name="t", description="It.", parameters=schema, run=print))
    )

    assert listed == [{"name": "t", "description": "It.", "parametersJsonSchema": schema}]


def test_a_tool_without_arguments_has_no_parameters(board_with) -> None:
    board = board_with({"type": "object", "properties": {}})

    assert gemini.definitions(board) == [{"name": "t"}]


@pytest.mark.parametrize(
    "listing", [{"type": "integer", "enum": [2, 4, 8]}, {"enum": [2, 4, 8]}, {"const": 2}]
)
def test_integers_are_named_in_the_description_and_as_a_loss(board_with, listing) -> None:
    found, lost = shown(board_with, {**listing, "description": "Days."})

    assert found["type"] == "integer"
    assert found.keys() == {"type", "description"}
    assert found["description"] in ("Days. (one of 2, 4, 8)", "Days. (const: 2)")
    assert any("$.x: " in each and "named in the description" in each for each in lost)


def test_texts_are_listed_and_a_constant_is_a_list_of_one(board_with) -> None:
    assert shown(board_with, {"enum": ["a", "b"]}) == ({"type": "string", "enum": ["a", "b"]}, [])
    assert shown(board_with, {"const": "a"}) == ({"type": "string", "enum": ["a"]}, [])


def test_a_nullable_list_becomes_a_union(board_with) -> None:
    found, lost = shown(board_with, {"type": ["string", "null"], "enum": ["a", None]})

    assert found == {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}
    assert lost == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        ({"type": "integer", "exclusiveMaximum": 9}, {"type": "integer", "maximum": 8}),
        ({"enum": [None]}, {"type": "null"}),
        ({"type": "boolean", "enum": [True, False]}, {"type": "boolean"}),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, {"type": "integer", "minimum": 3}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": "object", "unevaluatedProperties": False}, None),
    ],
)
def test_what_can_be_said_in_other_keywords_is_no_loss(board_with, given, expected) -> None:
    found, lost = shown(board_with, given)

    expected = expected or {"type": "object", "properties": {}, "additionalProperties": False}
    assert found == expected
    assert lost == []


@pytest.mark.parametrize(
    ("given", "keyword"),
    [
        ({"type": "number", "multipleOf": 0.5}, "multipleOf"),
        ({"type": "array", "items": {}, "uniqueItems": True}, "uniqueItems"),
        ({"type": "string", "format": "uri"}, "format"),
        ({"type": "string", "not": {"enum": ["a"]}}, "not"),
        ({"type": "object", "patternProperties": {"^x": {}}}, "patternProperties"),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, "oneOf"),
    ],
)
def test_what_cannot_be_said_is_named(board_with, given, keyword: str) -> None:
    found, lost = shown(board_with, given)

    assert keyword not in found
    assert any(each.startswith(f"$.x: {keyword}") for each in lost)


def test_a_recursive_schema_keeps_its_reference(board_with) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}

    found, lost = shown(board_with, {"$ref": "#/$defs/Node"}, **{"$defs": {"Node": node}})

    assert found == {"$ref": "#/$defs/Node"}
    assert lost == ["#Node: a schema that holds itself, which is followed to a limited depth"]


def test_a_reference_that_leads_nowhere_accepts_anything_and_is_named(board_with) -> None:
    found, lost = shown(board_with, {"$ref": "https://example.org/schema.json"})

    assert found == {}
    assert lost == ["$.x: a reference that leads to nothing inside the schema"]


@pytest.mark.parametrize(
    "reference", ["#/properties/y", "#why", "#/%24defs/a~1b", "https://me.example/s#/properties/y"]
)
def test_every_reference_inside_the_schema_is_found(board_with, reference: str) -> None:
    properties = {"x": {"$ref": reference}, "y": {"type": "string", "$anchor": "why"}}
    schema = {"type": "object", "properties": properties, "$defs": {"a/b": {"type": "string"}}}
    board = board_with({**schema, "$id": "https://me.example/s"})

    (target,) = schema_of(board)["$defs"].values()

    assert target == {"type": "string"}
    assert what(board) == []


def test_required_names_that_nothing_declares_are_left_out_and_named(board_with) -> None:
    board = board_with({"type": "object", "properties": {"a": {}}, "required": ["a", "b"]})

    assert schema_of(board)["required"] == ["a"]
    assert what(board) == ["$: required 'b', which no property declares"]


def test_siblings_of_a_union_move_into_its_branches(board_with) -> None:
    ab = {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}}

    found, _ = shown(board_with, {**ab, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})

    assert found == {"anyOf": [{**ab, "required": ["a"]}, {**ab, "required": ["b"]}]}


def test_schemas_that_double_in_size_at_every_step_are_cut_off(board_with) -> None:
    doubling = {
        f"d{n}": {"type": "object", "allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)
    }
    doubling["d40"] = {"type": "object", "properties": {"a": {"type": "null"}}}

    found, lost = shown(board_with, {"allOf": [{"$ref": "#/$defs/d0"}] * 2}, **{"$defs": doubling})

    assert found["type"] == "object"
    assert "cut off" in repr(lost)


def test_a_schema_that_holds_itself_in_an_intersection_is_cut_off(board_with) -> None:
    child = {"allOf": [{"$ref": "#/$defs/N"}, {"required": ["child"]}]}
    node = {"type": "object", "properties": {"child": child}}

    found, lost = shown(board_with, {"$ref": "#/$defs/N"}, **{"$defs": {"N": node}})

    assert found == {"$ref": "#/$defs/N"}
    assert "cut off" in repr(lost)


def test_one_tool_that_cannot_be_shown_does_not_take_the_others_with_it(board_showing) -> None:
    embedded = {"$id": "https://x.example/y", "$ref": "#/z"}
    board = board_showing(
        bad={"type": "object", "properties": {"a": embedded}}, good={"type": "object"}
    )

    assert [each["name"] for each in gemini.definitions(board)] == ["good"]
    assert "bad" in {each.tool for each in gemini.losses(board)}


def test_a_name_that_is_refused_is_shown_as_another_and_comes_back(board_with) -> None:
    board = board_with({"type": "object", "properties": {"1st-x": {"type": "integer"}}})

    (alias,) = schema_of(board)["properties"]
    (call,) = gemini.calls([part(args={alias: 1})], board)

    assert alias.isidentifier()
    assert call.arguments == {"1st-x": 1}


def test_calls_without_an_id_get_one_each_and_results_leave_it_out(transcripts) -> None:
    found = gemini.calls(json.loads((transcripts / "gemini.json").read_text()))

    (message,) = gemini.results([Success(each.id, each.name, 1) for each in found])

    responses = [each["functionResponse"] for each in message["parts"]]
    assert len({each.id for each in found}) == 3
    assert [each.get("id") for each in responses] == ["fn-1", None, None]
    assert [each["name"] for each in responses] == ["clock_now", "echo", "echo"]


def test_a_response_a_content_its_parts_and_one_part_give_the_same_call() -> None:
    one = part(id="f")
    content = {"role": "model", "parts": [{"text": "hm"}, one]}

    forms = [{"candidates": [{"content": content}]}, content, content["parts"], one]

    assert len({repr(gemini.calls(each)) for each in forms}) == 1


def test_both_spellings_of_a_call_are_read() -> None:
    (call,) = gemini.calls([{"function_call": {"id": "f", "name": "t", "args": None}}])

    assert (call.id, call.name, call.arguments) == ("f", "t", None)


@pytest.mark.parametrize(
    "sent", [[], {"candidates": None}, {"candidates": [{"finishReason": "SAFETY"}]}, {"text": "x"}]
)
def test_a_message_without_calls_gives_none(sent: Any) -> None:
    assert gemini.calls(sent) == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "expected 'candidates'"),
        ([{"functionCall": {"args": {}}}], r"parts\[0\].functionCall has no 'name'"),
        ([{"functionCall": 3}], r"parts\[0\]: 'functionCall' isn't an object"),
        ([{"functionCall": {"name": "t", "id": 3}}], "'id' isn't text"),
        ({"candidates": [{"content": []}, {"content": 3}]}, "'content' isn't an object"),
        ({"candidates": [{"content": {"parts": [part()]}}] * 2}, "2 candidates make calls"),
    ],
)
def test_an_unreadable_message_says_what_is_missing(sent: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        gemini.calls(sent)


def test_results_are_one_content_and_contexts_another() -> None:
    done = Success("f1", "t", "v", content=(Text("v"), Text("w")), contexts=(None, "more"))
    failed = Failure("f2", "t", "crashed", "no")

    responses, contexts = gemini.results([done, failed])

    assert [each["functionResponse"] for each in responses["parts"]] == [
        {"id": "f1", "name": "t", "response": {"output": "v\nw"}},
        {"id": "f2", "name": "t", "response": {"error": "Error: no"}},
    ]
    assert contexts == {"role": "user", "parts": [{"text": "null"}, {"text": "more"}]}


def test_blocks_are_shown_or_said_in_words() -> None:
    pdf = Resource("a:b.pdf", "application/pdf", data="AAAA")
    blocks = (Image("AAAA", "image/png"), Audio("AAAA", "audio/wav"), pdf)

    (message,) = gemini.results([Success("f", "t", None, content=blocks)])

    response = message["parts"][0]["functionResponse"]
    kinds = [each["inlineData"]["mimeType"] for each in response["parts"]]
    assert kinds == ["image/png", "application/pdf"]
    words = "[audio left out: audio/wav, 3 bytes]\n[resource a:b.pdf, application/pdf]"
    assert response["response"]["output"] == words


@pytest.mark.parametrize("key", ["arguments", "partialArgs", "partial_args"])
def test_a_call_whose_arguments_stand_elsewhere_is_refused(key: str) -> None:
    with pytest.raises(MessageError, match=f"has '{key}' where 'args' is expected"):
        gemini.calls({"function_call": {"name": "t", key: "{}"}})

"""Schemas of older drafts, and the corners of merging and reducing."""

from typing import Any

import pytest
from pegboard.formats import anthropic, gemini, openai

OLD = "http://json-schema.org/draft-07/schema#"


def of_anthropic(board_with: Any, schema: dict[str, Any], **options: Any) -> Any:
    return anthropic.definitions(board_with(schema), **options)[0]["input_schema"]


def of_gemini(board_with: Any, x: Any, **root: Any) -> tuple[Any, list[str]]:
    board = board_with({"type": "object", "properties": {"x": x}, **root})
    lost = [each.what for each in gemini.losses(board) if each.tool == "t"]
    return gemini.definitions(board)[0]["parametersJsonSchema"]["properties"]["x"], lost


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            {"dependencies": {"a": ["b"], "b": {"required": ["a"]}}},
            {
                "dependentRequired": {"a": ["b"]},
                "dependentSchemas": {"b": {"required": ["a"]}},
            },
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        (
            {"minimum": 1, "exclusiveMinimum": True, "exclusiveMaximum": 9},
            {"exclusiveMinimum": 1, "exclusiveMaximum": 9},
        ),
        ({"items": []}, {}),
        (
            {"$ref": "#/definitions/n", "minimum": 9, "title": "T"},
            {"$ref": "#/definitions/n", "title": "T"},
        ),
    ],
)
def test_older_drafts_are_spelled_anew(board_with, old, new) -> None:
    given = {"$schema": OLD, "type": "object", "properties": {"x": old}, "definitions": {"n": {}}}

    shown = of_anthropic(board_with, given)

    assert shown["properties"]["x"] == new
    assert "$schema" not in shown


def test_what_stands_beside_a_reference_holds_in_newer_drafts(board_with) -> None:
    x = {"$ref": "#/$defs/n", "minimum": 9, "title": "T"}

    found, lost = of_gemini(board_with, x, **{"$defs": {"n": {"type": "integer"}}})

    assert found == {"anyOf": [{"$ref": "#/$defs/n"}], "title": "T", "description": "(minimum: 9)"}
    assert lost == ["$.x: minimum, named in the description"]


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ({"type": ["integer", "string"]}, {"type": "number"}, {"type": "integer"}),
        ({"type": "number"}, {"type": "integer"}, {"type": "integer"}),
        ({"minimum": 1, "type": "integer"}, {"minimum": 3}, {"type": "integer", "minimum": 3}),
        ({"maxLength": 5, "type": "string"}, {"maxLength": 3}, {"type": "string", "maxLength": 3}),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, {"type": "string", "enum": ["b"]}),
        ({"type": "string", "title": "A"}, {"title": "B"}, {"type": "string", "title": "A"}),
    ],
)
def test_an_intersection_is_what_both_accept(board_with, one, other, both) -> None:
    found, lost = of_gemini(board_with, {"allOf": [one, other]})

    assert found == both
    assert lost == []


def test_properties_of_both_sides_are_intersected(board_with) -> None:
    one = {"type": "object", "properties": {"a": {"type": "integer"}, "b": True}}
    two = {"properties": {"a": {"minimum": 1}, "b": {"type": "null"}, "c": False}}
    three = {"properties": {"a": {"maximum": 9}}, "required": ["a"], "additionalProperties": False}

    found, lost = of_gemini(board_with, {"allOf": [one, two, three]})

    assert found["properties"] == {
        "a": {"type": "integer", "minimum": 1, "maximum": 9},
        "b": {"type": "null"},
    }
    assert found["additionalProperties"] is False
    assert lost == []


@pytest.mark.parametrize(
    "hard",
    [
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        {"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]},
        {"allOf": [{"type": "string"}, False]},
        {"type": "string", "const": "a", "allOf": [{"const": "b"}]},
        {"type": "array", "items": False, "contains": False},
        {"$dynamicRef": "#x"},
        {"$ref": "#/$defs/no"},
        {"$ref": "#/properties/x/type/9"},
    ],
    ids=str,
)
def test_what_one_schema_cannot_say_of_several_is_named(board_with, hard) -> None:
    found, lost = of_gemini(board_with, {"anyOf": [{"type": "null"}, hard]})

    assert "anyOf" in found
    assert len(lost) == 1


def test_a_reference_to_true_or_into_a_list_is_followed(board_with) -> None:
    x = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/any"}, {"$ref": "#/properties/x/anyOf/0"}]}

    found, lost = of_gemini(board_with, x, **{"$defs": {"any": True}})

    assert [each.get("$ref") for each in found["anyOf"]] == [None, "#/$defs/any", "#/$defs/0"]
    assert lost == []


def test_definitions_of_one_last_name_stay_two(board_with) -> None:
    defs = {"a": {"x": {"type": "null"}}, "b": {"x": {"type": "string"}}}
    x = {"anyOf": [{"$ref": "#/$defs/a/x"}, {"$ref": "#/$defs/b/x"}]}

    found, _ = of_gemini(board_with, x, **{"$defs": defs})

    assert found["anyOf"] == [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x_2"}]


def test_both_unions_in_one_node_are_one_union_and_a_loss(board_with) -> None:
    two = [{"type": "string"}, {"type": "null"}]

    found, lost = of_gemini(board_with, {"anyOf": two, "oneOf": two})

    assert found["anyOf"] == two
    assert lost == ["$.x: oneOf, named in the description"]


def test_a_branch_that_its_siblings_rule_out_is_left_out(board_with) -> None:
    x = {"type": "string", "anyOf": [{"type": "integer"}, {"maxLength": 3}]}

    assert of_gemini(board_with, x)[0] == {"anyOf": [{"type": "string", "maxLength": 3}]}


def test_a_node_with_keywords_of_one_type_is_of_that_type_and_that_is_named(board_with) -> None:
    found, lost = of_gemini(board_with, {"minLength": 1})

    assert found == {"type": "string", "minLength": 1}
    assert lost == ["$.x: any type but string, which its keywords are of"]


def test_a_node_with_keywords_of_two_types_is_of_any_and_that_is_named(board_with) -> None:
    found, lost = of_gemini(board_with, {"minLength": 1, "minimum": 2})

    assert found == {"description": "(minLength: 1; minimum: 2)"}
    assert len(lost) == 2


def test_whole_floats_count_as_integers(board_with) -> None:
    found, _ = of_gemini(board_with, {"type": ["integer", "string"], "enum": [1.0, "a"]})

    assert found["anyOf"][0]["type"] == "integer"


def test_lists_of_objects_go_into_the_description(board_with) -> None:
    x = {"type": "object", "enum": [{"a": 1}]}

    shown = of_anthropic(board_with, {"type": "object", "properties": {"x": x}}, strict=True)

    assert shown["properties"]["x"] == x


@pytest.mark.parametrize(
    ("given", "items"),
    [
        ({"prefixItems": [{"type": "null"}], "items": False}, {"type": "null"}),
        ({"prefixItems": [{"enum": ["a"]}], "items": {"enum": ["b"]}}, {"enum": ["a", "b"]}),
        ({"items": {"type": "null"}, "minItems": 2}, {"type": "null"}),
    ],
)
def test_lists_are_said_by_their_items_in_strict_mode(board_with, given, items) -> None:
    x = {"type": "array", **given}

    shown = of_anthropic(board_with, {"type": "object", "properties": {"x": x}}, strict=True)

    assert shown["properties"]["x"]["items"] == items
    assert "Items" in shown["properties"]["x"]["description"]


def test_text_beyond_what_a_description_should_hold_is_named_only(board_with) -> None:
    found, lost = of_gemini(board_with, {"type": "integer", "enum": list(range(500))})

    assert found == {"type": "integer"}
    assert lost == ["$.x: enum of integer"]


@pytest.mark.parametrize("levels", [1, 3])
def test_schemas_that_unfold_beyond_all_depth_are_cut_off(board_with, levels: int) -> None:
    defs: dict[str, Any] = {"d200": {"type": "object"}}
    for n in range(200):
        inside = {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"minProperties": 1}]}
        for _ in range(levels):
            inside = {"type": "object", "properties": {"a": inside}}
        defs[f"d{n}"] = inside

    _, lost = of_gemini(board_with, {"$ref": "#/$defs/d0"}, **{"$defs": defs})

    assert any("cut off" in each for each in lost)


def test_what_arguments_need_of_each_other_is_joined(board_with) -> None:
    one = {"type": "object", "dependentRequired": {"a": ["b"]}, "properties": {"a": {}, "b": {}}}
    two = {"dependentRequired": {"a": ["c"], "b": ["c"]}, "properties": {"c": {}}}

    shown = of_anthropic(board_with, {"allOf": [one, two]})

    assert shown["dependentRequired"] == {"a": ["b", "c"], "b": ["c"]}


def test_names_that_others_depend_on_are_changed_with_them(board_with) -> None:
    schema = {"type": "object", "properties": {"$a": {}, "b": {}}}

    shown = of_anthropic(board_with, {**schema, "dependentRequired": {"$a": ["b"], "b": ["$a"]}})

    (alias,) = set(shown["properties"]) - {"b"}
    assert shown["dependentRequired"] == {alias: ["b"], "b": [alias]}


def test_undeclared_properties_are_what_strict_mode_loses(board_with) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": True}
    board = board_with({**schema, "required": ["a"]})

    (shown,) = openai.definitions(board, strict=True)

    assert shown["function"]["parameters"]["additionalProperties"] is False
    lost = [each.what for each in openai.losses(board, strict=True) if each.tool == "t"]
    assert lost == ["$: undeclared properties"]


def test_null_behind_references_that_lead_to_each_other_ends(board_with) -> None:
    defs = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    board = board_with(
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": defs}
    )
    made = {"id": "c", "function": {"name": "t", "arguments": '{"x": {"y": null}}'}}

    (call,) = openai.calls([made], board, strict=True)

    assert call.arguments == '{"x": {"y": null}}'


def test_null_is_taken_out_inside_unions_of_unions_and_references(board_with) -> None:
    node = {"type": "object", "properties": {"y": {"type": "string"}}}
    inner = {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/node"}]}
    x = {"anyOf": [{"type": "array", "items": inner}, {"type": "null"}]}
    board = board_with({"type": "object", "properties": {"x": x}, "$defs": {"node": node}})
    made = {"id": "c", "function": {"name": "t", "arguments": '{"x": [1, {"y": null}]}'}}

    (call,) = openai.calls([made], board, strict=True)

    assert call.arguments == {"x": [1, {}]}

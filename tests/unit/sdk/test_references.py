"""What references inside a schema become."""

from typing import Any

import pytest
from pegboard.values import JSON
from pegboard_checked import Checker, sdk_of, text_of, tool_of

NUMBER = {"type": "integer"}


def x_of(reference: str, **words: Any) -> str:
    """The line of an argument `x` that refers to something in a schema with these words."""
    schema = {"type": "object", "properties": {"x": {"$ref": reference}, "y": NUMBER}, **words}
    (line,) = (each for each in text_of(schema=schema).splitlines() if "    x: " in each)
    return line.removeprefix("    x: NotRequired[")[:-1]


WAYS: list[tuple[str, JSON]] = [
    ("#/$defs/N", {"$defs": {"N": NUMBER}}),
    ("#/definitions/N", {"definitions": {"N": NUMBER}}),
    ("#/$defs/a~1b~0c%20d", {"$defs": {"a/b~c d": NUMBER}}),
    ("#/properties/y", {}),
    ("#/$defs/L/anyOf/0", {"$defs": {"L": {"anyOf": [NUMBER]}}}),
    ("#n", {"$defs": {"N": {"$anchor": "n", **NUMBER}}}),
    ("urn:n", {"$defs": {"N": {"$id": "urn:n", **NUMBER}}}),
    ("urn:n#/$defs/I", {"$defs": {"N": {"$id": "urn:n", "$defs": {"I": NUMBER}}}}),
    ("#/$defs/N", {"$id": "urn:all", "$defs": {"N": {"$ref": "#/$defs/M"}, "M": NUMBER}}),
]


@pytest.mark.parametrize(("reference", "words"), WAYS)
def test_a_reference_is_what_it_leads_to(reference: str, words: JSON) -> None:
    assert x_of(reference, **words) == "int"


NOWHERE = ["#/$defs/None", "#/required/0", "#none", "https://example.com/s", "", "#/$defs/N/type"]


@pytest.mark.parametrize("reference", NOWHERE)
def test_a_reference_that_leads_nowhere_may_be_anything(reference: str) -> None:
    found = text_of(
        schema={"type": "object", "properties": {"x": {"$ref": reference}}, "$defs": {"N": NUMBER}}
    )

    assert "x: NotRequired[Any]" in found or "x: NotRequired[FRoot]" in found


def test_a_reference_inside_a_schema_with_an_address_counts_from_there() -> None:
    inner = {"$id": "urn:inner", "$ref": "#/$defs/N", "$defs": {"N": {"type": "string"}}}

    assert x_of("urn:inner", **{"$defs": {"I": inner, "N": NUMBER}}) == "str"


def test_a_dynamic_reference_may_be_anything() -> None:
    assert "x: NotRequired[Any]" in text_of({"x": {"$dynamicRef": "#n"}})


def node(of: str, **words: JSON) -> JSON:
    """The schema of an object that may hold another."""
    return {"type": "object", "properties": {"n": {"$ref": f"#/$defs/{of}"}}, **words}


def test_a_type_that_holds_itself_is_quoted(sandbox: Checker) -> None:
    schema = {**node("T"), "$defs": {"T": node("T", additionalProperties=False)}}

    sdk = sdk_of(f=tool_of(schema=schema)).text

    assert 'class FT(TypedDict, closed=True):\n    n: NotRequired["FT"]\n' in sdk
    assert sandbox.remarks("await f(n={'n': {'n': {}}})", sdk=sdk) == []
    assert sandbox.remarks("await f(n={'n': {'n': 1}})", sdk=sdk) != []


def test_types_that_hold_each_other_are_quoted_where_they_come_first(sandbox: Checker) -> None:
    schema = {**node("A"), "$defs": {"A": node("B"), "B": node("A")}}

    sdk = sdk_of(f=tool_of(schema=schema)).text

    assert 'n: NotRequired["FA"]' in sdk
    assert sdk.index("class FB(") < sdk.index("class FA(")
    assert sandbox.passes(sdk)


def test_a_quoted_type_in_a_union_is_no_text(sandbox: Checker) -> None:
    maybe = {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}
    tree = {"type": "object", "properties": {"n": maybe}}

    sdk = sdk_of(f=tool_of(schema={**node("T"), "$defs": {"T": tree}})).text

    assert 'n: NotRequired[Union["FT", None]]' in sdk
    assert sandbox.passes(sdk)


def test_any_json_is_a_type_that_holds_itself(sandbox: Checker) -> None:
    inside = {"$ref": "#/$defs/J"}
    kinds = [{"type": "array", "items": inside}, {"type": "string"}, {"type": "integer"}]
    schema = {"type": "object", "properties": {"x": inside, "y": inside}, "required": ["x"]}

    sdk = sdk_of(f=tool_of(schema={**schema, "$defs": {"J": {"anyOf": kinds}}})).text

    assert 'FJ = list["FJ"] | str | int\n' in sdk
    assert sandbox.remarks("await f(x=[[1, 'a'], []])", sdk=sdk) == []
    assert sandbox.remarks("await f(x=None)", sdk=sdk) != []


def test_the_whole_schema_inside_itself_is_as_open_as_it_says() -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": "#"}}}

    text = text_of(schema=schema, extra="forbid")

    assert 'class FRoot(TypedDict, extra_items=Any):\n    x: NotRequired["FRoot"]\n' in text
    assert "class FArguments(TypedDict, closed=True):\n    x: NotRequired[FRoot]\n" in text


@pytest.mark.parametrize("word", ["anyOf", "allOf", "$ref"])
def test_what_is_nothing_but_itself_may_be_anything(word: str) -> None:
    itself = {"$ref": "#/$defs/A"} if word == "$ref" else {word: [{"$ref": "#/$defs/A"}]}

    assert x_of("#/$defs/A", **{"$defs": {"A": itself}}) == "Any"


def test_a_definition_that_is_used_once_stands_in_its_place() -> None:
    assert x_of("#/$defs/E", **{"$defs": {"E": {"enum": ["a", "b", "c"]}}}) == (
        'Literal["a", "b", "c"]'
    )


def test_a_long_definition_that_is_used_twice_has_a_name() -> None:
    properties = {key: {"$ref": "#/$defs/E"} for key in ("x", "y")}
    schema = {"type": "object", "properties": properties, "$defs": {"E": {"enum": ["a", "b", "c"]}}}

    text = text_of(schema=schema)

    assert text.startswith('FE = Literal["a", "b", "c"]\n')
    assert "    x: NotRequired[FE]\n    y: NotRequired[FE]\n" in text

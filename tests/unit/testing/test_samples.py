import json
from pathlib import Path
from typing import Any

import pytest
from pegboard.testing.samples import samples
from pegboard.tools.validation import make_validator
from pegboard.values import Snapshot

TREE = {
    "$defs": {"Node": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Node"}}}},
    "$ref": "#/$defs/Node",
}
WIDE = {"type": "object", "properties": {f"p{n}": {"$ref": "#/$defs/Wide"} for n in range(20)}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "anything": {},
    "const": {"const": {"a": 1}},
    "enumeration": {"enum": ["a", None, 3]},
    "several types": {"type": ["integer", "null"]},
    "narrow integers": {"type": "integer", "minimum": 7, "exclusiveMaximum": 9},
    "steps": {"type": "integer", "multipleOf": 7, "minimum": 50},
    "a narrow number": {"type": "number", "exclusiveMinimum": 0.25, "exclusiveMaximum": 0.5},
    "short text": {"type": "string", "minLength": 3, "maxLength": 3},
    "long text": {"type": "string", "minLength": 5_000},
    "a plain pattern": {"type": "string", "pattern": "^[a-z]+$"},
    "an example": {"type": "string", "pattern": "^q{7}$", "examples": ["q" * 7]},
    "a time": {"type": "string", "format": "date-time"},
    "a uuid": {"type": "string", "format": "uuid"},
    "lists": {"type": "array", "items": {"type": "integer"}, "minItems": 3},
    "sets": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 3},
    "pairs": {"type": "array", "prefixItems": [{"type": "string"}, {"const": 1}], "items": False},
    "full pairs": {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "minItems": 2},
    "a table": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
    "an undeclared key": {"type": "object", "required": ["a"]},
    "a reference": {"$defs": {"A": {"const": 5}}, "type": "object", "required": ["a"]}
    | {"properties": {"a": {"$ref": "#/$defs/A"}}},
    "one that holds itself": TREE,
    "one that holds itself often": {"$defs": {"Wide": WIDE}, "$ref": "#/$defs/Wide"},
    "branches": {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]},
    "exactly one": {"oneOf": [{"type": "integer"}, {"type": "number", "maximum": 0.5}]},
    "all": {"allOf": [{"type": "string"}, {"minLength": 4}, {"maxLength": 5}]},
    "all keys": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    | {"allOf": [{"properties": {"b": {"const": 2}}, "required": ["b"]}]},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_values_are_found_for_a_schema_and_it_accepts_them(name: str) -> None:
    accepts = make_validator(Snapshot.of(SCHEMAS[name])).accepts

    found = samples(SCHEMAS[name])

    assert found
    assert all(map(accepts, found))


def test_the_same_values_are_found_every_time_and_none_twice() -> None:
    texts = [json.dumps(samples(SCHEMAS["anything"])) for _ in range(2)]

    assert texts[0] == texts[1]
    values = [json.dumps(each) for each in json.loads(texts[0])]
    assert len(set(values)) == len(values)


def test_optional_arguments_are_left_out_and_given() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"const": 1}}}

    assert samples(schema) == [{}, {"a": True, "b": 1}, {"a": False, "b": 1}]


def test_edges_are_among_the_values() -> None:
    found = samples({"type": "integer", "minimum": 3, "maximum": 9})

    assert found[:1] == [3]
    assert {3, 4, 8, 9} <= set(found)


def test_where_nothing_fits_nothing_is_given() -> None:
    assert samples({"type": "string", "pattern": "^q{7}-[wz]{3}$"}) == []


@pytest.mark.shared
def test_arguments_are_found_for_every_tool_of_real_servers(shared_definitions: Path) -> None:
    listed = [json.loads(each.read_text()) for each in shared_definitions.glob("*.json")]

    schemas = [schema for each in listed for schema in _parameters(each)]

    assert len(schemas) > 20
    assert [schema for schema in schemas if not samples(schema)] == []


def _parameters(value: Any) -> list[Any]:
    """The parameter schemas anywhere inside."""
    if not isinstance(value, (dict, list)):
        return []
    own = value if isinstance(value, dict) else {}
    found = [own[key] for key in ("parameters", "inputSchema", "input_schema") if key in own]
    inside = value.values() if isinstance(value, dict) else value
    return [
        *(each for each in found if own.get("name")),
        *(p for e in inside for p in _parameters(e)),
    ]

"""Schemas of every kind, and values that they accept."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from hypothesis import strategies as st
from pegboard.tools.validation import compile_schema
from pegboard.values import JSON

KEYS = ["a", "b", "type", "list", "class", "a-b", "__tok", "_p", "match", "größe", "self", ""]
DEFINED = ["D0", "D1"]

Value = st.SearchStrategy[JSON]


@attrs.frozen
class Pair:
    """A schema, and what may be accepted by it: `draw` gives such a value.

    Attributes:
        schema: the schema.
        values: values, most of which the schema accepts.
    """

    schema: JSON
    values: Value


LITERALS: list[JSON] = [1, 0, -3, True, False, None, "a", "it's \"\\\n", 2.5, 2**60, [1], {"a": 1}]
ANYTHING: Value = st.sampled_from([*LITERALS, {}, [], ["x", 1], {"z": {"y": None}}, ""])
TEXT = st.sampled_from(["", "abc", "q\"'\\", "é☃\n", "x" * 50])
NUMBERS: Value = st.sampled_from([0, 5, -3, 2**60, 1.5, -0.25])
WHOLE: Value = st.sampled_from([0, 5, -3, 2**60])

PLAIN = [
    Pair({"type": "string"}, TEXT),
    Pair({"type": "string", "minLength": 1, "description": "Some."}, TEXT),
    Pair({"type": "integer"}, WHOLE),
    Pair({"type": "number", "minimum": 0}, NUMBERS),
    Pair({"type": "boolean"}, st.booleans()),
    Pair({"type": "null"}, st.none()),
    Pair({"type": ["string", "null"]}, st.none() | TEXT),
    Pair({"type": ["integer", "boolean", "string"]}, WHOLE | st.booleans() | TEXT),
    Pair({"type": "string", "nullable": True}, TEXT),
    Pair({"type": "object"}, st.sampled_from([{}, {"z": 1}])),
    Pair({"type": "array"}, st.sampled_from([[], [1, "x"]])),
    Pair({}, ANYTHING),
    Pair(True, ANYTHING),
    Pair({"not": {"type": "string"}}, ANYTHING),
]


def plain() -> st.SearchStrategy[Pair]:
    """A schema without others inside."""
    listed = st.lists(st.sampled_from(LITERALS), min_size=1, max_size=4)
    return st.one_of(
        st.sampled_from(PLAIN),
        st.sampled_from(LITERALS).map(lambda each: Pair({"const": each}, st.just(each))),
        listed.map(lambda found: Pair({"enum": found}, st.sampled_from(found))),
        st.sampled_from(DEFINED).map(lambda name: Pair({"$ref": f"#/$defs/{name}"}, ANYTHING)),
    )


def dicts(fields: Mapping[str, Pair], needed: list[str], others: Value) -> Value:
    """Objects with these fields, and sometimes one more key."""
    required = {key: fields[key].values if key in fields else ANYTHING for key in needed}
    optional = {key: each.values for key, each in fields.items() if key not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    more = st.dictionaries(st.sampled_from(["x1", "other"]), others, max_size=1)
    return st.builds(lambda one, two: {**two, **one}, known, more)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    """An object."""
    fields = draw(st.dictionaries(st.sampled_from(KEYS), inner, max_size=3))
    needed = draw(st.lists(st.sampled_from([*fields, "more"]), max_size=2, unique=True))
    schema: JSON = {"properties": {key: each.schema for key, each in fields.items()}}
    schema |= {"required": needed} if needed else {}
    kind = draw(st.sampled_from(["object", "object", ["object", "null"], None]))
    schema |= {"type": kind} if kind else {}
    others = draw(st.none() | inner)
    match draw(st.sampled_from(["open", "closed", "others", "pattern", "unevaluated"])):
        case "closed":
            schema["additionalProperties"] = False
        case "others" if others:
            schema["additionalProperties"] = others.schema
        case "pattern" if others:
            schema["patternProperties"] = {"^x": others.schema}
            schema["additionalProperties"] = draw(st.booleans())
        case "unevaluated":
            schema["unevaluatedProperties"] = others.schema if others else False
    return Pair(schema, dicts(fields, needed, others.values if others else ANYTHING))


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    """An array."""
    first = draw(st.lists(inner, max_size=2))
    rest = draw(inner)
    schema: JSON = {"type": "array"}
    schema |= {"prefixItems": [each.schema for each in first]} if first else {}
    is_said, is_bounded = draw(st.booleans()), draw(st.booleans())
    schema |= {"items": rest.schema} if is_said or not first else {}
    schema |= {"maxItems": len(first)} if is_bounded and first else {}
    places = st.tuples(*(each.values for each in first)).map(list)
    more = st.lists(rest.values, max_size=0 if "maxItems" in schema else 2)
    return Pair(schema, st.builds(lambda one, two: [*one, *two], places, more))


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    """Several schemas of which one holds, or all."""
    branches = draw(st.lists(inner, min_size=1, max_size=3))
    word = draw(st.sampled_from(["anyOf", "oneOf", "allOf"]))
    schema: JSON = {word: [each.schema for each in branches]}
    schema |= draw(st.sampled_from([{}, {}, {"type": "object"}, {"type": ["object", "string"]}]))
    values = st.one_of(*(each.values for each in branches))
    return Pair(schema, values if word != "allOf" else values | merged(branches))


def merged(pairs: list[Pair]) -> Value:
    """One object of what all of these give."""
    found = st.tuples(*(each.values for each in pairs))
    return found.map(lambda all_: {k: v for e in all_ if type(e) is dict for k, v in e.items()})


@st.composite
def mixed(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    """An object that also says what else holds for it."""
    one, two = draw(objects(inner)), draw(objects(inner))
    word = draw(st.sampled_from(["anyOf", "oneOf", "allOf", "then"]))
    schema = {**one.schema, word: two.schema if word == "then" else [two.schema]}
    schema |= {"if": draw(inner).schema} if word == "then" else {}
    schema |= draw(st.sampled_from([{}, {"$ref": "#/$defs/D0"}]))
    return Pair(schema, merged([one, two]) | one.values)


def schemas() -> st.SearchStrategy[Pair]:
    """A schema that may refer to `#/$defs/D0` and `#/$defs/D1`."""
    return st.recursive(plain(), _around, max_leaves=5)


def _around(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    kinds: list[Callable[[st.SearchStrategy[Pair]], st.SearchStrategy[Pair]]]
    kinds = [objects, objects, arrays, unions, mixed]
    return st.one_of(*(each(inner) for each in kinds))


@attrs.frozen
class Call:
    """Arguments of a tool, and the schema that accepts them."""

    schema: JSON
    arguments: list[dict[str, JSON]]


@st.composite
def calls(draw: st.DrawFn, *, most: int) -> Call:
    """The schema of a tool's arguments, and at most so many that it accepts."""
    fields = draw(st.dictionaries(st.sampled_from(KEYS), schemas(), min_size=1, max_size=3))
    needed = draw(st.lists(st.sampled_from([*fields]), max_size=2, unique=True))
    defined = {name: draw(schemas()) for name in DEFINED}
    schema: Any = {"type": "object", "required": needed}
    schema["properties"] = {key: each.schema for key, each in fields.items()}
    schema["$defs"] = {key: each.schema for key, each in defined.items()}
    accepts = compile_schema(schema).is_valid
    tried = draw(st.lists(dicts(fields, needed, st.nothing()), max_size=most))
    return Call(schema, [each for each in map(spelled, tried) if accepts(each)])


def spelled(value: JSON) -> JSON:
    """The value with whole numbers as integers, as one would write them."""
    if type(value) is dict:
        return {key: spelled(each) for key, each in value.items()}
    if type(value) is list:
        return [spelled(each) for each in value]
    return int(value) if type(value) is float and value.is_integer() else value

"""A reduced schema as a strict mode wants it, and a call's arguments back from there."""

from collections.abc import Iterator

import attrs

from pegboard.formats._references import holding_themselves
from pegboard.formats._schema import Schema, changed_parts, levels, without
from pegboard.formats._shape import Strictness
from pegboard.values import JSON

_DEEPEST = 8
_NULL = {"type": "null"}


@attrs.frozen
class Strict:
    """A schema in strict form.

    Attributes:
        schema: what the provider gets, unless there are faults.
        faults: why it can't have a strict form.
        losses: what the strict form can't say.
    """

    schema: Schema
    faults: tuple[str, ...]
    losses: tuple[str, ...]


def strict(schema: Schema, strictness: Strictness) -> Strict:
    """The reduced schema in strict form."""
    strictening = _Strictening(strictness, schema.get("$defs", {}))
    found: Schema = strictening.walked(schema, "$")
    faults = [*strictening.faults, *_excess(schema, strictness)]
    if not strictness.allows_recursion and holding_themselves(schema):
        faults.append("$: a schema that holds itself")
    return Strict(found, tuple(faults), tuple(strictening.losses))


@attrs.frozen
class _Strictening:
    strictness: Strictness
    defs: dict[str, JSON]
    faults: list[str] = attrs.field(factory=list)
    losses: list[str] = attrs.field(factory=list)

    def walked(self, node: JSON, where: str) -> JSON:
        found = changed_parts(without(node, "additionalProperties"), self.walked, where)
        if node.get("type") == "object":
            return self.closed(found, node, where)
        if node.keys().isdisjoint({"type", "anyOf", "$ref", "enum", "const"}):
            self.faults.append(f"{where}: any JSON value")
        return found

    def closed(self, found: Schema, node: Schema, where: str) -> Schema:
        properties = found.get("properties", {})
        self.see_rest(node.get("additionalProperties"), where, is_open=not properties)
        found = {**found, "properties": properties, "additionalProperties": False}
        if not self.strictness.requires_all:
            return found
        needed = node.get("required", ())
        known = {
            name: each if name in needed else self.nullable(each, f"{where}: absence of {name!a}")
            for name, each in properties.items()
        }
        return {**found, "properties": known, "required": list(properties)}

    def see_rest(self, rest: JSON, where: str, *, is_open: bool) -> None:
        """Note what closing an object leaves out: some of it, or all that it is for."""
        if rest is False:
            return
        if rest not in (None, True, {}) or (is_open and (where != "$" or rest is not None)):
            self.faults.append(f"{where}: properties of any name")
        elif rest is not None:
            self.losses.append(f"{where}: undeclared properties")

    def nullable(self, schema: Schema, absence: str) -> Schema:
        if admits_null(schema, self.defs):
            self.losses.append(absence)
            return schema
        outside = {key: schema[key] for key in schema if key in ("title", "description")}
        inside = without(schema, *outside)
        branches = inside.get("anyOf", [inside])
        return {**outside, "anyOf": [*branches, _NULL]}


def _excess(schema: Schema, strictness: Strictness) -> Iterator[str]:
    nodes = [node for level in levels(schema) for node in level]
    names = [name for node in nodes for name in node.get("properties", ())]
    values = [value for node in nodes for value in node.get("enum", ())]
    characters = sum(map(len, names)) + sum(len(each) for each in values if isinstance(each, str))
    for what, number, most in (
        ("levels of objects", _object_levels(schema), strictness.most_levels),
        ("properties", len(names), strictness.most_properties),
        ("listed values", len(values), strictness.most_values),
        ("characters of names and listed values", characters, strictness.most_characters),
    ):
        if number > most:
            yield f"$: {number} {what}, more than the {most} allowed"


def _object_levels(node: JSON) -> int:
    if not isinstance(node, dict):
        return 0
    inside = [*node.get("properties", {}).values(), *node.get("anyOf", ()), node.get("items")]
    return (node.get("type") == "object") + max(map(_object_levels, inside), default=0)


def admits_null(schema: Schema, defs: dict[str, JSON]) -> bool:
    """Whether null is a legal value of a reduced schema."""
    pending, seen = [schema], set[str]()
    while pending:
        node = pending.pop()
        reference = node.get("$ref")
        if reference and reference not in seen:
            seen.add(reference)
            pending.append(defs[reference.removeprefix("#/$defs/")])
        pending.extend(node.get("anyOf", ()))
        if node == {} or node.get("type") == "null" or None in node.get("enum", ()):
            return True
    return False


def without_nulls(arguments: JSON, schema: Schema) -> JSON:
    """The arguments with null taken out where strict mode put it for an optional property.

    Args:
        arguments: as the model sent them; a copy of the caller's own, which is changed.
        schema: the reduced schema, before it was made strict.
    """
    defs = schema.get("$defs", {})
    pending: list[tuple[Schema, JSON]] = [(schema, arguments)]
    while pending:
        node, value = pending.pop()
        node = _chosen(node, value, defs) if isinstance(value, (dict, list)) else {}
        if isinstance(value, dict):
            _drop_nulls(value, node, defs)
            known = node.get("properties", {})
            pending.extend((known[name], each) for name, each in value.items() if name in known)
        elif isinstance(value, list):
            pending.extend((node.get("items", {}), each) for each in value)
    return arguments


def _drop_nulls(value: dict[str, JSON], node: Schema, defs: dict[str, JSON]) -> None:
    for name, schema in node.get("properties", {}).items():
        is_optional = name not in node.get("required", ())
        if is_optional and name in value and value[name] is None and not admits_null(schema, defs):
            del value[name]


def _chosen(node: Schema, value: JSON, defs: dict[str, JSON]) -> Schema:
    """The schema without unions and references that a value was written for."""
    for _ in range(len(defs) + 64):
        if "$ref" in node:
            node = defs[node["$ref"].removeprefix("#/$defs/")]
        elif "anyOf" in node:
            node = next((each for each in node["anyOf"] if _fits(each, value, defs)), {})
        else:
            return node
    return {}


def _fits(node: Schema, value: JSON, defs: dict[str, JSON], level: int = 0) -> bool:
    """Whether a value looks as if it was written for a schema in strict form."""
    if level > _DEEPEST or node == {}:
        return True
    if "$ref" in node:
        return _fits(defs[node["$ref"].removeprefix("#/$defs/")], value, defs, level + 1)
    if "anyOf" in node:
        return any(_fits(each, value, defs, level + 1) for each in node["anyOf"])
    if "enum" in node or "const" in node:
        return value in node.get("enum", (node.get("const"),))
    if isinstance(value, dict):
        return node.get("type") == "object" and _fits_object(node, value, defs, level)
    if isinstance(value, list):
        inside = node.get("items", {})
        is_array = node.get("type") == "array"
        return is_array and all(_fits(inside, each, defs, level + 1) for each in value)
    return node.get("type") in _KINDS[type(value)]


def _fits_object(node: Schema, value: Schema, defs: dict[str, JSON], level: int) -> bool:
    known, needed = node.get("properties", {}), node.get("required", ())
    return known.keys() == value.keys() and all(
        (value[name] is None and name not in needed) or _fits(each, value[name], defs, level + 1)
        for name, each in known.items()
    )


_KINDS: dict[type, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("integer", "number"),
    str: ("string",),
    type(None): ("null",),
}

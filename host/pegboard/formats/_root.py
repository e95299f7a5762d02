"""The root of a tool's schema as one plain object, which is all that most providers take."""

from collections.abc import Sequence

from pegboard.formats._merge import Merging, both, either, is_possible
from pegboard.formats._schema import Schema, types_of, without
from pegboard.values import JSON, encode

_ALTERNATIVES = ("anyOf", "oneOf")


def is_plain(schema: Schema) -> bool:
    """Whether the root has neither a reference nor a union."""
    return schema.keys().isdisjoint({"$ref", "allOf", *_ALTERNATIVES})


def plain_root(schema: Schema, losses: list[str]) -> Schema:
    """A schema whose root is one plain object that accepts whatever the given one does.

    Args:
        schema: self-contained.
        losses: gets a line for everything that the plain object can't say.
    """
    if is_plain(schema):
        return schema
    merging = Merging(schema.get("$defs", {}), losses)
    found = _flat(without(schema, "$defs"), merging)
    return {**found, "$defs": schema["$defs"]} if "$defs" in schema else found


def _flat(node: Schema, merging: Merging) -> Schema:
    found = merging.written_out(node, "$")
    for keyword in _ALTERNATIVES:
        if keyword in found:
            found = _without_alternatives(found, keyword, merging)
    return found


def _without_alternatives(node: Schema, keyword: str, merging: Merging) -> Schema:
    branches = [
        _flat(each, merging) for each in merging.each(node[keyword]) if isinstance(each, dict)
    ]
    possible = [each for each in branches if is_possible(each, "object")]
    found = without(node, keyword)
    if not possible or True in node[keyword]:
        return found
    merging.losses.append(f"$: {keyword}, shown as one object with the arguments of all forms")
    found = both(found, either(possible), merging.losses, "$")
    return {**found, "description": _with_forms(found, possible, keyword)}


def _with_forms(found: Schema, forms: Sequence[Schema], keyword: str) -> str:
    how = "exactly one" if keyword == "oneOf" else "at least one"
    text = f"The arguments have {how} of these forms: " + "; ".join(map(_form, forms)) + "."
    return f"{found['description']}\n\n{text}" if found.get("description") else text


def _form(schema: Schema) -> str:
    required = schema.get("required", [])
    known = schema.get("properties", {})
    names = [*required, *(f"[{name}]" for name in known if name not in required)]
    shown = [name + _fixed(known.get(name)) for name in names]
    return ", ".join(shown) or "any arguments"


def _fixed(schema: JSON) -> str:
    if isinstance(schema, dict) and "const" in schema:
        return " = " + encode(schema["const"]).decode()
    return ""


def accepts_objects(schema: Schema) -> bool:
    """Whether the root can accept arguments, which are an object always."""
    named = types_of(schema)
    return not named or "object" in named

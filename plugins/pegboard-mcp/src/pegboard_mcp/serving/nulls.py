"""Whether null may be a value of a schema."""

from typing import Any

from pegboard import JSON

_DEEPEST = 32


def admits_null(schema: JSON) -> bool:
    """Whether null fits a schema; true where that takes more than a look at it."""
    return _admits(schema, schema, _DEEPEST)


def _admits(schema: JSON, root: JSON, left: int) -> bool:
    if not isinstance(schema, dict):
        return schema is not False
    return left == 0 or not _excludes(schema, root, left - 1)


def _excludes(schema: dict[str, Any], root: JSON, left: int) -> bool:
    """Whether one of its keywords keeps null out."""
    types = schema.get("type", "null")
    if "null" not in ([types] if isinstance(types, str) else types):
        return True
    if schema.get("const") is not None or None not in schema.get("enum", [None]):
        return True
    for key in ("anyOf", "oneOf"):
        if key in schema and not any(_admits(each, root, left) for each in schema[key]):
            return True
    if any(not _admits(each, root, left) for each in schema.get("allOf", ())):
        return True
    return "$ref" in schema and not _admits(_found(schema["$ref"], root), root, left)


def _found(reference: str, root: JSON) -> JSON:
    """What a reference into the schema itself means; anything, where it leads elsewhere."""
    found: JSON = root
    start, *steps = reference.split("/")
    if start != "#":
        return True
    for step in steps:
        if not isinstance(found, dict) or step not in found:
            return True
        found = found[step]
    return found

"""Older drafts of JSON Schema, spelled as in 2020-12, which is what providers read."""

from pegboard.formats._schema import ANNOTATIONS, Schema, changed_parts, without
from pegboard.values import JSON


def modern(schema: Schema) -> Schema:
    """The same schema in the words of draft 2020-12, without `$schema`."""
    is_old = "draft-0" in str(schema.get("$schema", ""))

    def change(node: JSON, where: str) -> JSON:
        if not isinstance(node, dict):
            return node
        return changed_parts(_respelled(node, is_old=is_old), change, where)

    return changed_parts(_respelled(without(schema, "$schema"), is_old=is_old), change, "$")


def _respelled(node: Schema, *, is_old: bool) -> Schema:
    if is_old and "$ref" in node:
        node = {key: node[key] for key in node if key in _BESIDE_A_REFERENCE}
    if isinstance(node.get("items"), list):
        node = _tuple(node)
    if isinstance(node.get("dependencies"), dict):
        node = _dependencies(node)
    if type(node.get("exclusiveMinimum")) is bool or type(node.get("exclusiveMaximum")) is bool:
        node = _bounds(node)
    return node


_BESIDE_A_REFERENCE = ANNOTATIONS | {"$ref", "$defs", "definitions", "$id"}


def _tuple(node: Schema) -> Schema:
    found = without(node, "items", "additionalItems")
    if node["items"]:
        found["prefixItems"] = node["items"]
    if "additionalItems" in node:
        found["items"] = node["additionalItems"]
    return found


def _dependencies(node: Schema) -> Schema:
    found = without(node, "dependencies")
    for name, needed in node["dependencies"].items():
        keyword = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
        found[keyword] = {**found.get(keyword, {}), name: needed}
    return found


def _bounds(node: Schema) -> Schema:
    found = without(node, "exclusiveMinimum", "exclusiveMaximum")
    for exclusive, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if node.get(exclusive) is True and plain in node:
            found[exclusive] = found.pop(plain)
        elif type(node.get(exclusive)) is not bool and exclusive in node:
            found[exclusive] = node[exclusive]
    return found

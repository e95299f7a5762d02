"""The values that a schema lists."""

from pegboard.formats._schema import Schema, type_of
from pegboard.values import JSON


def listed(schema: Schema) -> list[JSON] | None:
    """The values of `const` or `enum`, or None where neither is there."""
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")


def in_types(schema: Schema) -> tuple[str, ...]:
    """The types of the values that the schema lists, in order."""
    return tuple(dict.fromkeys(type_of(each) for each in listed(schema) or ()))


def lists_all(values: list[JSON], kind: JSON) -> bool:
    """Whether the values are all that there are of a type."""
    return kind == "null" or (kind == "boolean" and True in values and False in values)


def fitting(schema: Schema, kind: str) -> Schema:
    """The schema with only those listed values that are of a type."""
    found = dict(schema)
    if "enum" in schema:
        found["enum"] = [each for each in schema["enum"] if _is_of(each, kind)]
    if "const" in schema and not _is_of(schema["const"], kind):
        del found["const"]
        found["enum"] = []
    return found


def _is_of(value: JSON, kind: str) -> bool:
    own = type_of(value)
    if own == "number" and kind == "integer":
        return bool(value == int(value))
    return own == kind or (own == "integer" and kind == "number")

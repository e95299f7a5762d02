"""Where a JSON Schema holds further schemas."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from pegboard.values import JSON

Schema: TypeAlias = dict[str, JSON]
Change: TypeAlias = Callable[[JSON, str], JSON]


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


_ONE = words(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames "
    "then unevaluatedItems unevaluatedProperties"
)
_MANY = words("allOf anyOf oneOf prefixItems")
_NAMED = words("$defs definitions dependentSchemas patternProperties properties")

ANNOTATIONS = words(
    "$comment default deprecated description example examples readOnly title writeOnly"
)
"""Keywords that accept every value."""

OF_TYPE = {
    "array": words(
        "contains items maxContains maxItems minContains minItems prefixItems unevaluatedItems "
        "uniqueItems"
    ),
    "number": words("exclusiveMaximum exclusiveMinimum maximum minimum multipleOf"),
    "object": words(
        "additionalProperties dependentRequired dependentSchemas maxProperties minProperties "
        "patternProperties properties propertyNames required unevaluatedProperties"
    ),
    "string": words("contentEncoding contentMediaType format maxLength minLength pattern"),
}
"""Keywords that say something of values of one type only."""


def changed_parts(schema: Schema, change: Change, where: str) -> Schema:
    """A copy with every schema directly inside replaced by `change(schema, where)`."""
    return {keyword: _changed(keyword, value, change, where) for keyword, value in schema.items()}


def _changed(keyword: str, value: JSON, change: Change, where: str) -> JSON:
    if keyword in _ONE and isinstance(value, (dict, bool)):
        return change(value, _place(where, keyword))
    if keyword in _MANY and isinstance(value, list):
        return [change(each, where) for each in value]
    if keyword in _NAMED and isinstance(value, dict):
        return {name: change(each, _place(where, keyword, name)) for name, each in value.items()}
    return value


def _place(where: str, keyword: str, name: str = "") -> str:
    if keyword == "properties":
        return f"{where}.{name}" if name.isidentifier() else f"{where}[{name!a:.80}]"
    if keyword in ("$defs", "definitions"):
        return f"#{name}"
    if keyword == "items":
        return f"{where}[]"
    return f"{where}.*" if keyword.endswith("Properties") else where


def parts(schema: JSON) -> Iterator[JSON]:
    """The schemas directly inside."""
    if isinstance(schema, dict):
        for keyword, value in schema.items():
            if keyword in _ONE:
                yield value
            elif keyword in _MANY and isinstance(value, list):
                yield from value
            elif keyword in _NAMED and isinstance(value, dict):
                yield from value.values()


def levels(schema: Schema) -> Iterator[list[Schema]]:
    """The schema, then the schemas inside it, then those inside them, and so on."""
    level: list[JSON] = [schema]
    while level:
        yield [each for each in level if isinstance(each, dict)]
        level = [part for each in level for part in parts(each)]


def without(schema: Schema, *keywords: str) -> Schema:
    """A copy without these keywords."""
    return {key: value for key, value in schema.items() if key not in keywords}


def types_of(schema: Schema) -> tuple[str, ...]:
    """The types that the schema names, in order; none where it names none."""
    named = schema.get("type")
    if isinstance(named, str):
        return (named,)
    return tuple(each for each in named if isinstance(each, str)) if named else ()


def type_of(value: JSON) -> str:
    """The type of a value in JSON Schema's words."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object" if isinstance(value, dict) else "null")

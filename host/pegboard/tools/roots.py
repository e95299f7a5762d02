"""The root of a schema that somebody wrote by hand: which keys it declares, and what they take."""

from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.tools.arguments import Settling, spelled
from pegboard.tools.validation import Validator
from pegboard.values import JSON
from pegboard.values.checks import show_path

_OPEN = ("patternProperties", "propertyNames", "$dynamicRef", "$recursiveRef")
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLES = ("if", "then", "else")
_MOST_PARTS = 1000


def declared_keys(schema: Mapping[str, Any]) -> frozenset[str] | None:
    """The keys that a root declares; None where it says itself what else it takes."""
    keys: set[str] = set()
    for at, part in enumerate(_parts(schema)):
        if part is None or at > _MOST_PARTS:
            return None
        keys |= part.get("properties", {}).keys()
    return frozenset(keys)


def _parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any] | None]:
    """Everything that speaks of the root object; None for what can't be seen through."""
    pending: list[Any] = [schema]
    seen: set[str] = set()
    while pending:
        part = pending.pop()
        if type(part) is not dict:
            continue
        yield None if _is_open(part) else part
        for key in _LISTS:
            pending += part.get(key, ())
        pending += (part[key] for key in _SINGLES if key in part)
        pending += part.get("dependentSchemas", {}).values()
        reference = part.get("$ref")
        if reference is not None and reference not in seen:
            seen.add(reference)
            target = _target(schema, reference)
            pending.append({"patternProperties": {}} if target is None else target)


def _is_open(part: Mapping[str, Any]) -> bool:
    is_told = any(
        part.get(key, False) is not False
        for key in ("additionalProperties", "unevaluatedProperties")
    )
    return is_told or any(key in part for key in _OPEN)


def _target(schema: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#/"):
        return schema if reference == "#" else None
    found: Any = schema
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if type(found) is dict else None
    return found


def settle_root(
    settling: Settling,
    value: dict[str, JSON],
    schema: Mapping[str, Any],
    validator: Validator,
) -> None:
    """Settle the keys of the root; what is inside them is passed on as it was sent."""
    declared = declared_keys(schema)
    if declared is not None and settling.extra != "keep":
        settling.take_out(value, sorted(declared), ())
    properties: Mapping[str, Any] = schema.get("properties", {})
    for key in validator.refused_keys(value):
        part = properties.get(key)
        if type(part) is not dict or key not in value:
            continue
        if value[key] is None and "default" in part and key not in schema.get("required", ()):
            del value[key]
        elif type(value[key]) is str and settling.coerce:
            value[key] = _from_text(settling, key, value[key], part)


def _from_text(settling: Settling, key: str, text: str, part: JSON) -> JSON:
    types = settling.parts.types(part)
    if "string" in types:
        return text
    found = spelled(text, types, settling.limits)
    if type(found) is not str:
        settling.notes.append(f"took the text of {show_path((key,))} for a value")
    return found

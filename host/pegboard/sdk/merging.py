"""Schemas that all hold for one value, taken together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from pegboard.sdk.documents import Document, Spot, words
from pegboard.sdk.naming import camel
from pegboard.values import JSON

MOST_PARTS = 32
LONGEST_KEY = 500
SILENT = words(
    "$anchor $comment $defs $id $schema $vocabulary default definitions deprecated description "
    "example examples id readOnly title writeOnly"
)
"""Keywords that refuse no value."""

_ELSEWHERE = words(
    "$dynamicRef $recursiveRef anyOf dependencies dependentSchemas else if oneOf then"
)
"""Keywords under which further keys may be declared."""


def is_silent(schema: JSON) -> bool:
    """Whether a schema takes every value."""
    return schema is True or (type(schema) is dict and schema.keys() <= SILENT)


def refers(schema: JSON) -> bool:
    """Whether a schema refers to another."""
    return type(schema) is dict and "$ref" in schema


def lone_reference(document: Document, spot: Spot) -> JSON:
    """What a schema refers to that says nothing else; None where it says more, or refers not."""
    schema = spot.schema
    if type(schema) is not dict or "$ref" not in schema:
        return None
    if document.draft < 2019 or all(word in SILENT for word in schema if word != "$ref"):
        return schema["$ref"]
    return None


def lone_part(document: Document, spot: Spot) -> Spot | None:
    """The only schema under `allOf` of one that says nothing else."""
    schema = spot.schema
    every = schema.get("allOf") if type(schema) is dict else None
    if type(every) is not list or len(every) != 1 or not schema.keys() <= SILENT | {"allOf"}:
        return None
    return document.inside(spot, "allOf", "0", schema=every[0], word=spot.word)


def parts_of(document: Document, spot: Spot) -> list[Spot] | None:
    """A schema, what it refers to and what is under its `allOf`; None for too many of them."""
    found: list[Spot] = []
    seen: set[int] = set()
    pending = [spot]
    while pending:
        part = pending.pop()
        if type(part.schema) is not dict or id(part.schema) in seen:
            continue
        seen.add(id(part.schema))
        if len(seen) > MOST_PARTS:
            return None
        if "$ref" not in part.schema or document.draft >= 2019:
            found.append(part)
        pending += reversed([*_further(document, part)])
    return found


def _further(document: Document, part: Spot) -> Iterator[Spot]:
    schema = part.schema
    if "$ref" in schema:
        target = document.target(part, schema["$ref"])
        if target is not None:
            yield target
        if document.draft < 2019:
            return
    for at, each in enumerate(_list(schema.get("allOf"))[: MOST_PARTS + 1]):
        yield document.inside(part, "allOf", str(at), schema=each, word=part.word)


def mapping(schema: JSON, word: str) -> Mapping[str, Any]:
    """What stands under a keyword that holds names; nothing where it is anything else."""
    found = schema.get(word) if type(schema) is dict else None
    return found if type(found) is dict else {}


def declares(parts: Sequence[Spot]) -> bool:
    """Whether any of them names properties."""
    return any(mapping(each.schema, "properties") for each in parts)


@attrs.frozen
class Merged:
    """What an object may hold.

    Attributes:
        properties: by key, the schemas that its value is subject to.
        required: the keys that are always there, in order.
        others: the schemas of which one holds for the value of any other key; none where there
            are no other keys; None where anything may be.
    """

    properties: Mapping[str, tuple[Spot, ...]]
    required: tuple[str, ...]
    others: tuple[Spot, ...] | None


def merged(document: Document, parts: Sequence[Spot], *, is_whole: bool) -> Merged:
    """What an object may hold that several schemas describe.

    Args:
        document: where they are from.
        parts: the schemas; the first is the one whose parts the others are.
        is_whole: whether nothing but these schemas declares keys.
    """
    properties: dict[str, list[Spot]] = {}
    required: dict[str, None] = {}
    for part in parts:
        for key, each in mapping(part.schema, "properties").items():
            spot = document.inside(part, "properties", key, schema=each, word=camel(key, "Part"))
            properties.setdefault(key, []).append(spot)
        needed = part.schema.get("required")
        required |= dict.fromkeys(each for each in _list(needed) if isinstance(each, str))
    refusing = [mapping(each.schema, "properties") for each in parts if _refuses_others(each)]
    admitted = {
        key: tuple(spots)
        for key, spots in properties.items()
        if all(key in each for each in refusing) and _may_be(spots)
    }
    others = () if refusing else _others(document, parts, is_whole=is_whole)
    if any(len(key) > LONGEST_KEY for key in admitted):
        admitted = {key: spots for key, spots in admitted.items() if len(key) <= LONGEST_KEY}
        others = None
    names = tuple(each for each in required if len(each) <= LONGEST_KEY)
    return Merged(admitted, names, others)


def _list(value: JSON) -> list[JSON]:
    return value if type(value) is list else []


def _may_be(spots: Sequence[Spot]) -> bool:
    return all(each.schema is not False for each in spots)


def _refuses_others(part: Spot) -> bool:
    is_refusing: bool = part.schema.get("additionalProperties") is False
    return is_refusing and not mapping(part.schema, "patternProperties")


def _others(
    document: Document, parts: Sequence[Spot], *, is_whole: bool
) -> tuple[Spot, ...] | None:
    for part in parts:
        said = part.schema.get("additionalProperties")
        if said is False or (type(said) is dict and not is_silent(said)):
            return (*_patterns(document, [part]), *_said(document, part, "additionalProperties"))
    last = "unevaluatedProperties"
    said = parts[0].schema.get(last) if parts and document.draft >= 2019 else None
    is_known = is_whole and not any(map(_declares_elsewhere, parts))
    is_known = is_known and not any(last in each.schema for each in parts[1:])
    if is_known and (said is False or (type(said) is dict and not is_silent(said))):
        return (*_patterns(document, parts), *_said(document, parts[0], last))
    return None


def _declares_elsewhere(part: Spot) -> bool:
    return "additionalProperties" in part.schema or not _ELSEWHERE.isdisjoint(part.schema)


def _said(document: Document, part: Spot, word: str) -> Iterator[Spot]:
    schema = part.schema[word]
    if schema is not False:
        yield document.inside(part, word, schema=schema, word=f"{part.word}Value"[:60])


def _patterns(document: Document, parts: Sequence[Spot]) -> Iterator[Spot]:
    for part in parts:
        for pattern, each in mapping(part.schema, "patternProperties").items():
            steps = ("patternProperties", pattern)
            yield document.inside(part, *steps, schema=each, word=f"{part.word}Value"[:60])

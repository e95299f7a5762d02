"""Values that a JSON Schema accepts, simple ones and edges of what it allows, always the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from pegboard.testing.leaves import numbers, texts
from pegboard.tools.parts import Parts
from pegboard.tools.searching import Search
from pegboard.tools.validation import make_validator
from pegboard.values import JSON, Snapshot

_DEEPEST = 5
_A_PART = 12
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_LISTED = ("const", "default", "enum", "examples")


def samples(schema: Mapping[str, JSON], *, most: int = 60) -> list[JSON]:
    """Values that a schema accepts; none where none was found.

    Args:
        schema: any schema that can be enforced.
        most: how many.
    """
    validator = make_validator(Snapshot.of(schema))
    found = _Samples(schema, validator.search()).of(schema, 0)
    fitting = (each for each in found if validator.accepts(each))
    return list(islice(_distinct(fitting), most))


class _Samples:
    """Makes values for the parts of one schema.

    A value that only may fit is tried against its part: what makes it need not know every keyword.
    """

    def __init__(self, schema: Mapping[str, JSON], search: Search) -> None:
        self._parts = Parts.of(schema)
        self._search = search
        self._known: dict[tuple[bytes, int], list[JSON]] = {}

    def of(self, part: JSON, depth: int) -> Iterator[JSON]:
        """Values that may fit a part."""
        if part is False or depth > _DEEPEST:
            return
        whole = self._whole(part if isinstance(part, dict) else {})
        yield from _listed(whole)
        for branch in whole.get("anyOf", ()) or whole.get("oneOf", ()):
            rest = {key: each for key, each in whole.items() if key not in ("anyOf", "oneOf")}
            yield from islice(self.of(_merged(rest, self._whole(branch)), depth + 1), _A_PART)
        if not any(key in whole for key in ("anyOf", "oneOf", "const", "enum")):
            said = whole.get("type", _TYPES)
            for kind in [said] if isinstance(said, str) else said:
                yield from self._of_type(kind, whole, depth)

    def _whole(self, part: JSON) -> dict[str, Any]:
        """A part with what it refers to, and what it says elsewhere of the same value."""
        whole: dict[str, Any] = dict(part) if isinstance(part, dict) else {}
        reference = whole.pop("$ref", None)
        if isinstance(reference, str):
            whole = _merged(self._whole(self._parts.target(reference)), whole)
        for each in whole.pop("allOf", ()):
            whole = _merged(whole, self._whole(each))
        return whole

    def _of_type(self, kind: str, part: Mapping[str, Any], depth: int) -> Iterator[JSON]:
        match kind:
            case "string":
                yield from texts(part)
            case "integer" | "number":
                yield from numbers(part, is_whole=kind == "integer")
            case "boolean":
                yield from (True, False)
            case "array":
                yield from self._arrays(part, depth)
            case "object":
                yield from self._objects(part, depth)
            case _:
                yield None

    def _fitting(self, part: JSON, depth: int) -> list[JSON]:
        """A few values that fit a part; made once, or the parts of a wide tree take for ever."""
        key = Snapshot.of(part).text, depth
        if key not in self._known:
            tried = _distinct(self.of(part, depth + 1))
            fitting = (each for each in tried if self._fits(part, each))
            self._known[key] = list(islice(fitting, _A_PART))
        return self._known[key]

    def _fits(self, part: JSON, value: JSON) -> bool:
        try:
            return self._search.accepts(part, value)
        except ValueError:
            return True  # it refers to another place than the definitions; the whole is tried later

    def _arrays(self, part: Mapping[str, Any], depth: int) -> Iterator[JSON]:
        places: Sequence[JSON] = part.get("prefixItems", ())
        starts = [self._fitting(each, depth) for each in places]
        start = [each[0] for each in starts if each]
        items = self._fitting(part.get("items", {}), depth)
        least = max(part.get("minItems", 0) - len(start), 0)
        most = part.get("maxItems", len(start) + max(least, 3))
        yield [*start, *islice(items, least)]
        if items:
            yield [*start, *items[:1] * least]
        yield from ([*start, each][:most] for each in items)
        yield [*start, *items][:most]

    def _objects(self, part: Mapping[str, Any], depth: int) -> Iterator[JSON]:
        values = self._values(part, depth)
        first = {key: each[0] for key, each in values.items() if each}
        yield {key: first[key] for key in part.get("required", ()) if key in first}
        yield first
        for key, each in values.items():
            yield from ({**first, key: value} for value in each[1:])
        others = part.get("additionalProperties", False)
        if isinstance(others, dict):
            named = texts(part.get("propertyNames", {}))
            key = next((each for each in named if each not in first), "key")
            yield from ({**first, key: each} for each in self._fitting(others, depth))

    def _values(self, part: Mapping[str, Any], depth: int) -> dict[str, list[JSON]]:
        properties: Mapping[str, JSON] = part.get("properties", {})
        values = {key: self._fitting(each, depth) for key, each in properties.items()}
        undeclared = (key for key in part.get("required", ()) if key not in properties)
        return values | {key: ["text", 1, {}] for key in undeclared}


def _listed(part: Mapping[str, Any]) -> Iterator[JSON]:
    """The values that a schema gives itself."""
    for key in _LISTED:
        if key in part:
            yield from part[key] if key in ("enum", "examples") else [part[key]]


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """A schema that says what both say, roughly: what comes of it is tried."""
    found = {**first, **second}
    for key in ("properties",):
        if key in first and key in second:
            found[key] = {**first[key], **second[key]}
    if "required" in first and "required" in second:
        found["required"] = list(dict.fromkeys(chain(first["required"], second["required"])))
    return found


def _distinct(values: Iterable[JSON]) -> Iterator[JSON]:
    seen: set[bytes] = set()
    for each in values:
        text = Snapshot.of(each).text
        if text not in seen:
            seen.add(text)
            yield each

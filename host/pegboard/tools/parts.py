"""Parts of a JSON Schema: what a reference stands for, which types and which values they admit."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from pegboard.values import JSON

TYPES: Mapping[type, frozenset[str]] = {
    type(None): frozenset({"null"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"integer", "number"}),
    str: frozenset({"string"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
}
_EVERY = frozenset().union(*TYPES.values())
_PLACES = ("#/$defs/", "#/definitions/")
_MOST_REFERENCES = 20


@attrs.frozen(eq=False)
class Parts:
    """The parts of one schema; references go to its definitions.

    Attributes:
        definitions: the schema's `$defs` and `definitions`, by name.
    """

    definitions: Mapping[str, JSON]

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> "Parts":
        """The parts of a whole schema."""
        return cls({**schema.get("definitions", {}), **schema.get("$defs", {})})

    def resolve(self, part: JSON) -> Mapping[str, Any]:
        """The schema that a reference stands for; an empty one for what can't be seen through."""
        found: Mapping[str, Any] = part if type(part) is dict else {}
        for _ in range(_MOST_REFERENCES):
            if "$ref" not in found:
                return found
            found = self.target(found["$ref"])
        return {}

    def target(self, reference: str) -> Mapping[str, Any]:
        """The definition that a reference names."""
        for place in _PLACES:
            if reference.startswith(place):
                found = self.definitions.get(reference.removeprefix(place))
                return found if type(found) is dict else {}
        return {}

    def types(self, part: JSON) -> frozenset[str]:
        """The JSON types that a part admits."""
        found = self.resolve(part)
        branches = found.get("anyOf", found.get("oneOf"))
        if branches is not None:
            return frozenset().union(*map(self.types, branches))
        if "type" in found:
            return frozenset([found["type"]] if type(found["type"]) is str else found["type"])
        if "enum" in found:
            return frozenset().union(*(TYPES[type(each)] for each in found["enum"]))
        return TYPES[type(found["const"])] if "const" in found else _EVERY

    def may_mean(self, part: JSON, value: JSON) -> bool:
        """Whether a value is of a type that a part admits and carries the tags that it wants."""
        if not TYPES[type(value)] & self.types(part):
            return False
        if type(value) is not dict:
            return True
        return all(value.get(key, tags[0]) in tags for key, tags in self._tags(part))

    def _tags(self, part: JSON) -> Iterator[tuple[str, list[JSON]]]:
        """The keys of an object whose values are one of a few."""
        for key, each in self.resolve(part).get("properties", {}).items():
            found = self.resolve(each)
            tags = [found["const"]] if "const" in found else found.get("enum")
            if tags:
                yield key, tags

"""Schemas in their places, and what references between them lead to."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import attrs

from pegboard.sdk.expressions import Path
from pegboard.sdk.naming import camel
from pegboard.values import JSON


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


_ONE = words(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames "
    "then unevaluatedItems unevaluatedProperties"
)
_MANY = words("allOf anyOf items oneOf prefixItems")
_BY_NAME = words("$defs definitions dependentSchemas patternProperties properties")
NEWEST = 2020
_DRAFTS = {"draft-03": 3, "draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019}


@attrs.frozen(eq=False)
class Spot:
    """A schema in its place.

    Attributes:
        schema: the schema.
        base: the schema that pointers count from.
        path: the way to it.
        word: what its type would be called.
    """

    schema: JSON
    base: JSON
    path: Path
    word: str


@attrs.define(eq=False)
class Document:
    """A whole schema.

    Attributes:
        schema: the schema.
        side: what it is the schema of: `Arguments` or `Result`.
        draft: the draft that it is written in: 3, 4, 6, 7, 2019 or 2020.
    """

    schema: JSON
    side: str
    draft: int
    _index: "dict[str, tuple[JSON, JSON]] | None" = None

    @classmethod
    def of(cls, schema: JSON, side: str) -> "Document":
        """A schema in the draft that it names."""
        named = str(schema.get("$schema", ""))[:200] if type(schema) is dict else ""
        drafts = (draft for word, draft in _DRAFTS.items() if word in named)
        return cls(schema, side, next(drafts, NEWEST))

    def root(self) -> Spot:
        """The whole."""
        return Spot(self.schema, self.schema, Path(None, self.side), self.side)

    def _path(self, fragment: str) -> Path:
        return Path(Path(None, self.side), fragment)

    def inside(self, spot: Spot, *steps: str, schema: JSON, word: str) -> Spot:
        """A schema somewhere inside another."""
        path = spot.path
        for step in steps:
            path = Path(path, step)
        return Spot(schema, schema if self._own_id(schema) else spot.base, path, word)

    def target(self, spot: Spot, reference: JSON) -> Spot | None:
        """What a reference in this place leads to; None where that isn't in the document."""
        if not isinstance(reference, str):
            return None
        start, fragment, base = "", reference, spot.base
        if not reference.startswith("#"):
            start, _, fragment = reference.partition("#")
            found = self._places().get(start)
            if found is None:
                return None
            base, fragment = found[0], f"#{fragment}"
        return self._in_resource(base, fragment)

    def _in_resource(self, base: JSON, fragment: str) -> Spot | None:
        if fragment in ("", "#"):
            return Spot(base, base, self._path("#"), "Root")
        if fragment.startswith("#/"):
            return self._at(base, fragment)
        found = self._places().get(f"{id(base)}{fragment}")
        if found is None:
            return None
        return Spot(*found, self._path(fragment), camel(fragment, "Part"))

    def _at(self, base: JSON, fragment: str) -> Spot | None:
        found, resource, name = base, base, ""
        for step in unquote(fragment[2:]).split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if type(found) is dict and name in found:
                found = found[name]
            elif type(found) is list and name.isdecimal() and int(name[:9]) < len(found):
                found = found[int(name[:9])]
            else:
                return None
            resource = found if self._own_id(found) else resource
        if type(found) not in (dict, bool):
            return None
        return Spot(found, resource, self._path(fragment), camel(name, "Part"))

    def _own_id(self, schema: JSON) -> str:
        if type(schema) is not dict or (self.draft < 2019 and "$ref" in schema):
            return ""
        own = schema.get("id" if self.draft < 6 else "$id")
        return own if isinstance(own, str) and not own.startswith("#") else ""

    def _places(self) -> dict[str, tuple[JSON, JSON]]:
        """By address, or by resource and anchor: a schema, and the resource that it is in."""
        if self._index is None:
            self._index = dict(self._addresses())
        return self._index

    def _addresses(self) -> Iterator[tuple[str, tuple[JSON, JSON]]]:
        pending: list[tuple[JSON, JSON]] = [(self.schema, self.schema)]
        while pending:
            schema, base = pending.pop()
            if type(schema) is not dict:
                continue
            own = self._own_id(schema)
            base = schema if own else base
            if own:
                yield own.removesuffix("#"), (schema, schema)
            for word in ("$anchor", "$id", "id"):
                anchor = schema.get(word)
                if isinstance(anchor, str) and (word == "$anchor" or anchor.startswith("#")):
                    yield f"{id(base)}#{anchor.removeprefix('#')}", (schema, base)
            pending += ((each, base) for each in _parts(schema))


def _parts(schema: Mapping[str, Any]) -> Iterator[JSON]:
    """The schemas directly inside."""
    for word, value in schema.items():
        if word in _MANY and type(value) is list:
            yield from value
        elif word in _ONE:
            yield value
        elif word in _BY_NAME and type(value) is dict:
            yield from value.values()

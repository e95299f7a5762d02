"""Reads JSON Schema as Python's types: never narrower than the schema, wider where it has to be."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import attrs

from pegboard.sdk.documents import Document, Spot
from pegboard.sdk.expressions import (
    ANY,
    NONE,
    Alias,
    Definition,
    Field,
    Holder,
    Named,
    Record,
    Type,
    best,
    is_exact,
    plain,
    union,
)
from pegboard.sdk.literals import listed
from pegboard.sdk.merging import (
    Merged,
    declares,
    is_silent,
    lone_part,
    lone_reference,
    mapping,
    merged,
    parts_of,
    refers,
)
from pegboard.sdk.naming import camel
from pegboard.sdk.wording import comment, remark
from pegboard.values import JSON

MOST_READ = 50_000
DEEPEST = 6
_MOST_SPREAD = 200
_SCALARS = {
    "string": plain("str"),
    "integer": plain("int"),
    "number": plain("float"),
    "boolean": plain("bool"),
    "null": NONE,
}
_KINDS = frozenset({*_SCALARS, "array", "object"})

Kinds: TypeAlias = tuple[str, ...] | None
"""The types that values are known to be of, in the words of JSON Schema; None where they aren't."""


@attrs.define(eq=False)
class Reader:
    """Reads one schema.

    Attributes:
        document: the schema.
        definitions: the types that need a name, in the order in which they were met.
        is_argument: whether programs write the values, which then may hold more than is declared.
    """

    document: Document
    definitions: list[Definition]
    is_argument: bool
    _left: int = MOST_READ
    _known: dict[tuple[object, ...], Type] = attrs.field(factory=dict)
    _pending: deque[Callable[[], None]] = attrs.field(factory=deque)

    def value(self, spot: Spot) -> Type:
        """The type of the values that a schema accepts."""
        found = self._read(spot, None, 0)
        self._finish()
        return found

    def fields(self, taken: Merged) -> Record:
        """What an object may hold, as a record."""
        found = self._fields(taken)
        self._finish()
        return found

    def _finish(self) -> None:
        while self._pending:
            self._pending.popleft()()

    def _named(
        self, key: tuple[object, ...], spot: Spot, read: Callable[[], Alias | Record]
    ) -> Type:
        """A type with a name, that is read once those around it are."""
        if key not in self._known:
            definition = Definition(spot.word, spot.path, self.document.side)
            self._known[key] = (Named(len(self.definitions)),)
            self.definitions.append(definition)
            self._pending.append(lambda: setattr(definition, "body", read()))
        return self._known[key]

    def _alias(self, spot: Spot, kinds: Kinds) -> Type:
        key = ("alias", id(spot.schema), kinds)
        return self._named(key, spot, lambda: Alias(self._read(spot, kinds, 0)))

    def _record(self, parts: Sequence[Spot], spot: Spot, *, is_whole: bool = True) -> Type:
        def read() -> Record:
            said = _said_of(spot)
            if not self._affords(sum(len(mapping(e.schema, "properties")) for e in parts)):
                return Record((), ANY, remark=said)
            return self._fields(merged(self.document, parts, is_whole=is_whole), said)

        return self._named(("record", *(id(each.schema) for each in parts)), spot, read)

    def _fields(self, taken: Merged, said: str = "") -> Record:
        others = None if taken.others is None else self._union(taken.others, None, 0)
        fields = [
            Field(
                key,
                best(self._read(each, None, 0) for each in spots),
                key in taken.required,
                remark(spots[0].schema, is_argument=self.is_argument),
            )
            for key, spots in taken.properties.items()
        ]
        is_closed = taken.others == ()
        if not is_closed:
            absent = (key for key in taken.required if key not in taken.properties)
            fields += (Field(key, others or ANY, is_required=True) for key in absent)
            others = others or (ANY if self.is_argument else None)
        return Record(tuple(fields), None if is_closed else others, is_closed, said)

    def _read(self, spot: Spot, kinds: Kinds, depth: int) -> Type:
        if spot.schema is False or not self._affords(1):
            return ANY
        reference = lone_reference(self.document, spot)
        if reference is not None:
            target = self.document.target(spot, reference)
            return ANY if target is None else self._alias(target, None)
        if (depth > DEEPEST and not is_silent(spot.schema)) or (depth and refers(spot.schema)):
            return self._alias(spot, kinds)
        part = lone_part(self.document, spot)
        if part is not None:
            return self._read(part, kinds, depth + 1)
        parts = parts_of(self.document, spot)
        return ANY if parts is None else self._whole(spot, parts, kinds, depth)

    def _affords(self, reads: int) -> bool:
        """Whether so much may still be read: what refers much to itself has no end otherwise."""
        self._left -= reads
        return self._left >= 0

    def _union(self, spots: Sequence[Spot], kinds: Kinds, depth: int) -> Type:
        return union(self._read(each, kinds, depth) for each in spots if each.schema is not False)

    def _whole(self, spot: Spot, parts: Sequence[Spot], kinds: Kinds, depth: int) -> Type:
        """The type of what several schemas accept."""
        kinds = _said_kinds(parts) or kinds
        values = next((each for each in map(self._values, parts) if each is not None), None)
        if values is not None:
            found = listed(values, kinds)
        else:
            found = self._of_branches(parts, kinds, depth) or self._of_kinds(
                spot, parts, kinds, depth
            )
        is_nullable = any(each.schema.get("nullable") is True for each in parts)
        return union([found, NONE]) if is_nullable else found

    def _values(self, part: Spot) -> list[JSON] | None:
        if "const" in part.schema and self.document.draft >= 6:
            return [part.schema["const"]]
        values = part.schema.get("enum")
        return values if type(values) is list and values else None

    def _of_branches(self, parts: Sequence[Spot], kinds: Kinds, depth: int) -> Type | None:
        """The type that `anyOf` or `oneOf` gives; None where there are none, or it says less."""
        choices = [*self._choices(parts)]
        if not choices:
            return None
        if declares(parts):
            return self._spread(parts, choices[0]) if kinds == ("object",) else None
        found = best(self._union(each, kinds, depth + 1) or ANY for each in choices)
        return found if kinds is None or is_exact(found) else None

    def _choices(self, parts: Sequence[Spot]) -> Iterator[list[Spot]]:
        for part in parts:
            for word in ("anyOf", "oneOf"):
                branches = part.schema.get(word)
                if type(branches) is list and branches:
                    yield [
                        self.document.inside(
                            part, word, str(at), schema=each, word=_title(each, part.word, at)
                        )
                        for at, each in enumerate(branches)
                    ]

    def _spread(self, parts: Sequence[Spot], branches: Sequence[Spot]) -> Type | None:
        """For each branch that declares keys a record of these, and of those that all have."""
        own = sum(len(mapping(each.schema, "properties")) for each in parts)
        if own * len(branches) > _MOST_SPREAD or len(branches) > _MOST_SPREAD // 10:
            return None
        each_parts = [parts_of(self.document, each) for each in branches]
        if not all(each and declares(each) for each in each_parts):
            return None
        return union(
            self._record([*parts, *(own_parts or ())], branch, is_whole=False)
            for branch, own_parts in zip(branches, each_parts, strict=True)
        )

    def _of_kinds(self, spot: Spot, parts: Sequence[Spot], kinds: Kinds, depth: int) -> Type:
        if kinds is not None:
            return union(self._of_kind(each, spot, parts, depth) for each in kinds)
        if declares(parts):
            return union([self._record(parts, spot), ANY])
        return union([self._array(parts, depth), ANY])

    def _of_kind(self, kind: str, spot: Spot, parts: Sequence[Spot], depth: int) -> Type:
        if kind in _SCALARS:
            return _SCALARS[kind]
        if kind == "array":
            return self._array(parts, depth)
        if declares(parts):
            return self._record(parts, spot)
        others = merged(self.document, parts, is_whole=True).others
        return (Holder("dict", self._union(others or (), None, depth + 1) or ANY),)

    def _array(self, parts: Sequence[Spot], depth: int) -> Type:
        items = [self._items(each) for each in parts]
        types = [self._union(each, None, depth + 1) for each in items if each is not None]
        return (Holder("list", best(each or ANY for each in types)),)

    def _items(self, part: Spot) -> list[Spot] | None:
        """The schemas of which one holds for each item; None where nothing is said of some."""
        schema, first, rest = part.schema, "prefixItems", "items"
        if type(schema.get("items")) is list:
            first, rest = "items", "additionalItems"
        places = schema.get(first) if first == "items" or self.document.draft >= 2020 else None
        places = places if type(places) is list else []
        found = [
            self.document.inside(
                part, first, str(at), schema=each, word=f"{part.word[:60]}{at + 1}"
            )
            for at, each in enumerate(places)
        ]
        most = schema.get("maxItems")
        if type(most) is int and 0 < most <= len(found):
            return found
        if rest not in schema or (rest == "additionalItems" and not found):
            return None
        word = f"{part.word[:60]}Item"
        return [*found, self.document.inside(part, rest, schema=schema[rest], word=word)]


def _said_kinds(parts: Sequence[Spot]) -> Kinds:
    """The types that all parts admit that name any."""
    found: Kinds = None
    for part in parts:
        named = part.schema.get("type")
        kinds = [named] if isinstance(named, str) else named
        if type(kinds) is not list or not all(type(e) is str and e in _KINDS for e in kinds):
            continue
        found = tuple(kinds) if found is None else (_meet(found, kinds) or found)
    return found or None


def _meet(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    common = [each for each in one if each in other or (each == "integer" and "number" in other)]
    if "number" in one and "integer" in other and "number" not in other:
        common.append("integer")
    return tuple(dict.fromkeys(common))


def _title(branch: JSON, word: str, at: int) -> str:
    title = branch.get("title") if type(branch) is dict else None
    return (camel(title) if isinstance(title, str) else "") or f"{word[:60]}{at + 1}"


def _said_of(spot: Spot) -> str:
    """A description that doesn't stand beside a key anyway."""
    around = spot.path.around
    is_beside = around is not None and around.step == "properties"
    return "" if is_beside else comment(spot.schema.get("description"))

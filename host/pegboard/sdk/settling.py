"""Which types get a name, and in which order they are defined."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from pegboard.sdk.expressions import (
    ANY,
    Alias,
    Definition,
    Holder,
    Member,
    Named,
    Plain,
    Record,
    Type,
    Value,
    height,
    names_in,
    union,
)

HEAVIEST = 1_000
HEAVIEST_VAGUE = 50
DEEPEST_VAGUE = 6
_OF_ALIAS = 5
_LOWEST = 2
_SHORTEST = 3


@attrs.frozen
class Extent:
    """What a type checker sees of a type once all aliases are written out.

    Attributes:
        weight: how many lists, dicts and aliases it is made of.
        depth: how many of them stand inside each other.
        is_vague: whether there is an `Any` in it, or it itself.
        has_record: whether it may be a record.
        has_table: whether it may be a dict of anything but plain values.
    """

    weight: int = 0
    depth: int = 0
    is_vague: bool = False
    has_record: bool = False
    has_table: bool = False

    @classmethod
    def of_all(cls, extents: Iterable["Extent"]) -> "Extent":
        """Of a union."""
        found = [*extents]
        return cls(
            sum(each.weight for each in found),
            max((each.depth for each in found), default=0),
            any(each.is_vague for each in found),
            any(each.has_record for each in found),
            any(each.has_table for each in found),
        )

    @property
    def is_bearable(self) -> bool:
        """Whether a type checker deals with it in no time."""
        if self.is_vague:
            return self.weight <= HEAVIEST_VAGUE and self.depth <= DEEPEST_VAGUE
        return self.weight <= HEAVIEST


@attrs.define(eq=False)
class Settled:
    """The types of one tool, without those names that nobody needs.

    A type checker writes an alias out wherever it stands: those that would lead back to
    themselves, or be written out too often, are `Any` instead.

    Attributes:
        definitions: all definitions.
        aliases: what remains of each alias, by its place.
        inline: those aliases that are written out in their places.
    """

    definitions: Sequence[Definition]
    aliases: dict[int, Type] = attrs.field(factory=dict)
    inline: set[int] = attrs.field(factory=set)
    _extents: dict[int, Extent] = attrs.field(factory=dict)

    @classmethod
    def of(cls, definitions: Sequence[Definition], roots: Iterable[Type]) -> "Settled":
        """The definitions, settled.

        Args:
            definitions: all of them.
            roots: the types that are written where no definition is.
        """
        settled = cls(definitions)
        uses = Counter(key for each in roots for key in names_in(each))
        for definition in definitions:
            uses.update(key for each in types_in(definition.body) for key in names_in(each))
        for key in _innermost_first(definitions):
            settled._settle(key, uses[key])
        return settled

    def _settle(self, key: int, uses: int) -> None:
        body = self.definitions[key].body
        given = body.type if isinstance(body, Alias) else ANY
        found = ANY if Named(key) in given else self.written(given, own=key)
        extent = Extent.of_all(map(self._extent, found))
        self._extents[key] = attrs.evolve(extent, weight=extent.weight + _OF_ALIAS)
        self.aliases[key] = found
        is_low = height(found) <= _LOWEST and key not in names_in(found)
        if is_low and (uses < 2 or len(found) < _SHORTEST):
            self.inline.add(key)

    def written(self, type_: Type, *, own: int | None = None) -> Type:
        """A type with those aliases in place that have no name.

        Args:
            type_: the type.
            own: the alias that it is of; others that aren't settled lead back to it.
        """
        found = union(self._member(each, own) for each in type_)
        extent = Extent.of_all(map(self._extent, found))
        if not extent.is_bearable:
            return ANY
        is_mixed = extent.has_record and extent.has_table
        return union(map(self._loosened, found)) if is_mixed else found

    def _extent(self, member: Member) -> Extent:
        match member:
            case Named(key) if isinstance(self.definitions[key].body, Record):
                return Extent(has_record=True)
            case Named(key):
                return self._extents.get(key, Extent(is_vague=True))
            case Holder(container, inner):
                inside = Extent.of_all(map(self._extent, inner))
                is_told = all(isinstance(each, Plain | Value) for each in inner)
                return Extent(
                    inside.weight + 1,
                    inside.depth + 1,
                    inside.is_vague,
                    has_table=container == "dict" and not is_told,
                )
            case Plain(text) | Value(text):
                return Extent(is_vague=isinstance(member, Plain) and "Any" in text)

    def _loosened(self, member: Member) -> Type:
        """The member of a union that holds records and dicts, which no type checker tells apart."""
        if not self._extent(member).has_table:
            return (member,)
        if isinstance(member, Named):
            return union(map(self._loosened, self.aliases[member.key]))
        return (Holder("dict", ANY),)

    def _member(self, member: Member, own: int | None) -> Type:
        match member:
            case Holder(container, inner):
                return (Holder(container, self.written(inner, own=own)),)
            case Named(key) if key in self.inline:
                return self.aliases[key]
            case Named(key) if self._leads_back(key, own):
                return ANY
        return (member,)

    def _leads_back(self, key: int, own: int | None) -> bool:
        is_alias = isinstance(self.definitions[key].body, Alias)
        return is_alias and key not in self.aliases and key != own

    def body(self, key: int) -> Record | Alias:
        """A definition with all that has no name in place."""
        body = self.definitions[key].body
        if isinstance(body, Alias):
            return Alias(self.aliases[key])
        fields = tuple(attrs.evolve(each, type=self.written(each.type)) for each in body.fields)
        others = body.others if body.others is None else self.written(body.others)
        return attrs.evolve(body, fields=fields, others=others)


def types_in(body: Record | Alias) -> Iterator[Type]:
    """The types that a definition is made of."""
    if isinstance(body, Alias):
        yield body.type
        return
    yield from (each.type for each in body.fields)
    if body.others is not None:
        yield body.others


def _innermost_first(definitions: Sequence[Definition]) -> Iterator[int]:
    """The aliases, each after those that it is made of, as far as that is possible."""
    leads = {
        key: list(names_in(definition.body.type))
        for key, definition in enumerate(definitions)
        if isinstance(definition.body, Alias)
    }
    return in_order(leads, leads)


def in_order(roots: Iterable[int], leads: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Everything that can be reached from the roots, each after what it leads to.

    What isn't a key of `leads` is left out; of what leads back to itself, the one that is met
    first comes last.
    """
    seen: set[int] = set()
    pending = [(each, False) for each in reversed([*roots])]
    while pending:
        key, is_done = pending.pop()
        if is_done:
            yield key
        elif key not in seen and key in leads:
            seen.add(key)
            pending.append((key, True))
            pending += ((each, False) for each in reversed(leads[key]) if each not in seen)

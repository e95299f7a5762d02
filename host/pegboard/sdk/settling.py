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

HEAVIEST = 500
_LOWEST = 2
_SHORTEST = 3


@attrs.define(eq=False)
class Settled:
    """The types of one tool, without those names that nobody needs.

    A type checker writes an alias out wherever it stands: those that would lead back to
    themselves, or be written out too often, are `Any` instead.

    Attributes:
        definitions: all definitions.
        aliases: what remains of each alias, by its place.
        plain: those aliases that are written out in their places.
    """

    definitions: Sequence[Definition]
    aliases: dict[int, Type] = attrs.field(factory=dict)
    inline: set[int] = attrs.field(factory=set)
    _weights: dict[int, int] = attrs.field(factory=dict)

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
        self._weights[key] = self._weight(found)
        if self._weights[key] > HEAVIEST:
            found, self._weights[key] = ANY, 0
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
        is_mixed = any(map(self._has_record, found)) and any(map(self._has_table, found))
        return union(map(self._loosened, found)) if is_mixed else found

    def _has_record(self, member: Member) -> bool:
        if not isinstance(member, Named):
            return False
        is_record = isinstance(self.definitions[member.key].body, Record)
        return is_record or any(map(self._has_record, self.aliases.get(member.key, ())))

    def _has_table(self, member: Member) -> bool:
        if isinstance(member, Named):
            return any(map(self._has_table, self.aliases.get(member.key, ())))
        if not isinstance(member, Holder) or member.container != "dict":
            return False
        return not all(isinstance(each, Plain | Value) for each in member.inner)

    def _loosened(self, member: Member) -> Type:
        """The member of a union that holds records and dicts, which no type checker tells apart."""
        if not self._has_table(member):
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

    def _weight(self, type_: Type) -> int:
        """How many holders there are, once everything is written out."""
        found = 0
        for each in type_:
            if isinstance(each, Holder):
                found += 1 + self._weight(each.inner)
            elif isinstance(each, Named):
                found += self._weights.get(each.key, 0)
        return found

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

"""What a server lists, under names of ours."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Self

import attrs
from pegboard import NameTable

from pegboard_mcp.attached.definitions import Definition, Listing, Unsound

_OUTSIDE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_PREFIX = 32


def prefix_for(plugin: str) -> str:
    """What stands before the names of a plugin's tools unless another prefix is given.

    Args:
        plugin: its name; of `time@coder`, the part before `@` counts.
    """
    cleaned = _OUTSIDE.sub("_", plugin.partition("@")[0])
    start = cleaned if cleaned[:1].isalpha() or cleaned[:1] == "_" else f"_{cleaned}"
    return f"{start[: _LONGEST_PREFIX - 1].rstrip('_')}_"


@attrs.frozen(eq=False)
class Listed:
    """A server's list.

    Attributes:
        listing: what the server wrote.
        table: our names for its names, and the way back.
    """

    listing: Listing
    table: NameTable
    _by_name: Mapping[str, Definition] = attrs.field(init=False, repr=False)

    @_by_name.default
    def _first_of_each_name(self) -> Mapping[str, Definition]:
        named = {each["name"]: each for each in reversed(self.listing.tools)}
        return MappingProxyType(named)

    @classmethod
    def of(cls, listing: Listing, *, prefix: str, before: Self | None = None) -> Self:
        """The list with names.

        Args:
            listing: what the server wrote.
            prefix: what stands before its names.
            before: an older list; what is the same in both is kept once.

        Raises:
            InvalidNameError: the prefix can't be the beginning of a name.
        """
        known = {} if before is None else {_text(each): each for each in before.listing.tools}
        shared = tuple(known.get(_text(each), each) for each in listing.tools)
        others = [each.name for each in listing.unsound if each.name is not None]
        table = NameTable.of([*(each["name"] for each in shared), *others], prefix=prefix)
        return cls(attrs.evolve(listing, tools=shared), table)

    def has(self, definition: Definition) -> bool:
        """Whether the list has a tool exactly as it is defined there."""
        return self._by_name.get(definition["name"]) is definition

    def is_like(self, other: "Listed") -> bool:
        """Whether another list says the same."""
        ours, theirs = self.listing, other.listing
        return ours.unsound == theirs.unsound and [*map(_text, ours.tools)] == [
            *map(_text, theirs.tools)
        ]

    def taken(self, take: Iterable[str] | None) -> Iterator[tuple[str, Definition]]:
        """The definitions that are taken, each with a name of ours.

        Args:
            take: names and patterns of the server's own names; None for all.
        """
        patterns = None if take is None else tuple(take)
        for each in self.listing.tools:
            if _is_taken(each["name"], patterns):
                yield self.table.ours[each["name"]], each

    def unsound(self, take: Iterable[str] | None) -> dict[str, str]:
        """Why others can't be offered, by their names or where they stand.

        Args:
            take: see `taken`.
        """
        patterns = None if take is None else tuple(take)
        return {
            self._shown(each): each.reason
            for each in self.listing.unsound
            if _is_taken(each.name, patterns)
        }

    def _shown(self, tool: Unsound) -> str:
        name = tool.name
        return f"tool {tool.number} of the list" if name is None else self.table.ours[name]

    def unknown(self, take: Iterable[str]) -> list[str]:
        """The names and patterns that no tool has."""
        names = self.table.ours
        return [each for each in take if not any(_is_taken(name, (each,)) for name in names)]


def _is_taken(name: object, patterns: tuple[str, ...] | None) -> bool:
    if patterns is None:
        return True
    return isinstance(name, str) and any(
        name == each or fnmatchcase(name, each) for each in patterns
    )


def _text(definition: Definition) -> str:
    """The same text for definitions that say the same."""
    return json.dumps(definition, sort_keys=True)

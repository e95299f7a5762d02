"""What a server lists, under names of ours."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Self

import attrs
from pegboard import NameTable

from pegboard_mcp.attached.listing import Definition

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
        definitions: what the server wrote, in its order.
        table: our names for its names, and the way back.
    """

    definitions: tuple[Definition, ...]
    table: NameTable
    _by_name: Mapping[str, Definition] = attrs.field(init=False, repr=False)

    @_by_name.default
    def _first_of_each_name(self) -> Mapping[str, Definition]:
        named = {str(each.get("name")): each for each in reversed(self.definitions)}
        return MappingProxyType(named)

    @classmethod
    def of(
        cls,
        definitions: tuple[Definition, ...],
        *,
        prefix: str,
        before: Self | None = None,
    ) -> Self:
        """The list with names.

        Args:
            definitions: what the server wrote.
            prefix: what stands before its names.
            before: an older list; what is the same in both is kept once.

        Raises:
            InvalidNameError: the prefix can't be the beginning of a name.
        """
        raw = [each["name"] for each in definitions if isinstance(each.get("name"), str)]
        known = {} if before is None else {_text(each): each for each in before.definitions}
        shared = tuple(known.get(_text(each), each) for each in definitions)
        return cls(shared, NameTable.of(raw, prefix=prefix))

    def has(self, definition: Definition) -> bool:
        """Whether the list has a tool exactly as it is defined there."""
        return self._by_name.get(str(definition.get("name"))) is definition

    def is_like(self, other: "Listed") -> bool:
        """Whether another list says the same."""
        return [*map(_text, self.definitions)] == [*map(_text, other.definitions)]

    def taken(self, take: Iterable[str] | None) -> Iterator[tuple[str, Definition]]:
        """The definitions that are taken, each with a name of ours.

        Args:
            take: names and patterns of the server's own names; None for all.
        """
        patterns = None if take is None else tuple(take)
        for number, each in enumerate(self.definitions, start=1):
            name = each.get("name")
            if _is_taken(name, patterns):
                ours = self.table.ours.get(name) if isinstance(name, str) else None
                yield ours or f"tool {number} of the list", each

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

"""The names of tools, as somebody may write them who knows them, or nearly."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

import attrs

_BETWEEN = re.compile(r"[\W_]+")
_AROUND = re.compile(r"[^\w.-]+")
_LONGEST = 64


@attrs.frozen
class Names:
    """Names, in the order of the board, with what they are compared by."""

    _by_folded: dict[str, str]
    _by_plain: dict[str, list[str]]

    @classmethod
    def of(cls, names: Iterable[str]) -> "Names":
        """These names."""
        by_folded, by_plain = {}, dict[str, list[str]]()
        for name in names:
            by_folded[name.lower()] = name
            by_plain.setdefault(_plain(name), []).append(name)
        return cls(by_folded, by_plain)

    def __len__(self) -> int:
        return len(self._by_folded)

    def meant(self, query: str) -> list[str]:
        """The names that a query is, whatever stands between their words, and that stand in it."""
        alone = self._by_plain.get(_plain(query), [])
        parts = (part.strip(".-") for part in _AROUND.split(query.lower()))
        inside = (self._by_folded[part] for part in parts if part in self._by_folded)
        return list(dict.fromkeys([*alone, *(n for n in inside if _BETWEEN.search(n))]))

    def beginning(self, query: str) -> list[str]:
        """The names that begin with a query of one word, the shortest first."""
        start = query.strip().lower()
        if not 2 <= len(start) <= _LONGEST:
            return []
        found = [name for folded, name in self._by_folded.items() if folded.startswith(start)]
        return sorted(found, key=lambda name: (len(name), name))

    def near(self, query: str, *, most: int) -> list[str]:
        """The names that somebody who wrote a query may have meant, nearest first."""
        wanted = "_".join(query.lower().split())[:_LONGEST]
        close = get_close_matches(wanted, self._by_folded, n=most, cutoff=0.6)
        return [self._by_folded[each] for each in close]


def _plain(name: str) -> str:
    return _BETWEEN.sub("_", name[: 2 * _LONGEST]).strip("_").lower()

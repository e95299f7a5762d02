"""What of a tool is searched: its name, what it does, what it says, and what it takes."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Any

import attrs
from pegboard import Tool

from pegboard_search.words import words, words_of_name

_LONGEST = 10_000
_MOST_PARTS = 2_000
_MOST_SAID = 40
"""Words of a title and a description that count, so that none wins by holding every word."""
_MOST_TAKEN = 60
_MOST_TIMES = 3
"""How often one word counts, so that none wins by being repeated."""
_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")
"""Where the first sentence of a description ends."""

_VALUES = ("default", "example", "examples")


@attrs.frozen
class Texts:
    """The words of one tool, in the columns of the index.

    Attributes:
        name: those of its name.
        does: with which its name and its description begin, often verbs; where they come from a
            server, its name stands before them.
        says: those of its title and the first sentence of its description.
        more: those of the other sentences.
        takes: those of its parameters.
    """

    name: str
    does: str
    says: str
    more: str
    takes: str

    @classmethod
    def of(cls, name: str, tool: Tool) -> "Texts":
        """The words of a tool; of what is long only the beginning."""
        first, *others = _END.split(tool.description[:_LONGEST].strip(), maxsplit=1)
        described = words(first)
        does = [*words(name)[:2], *described[:1]]
        says = _counting([*words(tool.title or ""), *described])[:_MOST_SAID]
        more = _counting(words(" ".join(others)))[:_MOST_SAID]
        takes = _counting(words("  ".join(_said(tool.parameters))[:_LONGEST]))[:_MOST_TAKEN]
        return cls(*map(" ".join, (words_of_name(name), does, says, more, takes)))


def _counting(found: Iterable[str]) -> list[str]:
    """Words in their order, without those that came often enough before."""
    times = Counter[str]()
    kept = []
    for word in found:
        times[word] += 1
        if times[word] <= _MOST_TIMES:
            kept.append(word)
    return kept


def _said(schema: Any) -> Iterator[str]:
    """The names, descriptions and fixed values in a schema, those of the outermost part first."""
    waiting: deque[Any] = deque([schema])
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        part = waiting.popleft()
        if isinstance(part, dict):
            yield from _said_here(part)
            waiting.extend(each for key, each in part.items() if key not in _VALUES)
        elif isinstance(part, list):
            waiting.extend(part)


def _said_here(part: dict[str, Any]) -> Iterator[str]:
    declared, fixed = part.get("properties"), part.get("enum")
    if isinstance(declared, dict):
        yield from declared
    told = (part.get("title"), part.get("description"), part.get("const"))
    values = fixed if isinstance(fixed, list) else []
    yield from (each for each in (*told, *values) if isinstance(each, str))

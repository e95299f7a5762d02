"""Patterns for names in a record, exact for any text: SQLite's own `GLOB` ends at a NUL."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import lru_cache

MARKS = frozenset("*?[")
"""What makes a pattern of a name."""


def teach(connection: sqlite3.Connection) -> None:
    """Have a connection know `fits(pattern, name)`."""
    compiled = lru_cache(maxsize=16)(_compiled)

    def fits(pattern: str, name: object) -> bool:
        return isinstance(name, str) and compiled(pattern)(name) is not None

    connection.create_function("fits", 2, fits, deterministic=True)


def _compiled(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """What matches the names that a pattern means."""
    return re.compile(_regex(pattern), re.DOTALL).fullmatch


def _regex(pattern: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        mark, at = pattern[at], at + 1
        if mark == "*":
            at = len(pattern) - len(pattern[at:].lstrip("*"))
            parts.append(".*")
        elif mark == "[":
            part, at = _one_of(pattern, at)
            parts.append(part)
        else:
            parts.append("." if mark == "?" else re.escape(mark))
    return "".join(parts)


def _one_of(pattern: str, at: int) -> tuple[str, int]:
    """What stands between brackets, and where the pattern goes on; nothing fits an open one."""
    is_other = pattern.startswith("^", at)
    begin = at + is_other
    end = pattern.find("]", begin + 1)
    if end < 0:
        return "(?!)", len(pattern)
    ranges = "".join(
        f"{re.escape(low)}-{re.escape(high)}" for low, high in _ranges(pattern[begin:end])
    )
    return f"[{'^' * is_other}{ranges}]", end + 1


def _ranges(text: str) -> Iterator[tuple[str, str]]:
    """The characters that stand there, each with itself or with the last one of its range."""
    first, at = "", 0
    while at < len(text):
        mark, at = text[at], at + 1
        if mark == "-" and first and at < len(text):
            last, at = text[at], at + 1
            if first < last:
                yield first, last
            first = ""
        else:
            yield mark, mark
            first = "" if mark == "]" else mark

"""The change of a text as a unified diff, as long as it is short enough for a person to read."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import takewhile

from pegboard_files.paths import on_one_line

MOST_OF_A_TEXT = 1024 * 1024
MOST_OF_A_PATCH = 16 * 1024
MOST_LINES = 1_000
CONTEXT = 3
NOTHING = "/dev/null"

_NO_END = "\\ No newline at end of file\n"
_NUMBER = re.compile(r"(?<=[-+])\d+")


def patch_of(path: str, before: str | None, after: str | None) -> str | None:
    """What changed; None for nothing, and for what is too much to show.

    Args:
        path: the file.
        before: its text before; None if there was no file.
        after: its text after; None if there is no file any more.
    """
    if before == after or max(len(before or ""), len(after or "")) > MOST_OF_A_TEXT:
        return None
    old, new = _lines(before or ""), _lines(after or "")
    start, end = _shared(old, new)
    if max(len(old), len(new)) - start - end > MOST_LINES:
        return None
    name = on_one_line(path)
    head = _head(name if before is not None else None, name if after is not None else None)
    patch = head + "".join(_hunks(old, new, start, end))
    return patch if len(patch) <= MOST_OF_A_PATCH else None


def moved(path: str, to: str) -> str:
    """The header that says that a file has another name now."""
    return f"rename from {on_one_line(path)}\nrename to {on_one_line(to)}\n"


def deleted(path: str) -> str:
    """The header that says that a file is gone."""
    return _head(on_one_line(path), None)


def of_edits(path: str, edits: list[tuple[str, str]]) -> str:
    """What edits ask for, without a look at the file: each with a heading instead of numbers."""
    hunks = (
        f"@@ edit {number} @@\n{_signed('-', old)}{_signed('+', new)}"
        for number, (old, new) in enumerate(edits, 1)
    )
    name = on_one_line(path)
    return _head(name, name) + "".join(hunks)


def _head(old: str | None, new: str | None) -> str:
    before = NOTHING if old is None else f"a/{old}"
    return f"--- {before}\n+++ {NOTHING if new is None else f'b/{new}'}\n"


def _signed(sign: str, text: str) -> str:
    return "".join(map(_ended, (sign + line for line in _lines(text))))


def _lines(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _shared(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning, and at the end."""
    start = _same(zip(old, new, strict=False))
    rest = zip(reversed(old[start:]), reversed(new[start:]), strict=False)
    return start, _same(rest)


def _same(pairs: Iterator[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _hunks(old: list[str], new: list[str], start: int, end: int) -> Iterator[str]:
    first, keep = max(0, start - CONTEXT), max(0, end - CONTEXT)
    window = unified_diff(old[first : len(old) - keep], new[first : len(new) - keep], n=CONTEXT)
    for line in list(window)[2:]:
        is_heading = line.startswith("@@")
        yield _ended(_NUMBER.sub(lambda n: str(int(n[0]) + first), line) if is_heading else line)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n{_NO_END}"

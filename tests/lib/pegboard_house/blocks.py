"""Read the code blocks of a Markdown page."""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs

_FENCE = re.compile(r"^```(?P<kind>\S*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!-- *(?P<words>[^>]*?) *-->\s*\Z")


@attrs.frozen
class Block:
    """One fenced block.

    Attributes:
        kind: the word after the fence, such as `python` or `console`.
        text: what is between the fences.
        line: the line of its first fence.
        note: the words of a comment right above the fence, such as `file: greet.py`.
        page: the file that it was read from.
    """

    kind: str
    text: str
    line: int
    note: str
    page: Path


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return list(_blocks(page))


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        before = text[: match.start()]
        comment = _COMMENT.search(before)
        yield Block(
            kind=match["kind"],
            text=match["text"],
            line=before.count("\n") + 1,
            note=comment["words"] if comment else "",
            page=page,
        )

"""Cutting the middle out of content that is too long to be read."""

from collections.abc import Callable, Iterable, Iterator

from pegboard.values import Content, Text

_TAIL = 4
"""One in so many of the characters that are kept is from the end."""


def text_of(content: Iterable[Content]) -> str:
    """The text of all text blocks."""
    return "\n".join(each.text for each in content if isinstance(each, Text))


def length_of(content: Iterable[Content]) -> int:
    """How many characters of text there are in text blocks."""
    return sum(len(each.text) for each in content if isinstance(each, Text))


def shortened(
    content: Iterable[Content], most: int, notice: Callable[[int], str]
) -> tuple[Content, ...]:
    """Content whose text is at most so long: its beginning, a notice, its end.

    Args:
        content: more text than `most` characters; blocks that are no text stay as they are.
        most: how many characters of text there may be.
        notice: what stands in the gap, for the number of characters that are missing.
    """
    blocks = tuple(content)
    total = length_of(blocks)
    kept = max(0, most - len(notice(total)))
    tail = kept // _TAIL
    return tuple(_without(blocks, kept - tail, total - tail, notice(total - kept)))


def _without(blocks: Iterable[Content], start: int, end: int, notice: str) -> Iterator[Content]:
    """Blocks without the text from one place up to another."""
    at, is_noted = 0, False
    for block in blocks:
        if not isinstance(block, Text):
            yield block
            continue
        before, at = at, at + len(block.text)
        text = block.text
        if before < end and at > start:
            gap = "" if is_noted else notice
            text = text[: max(0, start - before)] + gap + text[max(0, end - before) :]
            is_noted = True
        if text:
            yield Text(text)

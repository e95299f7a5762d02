"""Bytes of a file as text: whole lines, whole characters, and never more than asked for."""

from codecs import getincrementaldecoder

import attrs
from pegboard import ToolError

from pegboard_files.paths import shown

BLOCK = 64 * 1024
BEGINNING = 8 * 1024


@attrs.frozen
class Lines:
    """Some lines of a text.

    Attributes:
        data: their bytes.
        count: how many lines they are, a part of a line counted as one.
        ends_inside: whether the last of them is cut off.
    """

    data: bytes
    count: int
    ends_inside: bool


def is_binary(data: bytes) -> bool:
    """Whether bytes are something other than text, by their beginning."""
    return b"\0" in data[:BEGINNING]


def decode(data: bytes, *, path: str, is_cut: bool = False) -> str:
    """Bytes as text; a character that the cut went through is left out.

    Raises:
        ToolError: they aren't UTF-8.
    """
    if is_binary(data):
        raise ToolError(
            f"{shown(path)} is a binary file; only text and pictures can be read", code="not_text"
        )
    try:
        return getincrementaldecoder("utf-8")().decode(data, final=not is_cut)
    except UnicodeDecodeError as error:
        raise ToolError(
            f"{shown(path)} isn't UTF-8 text, and has no mark of UTF-16; an operator can say what "
            "else it may be, with fallback_encoding",
            code="not_text",
        ) from error


def count_lines(data: bytes) -> int:
    """How many lines there are; the last one needs no line end."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def line_start(data: bytes, number: int) -> int | None:
    """Where a line begins, counted from 1; None where there is no such line."""
    start, left = 0, number - 1
    while left:
        if start >= len(data):
            return None
        ends = min(left, data.count(b"\n", start, start + BLOCK))
        start = _after_ends(data, start, ends) if ends == left else start + BLOCK
        left -= ends
    return start if start < len(data) or not data else None


def _after_ends(data: bytes, start: int, ends: int) -> int:
    for _ in range(ends):
        start = data.index(b"\n", start) + 1
    return start


def take_lines(
    data: bytes, start: int, *, limit: int | None, most: int, is_whole: bool = True
) -> Lines:
    """Lines from a place on, up to a number of lines and of bytes; whole lines if any fits.

    Args:
        data: the text.
        start: where the first line begins.
        limit: how many lines at most.
        most: how many bytes at most.
        is_whole: whether the text ends where the data ends.
    """
    window = data[start : start + most]
    if limit is not None:
        window = window[: line_start(window, limit + 1)]
    goes_on = start + len(window) < len(data) or not is_whole
    ends_inside = goes_on and not window.endswith(b"\n")
    if ends_inside and b"\n" in window:
        window, ends_inside = window[: window.rindex(b"\n") + 1], False
    return Lines(window, count_lines(window), ends_inside)

"""Where an old text stands in a file, or what stands there instead."""

from collections.abc import Callable
from itertools import islice

MOST_LINES_NAMED = 5
MOST_COMPARED = 2 * 1024 * 1024

_ALIKE = {
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x201B), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB), '"'),
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212), "-"),
}


def lines_of(old: str, text: str) -> str:
    """The numbers of the first lines on which a text begins, in words."""
    numbers, start = list[int](), text.find(old)
    while start >= 0 and len(numbers) <= MOST_LINES_NAMED:
        numbers.append(text.count("\n", 0, start) + 1)
        start = text.find(old, start + len(old))
    named = ", ".join(map(str, islice(dict.fromkeys(numbers), MOST_LINES_NAMED)))
    is_one = len(dict.fromkeys(numbers)) == 1
    more = " and more" if len(numbers) > MOST_LINES_NAMED else ""
    return f"{'line' if is_one else 'lines'} {named}{more}"


def why_not_there(old: str, text: str) -> str:
    """What to do about a text that isn't there: a line that has nearly the same is named."""
    if len(text) <= MOST_COMPARED:
        for fold, differing in _FOLDS:
            line = _line_with(fold(old), fold(text))
            if line is not None:
                return (
                    f"its old text isn't there; nearly the same is on line {line}, with other "
                    f"{differing}: read it there, and copy it exactly"
                )
    return "its old text isn't there; read the file again"


def _line_with(old: str, text: str) -> int | None:
    start = text.find(old) if old.strip() else -1
    return None if start < 0 else text.count("\n", 0, start) + 1


def _without_blanks(text: str) -> str:
    """The same with one space for all blanks between words, and none around a line."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def _with_plain_signs(text: str) -> str:
    return _without_blanks(text.translate(_ALIKE))


def _without_capitals(text: str) -> str:
    return _with_plain_signs(text).lower()


_FOLDS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_without_blanks, "spaces, tabs or line ends"),
    (_with_plain_signs, "quotes or dashes"),
    (_without_capitals, "capitals"),
)

"""The last expression of a program: where it stands, and the program that keeps its value."""

import ast
import re
import warnings
from collections.abc import Iterator

import attrs

KEPT = "_pegboard_result"
"""The global that keeps the value."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_MOST = 2**18
_LONGEST_END = 2**16
_TRIES = 64
_INSIDE = frozenset({"", " ", "\t", "\f", "\r", "\n", "#", ")", "]", "}"})


@attrs.frozen
class Prepared:
    """A program as it is run.

    Attributes:
        text: of the program, line for line as the model wrote it.
        is_kept: whether `KEPT` has the value of its last expression at the end.
        is_given: whether its last statement is an expression, as far as that could be read.
    """

    text: str
    is_kept: bool = False
    is_given: bool = False


def prepared(program: str) -> Prepared:
    """The program with the value of its last expression kept.

    Where only its end could be read nothing is put there, as it may stand inside of a string.
    """
    text = program.removeprefix("\ufeff")
    for begin in _beginnings(text):
        if (last := _last_statement(text[begin:])) is None:
            continue
        return Prepared(text, is_given=isinstance(last, ast.Expr)) if begin else _kept(text, last)
    return Prepared(text)


def _beginnings(text: str) -> Iterator[int]:
    """Where what is read may begin: at the first line, then from the last one upwards.

    Python reads as much as the sandbox does, or less; one statement at the end is enough.
    """
    if len(text) <= _MOST:
        yield 0
    lines = _LINE_END.finditer(text, max(0, len(text) - _LONGEST_END))
    starts = [each.end() for each in lines if _begins_statement(text, each.end())]
    yield from starts[: -_TRIES - 1 : -1]


def _begins_statement(text: str, start: int) -> bool:
    is_inside = text[start : start + 1] in _INSIDE
    return not is_inside and not text[max(0, start - 3) : start].rstrip("\r\n").endswith("\\")


def _last_statement(text: str) -> ast.stmt | None:
    """The last statement; None where there is none or Python can't read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[-1] if body else None


def _kept(text: str, last: ast.stmt) -> Prepared:
    if not isinstance(last, ast.Expr) or last.end_lineno is None or last.end_col_offset is None:
        return Prepared(text)
    starts = [0, *(each.end() for each in _LINE_END.finditer(text))]
    first = _place(text, starts[last.lineno - 1], last.col_offset)
    end = _place(text, starts[last.end_lineno - 1], last.end_col_offset)
    return Prepared(
        f"{text[:first]}{KEPT} = ({text[first:end]}){text[end:]}", is_kept=True, is_given=True
    )


def _place(text: str, start: int, column: int) -> int:
    """Where a place in bytes of a line is in the text."""
    return start + len(text[start : start + column].encode()[:column].decode())

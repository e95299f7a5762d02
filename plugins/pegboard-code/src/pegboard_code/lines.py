"""The lines of a program, as messages show them."""

import re

_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST = 160


def text_from(program: str, line: int, column: int) -> str:
    """What stands in a line from a column on, both from 1 on."""
    lines = _LINE_END.split(program, maxsplit=line)
    return lines[line - 1][column - 1 :] if 0 < line <= len(lines) else ""


def source_line(program: str, line: int) -> str:
    """A line of the program, on a line of its own; empty where there is none."""
    lines = _LINE_END.split(program, maxsplit=line)
    return _shown(lines[line - 1]) if 0 < line <= len(lines) else ""


def _shown(text: str) -> str:
    text = text.strip()
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"\n    {shown}" if shown else ""

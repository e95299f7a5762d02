"""Texts of others as comments, docstrings and literals that nothing gets out of."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.values import JSON

LONGEST_DOCSTRING = 8_000
LONGEST_COMMENT = 400
_LONGEST_RULE = 40
_DIRECTIVE = re.compile(r"(^|#)(\s*)(?=(?:type|ty)\s*:)", re.IGNORECASE)
_ENDS = re.compile(r'"{3,}|"+\Z')
_LONE = re.compile("[\ud800-\udfff]")
"""Halves of characters: Python 3.13 compiles no docstring with one, escaped or not."""
_BOUNDS = {
    "minimum": "min",
    "exclusiveMinimum": "above",
    "maximum": "max",
    "exclusiveMaximum": "below",
    "multipleOf": "multiple of",
    "minLength": "min length",
    "maxLength": "max length",
    "minItems": "min items",
    "maxItems": "max items",
}
_ANY = 2**53 - 1
"""The bound that schemas give where they have none."""


def literal(text: str) -> str:
    """Text as a literal in Python."""
    return _visible(json.dumps(text, ensure_ascii=False))


def comment(text: object, *, most: int = LONGEST_COMMENT) -> str:
    """Text on one line, fit to stand behind `# `; nothing of it speaks to a type checker."""
    if not isinstance(text, str):
        return ""
    line = " ".join(text[: 4 * most].split())
    return _DIRECTIVE.sub(r"\1\2- ", _visible(_cut(line, most, is_cut=len(text) > 4 * most)))


def docstring(text: object, indent: str) -> str:
    """Text as a docstring between its quotes, with the indent before it; nothing for no text."""
    lines = _lines(_LONE.sub("\ufffd", text)) if isinstance(text, str) else []
    if not lines:
        return ""
    safe = [_visible(each.replace("\\", "\\\\")) for each in lines]
    shown = "\n".join(f"{indent}{each}" if each else "" for each in safe).lstrip()
    closed = _ENDS.sub(lambda found: r"\"" * len(found[0]), shown)
    return f'{indent}"""{closed}"""'


def _lines(text: str) -> list[str]:
    """The lines of a text without what surrounds it and indents it."""
    cut = _cut(text, LONGEST_DOCSTRING, is_cut=False)
    lines = [each.expandtabs(4).rstrip() for each in cut.strip().splitlines()]
    indents = [len(each) - len(each.lstrip()) for each in lines[1:] if each]
    margin = min(indents, default=0)
    found: list[str] = []
    for each in [*lines[:1], *(each[margin:] for each in lines[1:])]:
        if each or (found and found[-1]):
            found.append(each)
    return found


def _cut(text: str, most: int, *, is_cut: bool) -> str:
    return f"{text[: most - 1].rstrip()}…" if is_cut or len(text) > most else text


def _visible(text: str) -> str:
    """Text with what people don't see written as Python escapes it."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escape(ord(each)) for each in text)


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def remark(schema: JSON, *, is_argument: bool) -> str:
    """What stands beside a key: its description, and for an argument what a type can't say."""
    if type(schema) is not dict:
        return ""
    said = comment(schema.get("description"))
    rules = comment(", ".join(_rules(schema))) if is_argument else ""
    return f"{said} ({rules})".lstrip() if rules else said


def _rules(schema: Mapping[str, Any]) -> Iterator[str]:
    shown = _default(schema.get("default"))
    if shown and len(shown) <= _LONGEST_RULE:
        yield f"default {shown}"
    if isinstance(schema.get("format"), str):
        yield f"format {schema['format'][:_LONGEST_RULE]}"
    for word, name in _BOUNDS.items():
        bound = schema.get(word)
        if isinstance(bound, int | float) and _tells(word, bound):
            yield f"{name} {bound!r}"[: 2 * _LONGEST_RULE]
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and len(pattern) <= 2 * _LONGEST_RULE:
        yield f"pattern {pattern}"


def _tells(word: str, bound: float) -> bool:
    """Whether a bound is none that every value keeps."""
    is_nothing = bound == 0 and word in ("minItems", "minLength")
    return -_ANY < bound < _ANY and not isinstance(bound, bool) and not is_nothing


def _default(value: JSON) -> str:
    """A default as Python writes it, where that is short and tells something."""
    if type(value) is str:
        return literal(value) if len(value) <= _LONGEST_RULE else ""
    if type(value) in (list, dict):
        return repr(value) if not value else ""
    return "" if value is None else repr(value)

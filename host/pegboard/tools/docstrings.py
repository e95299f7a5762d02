"""What docstrings say: the description of a function and those of its parameters."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import attrs

_PARAMETERS = frozenset(
    {
        *("args", "arguments", "parameters", "params", "attributes", "keyword args"),
        *("keyword arguments", "other parameters", "other args", "fields"),
    }
)
_RESULTS = frozenset(
    {
        *("raises", "exceptions", "except", "warns", "returns", "return", "yields", "yield"),
        *("receives", "methods"),
    }
)
_TITLE = re.compile(r"([A-Za-z][A-Za-z ]*?)[ \t]*:[ \t]*")
_RESULT_LINE = re.compile(r"(returns?|raises|yields?):[ \t]+\S.*", re.IGNORECASE)
_GOOGLE = re.compile(
    r"([^:]*)(?:\nArgs:\n( +)(\w+:[ \t]+\S.*(?:\n\2\w+:[ \t]+\S.*)*))?"
    r"(?:\n+(?:Returns|Raises|Yields):(?:\n+ +\S.*)+)*"
)
"""What most docstrings are: text, a section with a line for each parameter, and results."""

_ITEMS = re.compile(r"(\w+):[ \t]+(.*\S)")
_UNDERLINES = re.compile(r"^[-=~]{3}", re.MULTILINE)
_UNDERLINE = re.compile(r"[-=~]{3,}[ \t]*")
_FIELD = re.compile(r":[a-z]+(?:[ \t]+[^:]+)?:(?:[ \t]|$)")
_ITEM = re.compile(r"\*{0,2}\w+(?:[ \t]*\(.*?\))?[ \t]*:")
_SIMPLE = re.compile(r"(\w+):[ \t]+(\S(?:.*\S)?)[ \t]*")
_MARGINS = re.compile(r"\n( *)(?=[^ \n])")
_GAPS = re.compile(r"\n{3,}")


@attrs.frozen
class Docstring:
    """What a docstring says.

    Attributes:
        description: all that stands outside the sections on parameters and results.
        parameters: name to description.
    """

    description: str = ""
    parameters: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class _Section:
    """A part of a docstring, with the function that reads its parameters where it has some."""

    lines: list[str]
    read: Callable[[list[str]], dict[str, str]] | None = None
    is_description: bool = False


def read_docstring(text: str | None) -> Docstring:
    """What a docstring in Google's, NumPy's or reST's style says, whatever blank lines it has."""
    if not text:
        return Docstring()
    shown = _without_margin(text)
    simple = _GOOGLE.fullmatch(shown)
    if simple and not _UNDERLINES.search(simple[1]):
        return Docstring(_joined(simple[1]), dict(_ITEMS.findall(simple[3] or "")))
    description: list[str] = []
    parameters: dict[str, str] = {}
    lines, at = _indented(shown.split("\n")), 0
    while at < len(lines):
        section, end = _section_at(lines, at)
        if section is None or section.is_description:
            description += lines[at:end]
        elif section.read is not None:
            parameters |= section.read(section.lines)
        at = end
    return Docstring(_joined("\n".join(description)), parameters)


def _joined(text: str) -> str:
    return _GAPS.sub("\n\n", text).strip()


def _without_margin(text: str) -> str:
    """The same as `inspect` gives, faster for what is usual."""
    shown = text.rstrip()
    if " \n" in shown or not shown.replace("\n", "").isprintable():
        return "\n".join(inspect.cleandoc(text).splitlines())
    margin = min(map(len, _MARGINS.findall(shown)), default=0)
    return shown.lstrip(" ").replace("\n" + " " * margin, "\n").lstrip("\n")


def _indented(lines: list[str]) -> list[str]:
    """The lines, where cleaning took the indent of a section that opens the docstring."""
    title = _TITLE.fullmatch(lines[0]) if lines and ":" in lines[0] else None
    body = next(filter(str.strip, lines[1:]), "")
    if not title or title[1].lower() not in _PARAMETERS or not _ITEM.match(body):
        return lines
    return [lines[0], *(f"    {line}" for line in lines[1:])]


def _section_at(lines: list[str], at: int) -> tuple[_Section | None, int]:
    """The section that starts at a line, or None for lines of text, and where the next one is."""
    line = lines[at]
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if below and below[0] in "-=~" and _UNDERLINE.fullmatch(below):
        end = _end_of_numpy(lines, at + 2)
        return _titled(line, lines[at:end], _read_numpy), end
    if ":" not in line:
        return None, at + 1
    if line[0] == ":" and _FIELD.match(line):
        end = _end_of_fields(lines, at)
        return _Section(lines[at:end], _read_rest), end
    if line[0] in "rRyY" and _RESULT_LINE.fullmatch(line):
        return _Section([line]), _end_of_indented(lines, at + 1)
    title = _TITLE.fullmatch(line)
    end = _end_of_indented(lines, at + 1) if title else at
    if title and any(map(str.strip, lines[at + 1 : end])):
        return _titled(title[1], lines[at:end], _read_google), end
    return None, at + 1


def _titled(title: str, lines: list[str], read: Callable[[list[str]], dict[str, str]]) -> _Section:
    name = title.strip().lower()
    if name in _PARAMETERS:
        return _Section(lines, read)
    return _Section(lines, is_description=name not in _RESULTS)


def _end_of_indented(lines: list[str], at: int) -> int:
    while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t"):
        at += 1
    return at


def _end_of_numpy(lines: list[str], at: int) -> int:
    while at < len(lines) and not (
        at + 1 < len(lines) and lines[at].strip() and _UNDERLINE.fullmatch(lines[at + 1])
    ):
        at += 1
    return at


def _end_of_fields(lines: list[str], at: int) -> int:
    while at < len(lines) and (
        not lines[at].strip() or lines[at][0] in " \t" or _FIELD.match(lines[at])
    ):
        at += 1
    return at


def _read_simply(body: list[str]) -> dict[str, str] | None:
    """The descriptions of a section without types and paragraphs; None for any other."""
    found: dict[str, str] = {}
    name, is_open = "", False
    for line in body:
        simple = _SIMPLE.fullmatch(line)
        if simple:
            name, is_open = simple[1], True
            found[name] = simple[2]
        elif line.strip():
            if not is_open or line[0] not in " \t":
                return None
            found[name] = " ".join(f"{found[name]} {line}".split())
        else:
            is_open = False
    return found


def _read_google(lines: list[str]) -> dict[str, str]:
    margin = min(len(line) - len(line.lstrip()) for line in lines[1:] if line.strip())
    body = [line[margin:] for line in lines[1:]]
    simple = _read_simply(body)
    if simple is not None:
        return simple
    items = [
        line if not line or line[0] in " \t" or _ITEM.match(line) else f"    {line}"
        for line in body
    ]
    while items and not _ITEM.match(items[0]):
        items.pop(0)
    return _described(_google(), ".\n\nArgs:", items)


def _read_numpy(lines: list[str]) -> dict[str, str]:
    from docstring_parser import numpydoc

    body = list(filter(str.strip, lines[2:]))
    return _described(numpydoc.parse, "Parameters\n----------", body, indent="")


def _read_rest(lines: list[str]) -> dict[str, str]:
    from docstring_parser import rest

    return _described(rest.parse, "", list(filter(str.strip, lines)), indent="")


@functools.cache
def _google() -> Callable[[str], Any]:
    from docstring_parser.google import GoogleParser, Section, SectionType

    return GoogleParser([Section("Args", "param", SectionType.MULTIPLE)]).parse


def _described(
    parse: Callable[[str], Any], title: str, body: list[str], *, indent: str = "    "
) -> dict[str, str]:
    """The descriptions by name; a section that the parser can't read gives none."""
    from docstring_parser import ParseError

    if not body:
        return {}
    try:
        found = parse("\n".join([title, *(f"{indent}{line}" for line in body)]).lstrip("\n"))
    except ParseError:
        return {}
    return {
        each.arg_name.lstrip("*"): _flow(each.description)
        for each in found.params
        if each.description
    }


def _flow(text: str) -> str:
    """Text with each paragraph on one line."""
    if "\n" not in text:
        return text.strip()
    paragraphs = re.split(r"\n[ \t]*\n", text.strip())
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)

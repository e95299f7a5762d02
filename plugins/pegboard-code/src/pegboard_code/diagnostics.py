"""What the type checker says, made ready for a model."""

import re
from collections.abc import Iterator

import attrs
from pegboard import Sdk

from pegboard_code.hints import near_tools, what_to_do
from pegboard_code.lines import source_line

_FOUND = re.compile(r"[^:\n]*:(\d+):\d+: (warning|error)\[([\w-]+)\] (.*)")
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`]*)`")
_TEXT = re.compile(r"""["']([^"'\n]{1,200})["']""")
_MADE = re.compile(r"^(?:class |(?:async )?def )?([^\W\d]\w*)\b(?:\(| =|:)", re.MULTILINE)
_UNKNOWN = re.compile(r"Name `(\w+)` used when not defined|Unknown key \"(.+?)\" for TypedDict")
_MOST = 10
_MOST_CHARACTERS = 4000


@attrs.frozen
class Finding:
    """One thing that the type checker has found.

    Attributes:
        line: of the program, from 1 on.
        is_error: whether the program can't run so.
        rule: the checker's name for it.
        message: what it says.
    """

    line: int
    is_error: bool
    rule: str
    message: str

    @property
    def is_syntax(self) -> bool:
        """Whether the program is no Python."""
        return self.rule == "invalid-syntax"


def found(report: str) -> list[Finding]:
    """The findings of a report, in order."""
    return [
        Finding(int(each[1]), each[2] == "error", each[3], each[4])
        for each in map(_FOUND.match, report.splitlines())
        if each is not None
    ]


def only_warns(report: str) -> bool:
    """Whether nothing in a report keeps the program from running."""
    findings = found(report)
    return bool(findings) and not any(each.is_error for each in findings)


def told(findings: list[Finding], program: str, sdk: Sdk) -> str:
    """The findings with their lines, and the declarations of the tools that they are about."""
    shown = findings[:_MOST]
    text = "\n".join(_told(shown, program, sdk))
    if len(findings) > _MOST:
        text += f"\nand {len(findings) - _MOST} more"
    text = text[:_MOST_CHARACTERS]
    declarations = list(_within(_concerned(shown, program, sdk), _MOST_CHARACTERS - len(text)))
    return "\n\n".join([text, *declarations])


def _told(findings: list[Finding], program: str, sdk: Sdk) -> Iterator[str]:
    given: set[str] = set()
    for each in findings:
        hint = _hint(each, sdk)
        source = source_line(program, each.line)
        fresh = "" if hint in given else hint
        given.add(hint)
        yield f"line {each.line}: {each.message[:400]}{fresh}{source}"


def _hint(finding: Finding, sdk: Sdk) -> str:
    if (unknown := _UNKNOWN.search(finding.message)) is not None:
        return near_tools(unknown[1] or unknown[2], sdk)
    return what_to_do(finding.message)


def _concerned(findings: list[Finding], program: str, sdk: Sdk) -> Iterator[str]:
    """The declarations of the tools that findings are about, each once."""
    words: set[str] = set()
    for each in findings:
        source = source_line(program, each.line)
        named = " ".join(_QUOTED.findall(each.message))
        words |= {*_WORD.findall(f"{named} {source}"), *_TEXT.findall(source)}
    for name in sdk.names:
        declaration = sdk.declarations.get(name, "")
        if declaration and (name in words or not words.isdisjoint(_MADE.findall(declaration))):
            yield declaration.strip("\n")


def _within(declarations: Iterator[str], room: int) -> Iterator[str]:
    for each in declarations:
        room -= len(each)
        if room < 0:
            return
        yield each

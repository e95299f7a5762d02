"""What the type checker says, made ready for a model."""

import re
from collections import Counter
from collections.abc import Iterator

import attrs
from pegboard import Sdk

from pegboard_code.annotating import annotation
from pegboard_code.hints import near_tools, near_ways, taken, what_to_do
from pegboard_code.lines import source_line, text_from
from pegboard_code.tails import prepared

_FOUND = re.compile(r"[^:\n]*:(\d+):(\d+): (warning|error)\[([\w-]+)\] (.*)")
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`]*)`")
_TEXT = re.compile(r"""["']([^"'\n]{1,200})["']""")
_MADE = re.compile(r"^(?:class |(?:async )?def )?([^\W\d]\w*)\b(?:\(| =|:)", re.MULTILINE)
_UNDEFINED = re.compile(r"Name `(\w+)` used when not defined")
_UNKNOWN = re.compile(r"Unknown key \"(.+)\" for TypedDict `Tools`")
_AGAIN = re.compile(r"(for TypedDict `Tools`) - did you mean \".*\"\?$")
_TAKEN = re.compile(r"is not assignable to `def ([^\W\d]\w*)\(")
_MOST = 10
_MOST_CHARACTERS = 4000


@attrs.frozen
class Finding:
    """One thing that the type checker has found.

    Attributes:
        line: of the program, from 1 on.
        column: in the line, from 1 on.
        is_error: whether the program can't run so.
        rule: the checker's name for it.
        message: what it says.
    """

    line: int
    column: int
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
        Finding(int(each[1]), int(each[2]), each[3] == "error", each[4], each[5])
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
    lines = Counter(each.line for each in findings)
    checked = prepared(program).text
    for each in findings:
        text = text_from(checked, each.line, each.column)
        hint = _hint(each, sdk) or annotation(
            each.message, text, sdk, is_sole=lines[each.line] == 1
        )
        source = source_line(program, each.line)
        fresh = "" if hint in given else hint
        given.add(hint)
        message = _AGAIN.sub(r"\1", each.message)
        yield f"line {each.line}: {message[:400]}{fresh}{source}"


def _hint(finding: Finding, sdk: Sdk) -> str:
    message = finding.message
    if (undefined := _UNDEFINED.search(message)) is not None:
        return near_tools(undefined[1], sdk)
    if (unknown := _UNKNOWN.search(message)) is not None:
        return near_ways(unknown[1], sdk)
    if (assigned := _TAKEN.search(message)) is not None and assigned[1] in sdk.functions:
        return f"; {taken(assigned[1])}"
    return what_to_do(message)


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

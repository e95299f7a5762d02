"""Why a program gave no result, as its author, a model, can use it."""

import re

import attrs
from pegboard import ProgramError, ProgramLimits, Sdk

from pegboard_code.diagnostics import found, told
from pegboard_code.exceptions import badly_made, is_own_failure
from pegboard_code.hints import NO_EXIT, near_tools, what_to_do
from pegboard_code.lines import source_line
from pegboard_code.prelude import FAILURE
from pegboard_code.results import NotLosslessError
from pegboard_code.steps import (
    ForeseenError,
    LostError,
    MishapError,
    NotStartedError,
    RaisedError,
    RefusedError,
    UnparsedError,
)

_LATE = re.compile(r"(feed|turn) time limit exceeded: \S+ > \S+")
_FULL = re.compile(
    r"memory limit exceeded: \d+ bytes > \d+ bytes"
    r"|the worker exceeded its memory limit and was terminated"
)
_FLOODED = re.compile(r"request frame of \d+ bytes exceeds the maximum of \d+ bytes")
_UNDEFINED = re.compile(
    r"name '(\w+)' is not defined|cannot access local variable '(\w+)' where it is not .*"
)
_UNMADE = "exceptions can only be called with zero or one string argument"
_EVALUATED = re.compile(r"\(<string>, line \d+\)$")
_LACKS = "The monty syntax parser does not yet support "
_MOST = 2000


@attrs.frozen
class Story:
    """What is known of a program.

    Attributes:
        program: its text.
        sdk: what it might call.
        limits: what it might use.
        failures: what its failed calls have said.
    """

    program: str
    sdk: Sdk
    limits: ProgramLimits
    failures: frozenset[str]


def explained(error: MishapError | NotLosslessError, story: Story) -> ProgramError:
    """Why there is no result, for the model."""
    match error:
        case RefusedError():
            return _refused(str(error), story)
        case ForeseenError():
            return _foreseen(error, story)
        case UnparsedError():
            return _unparsed(str(error), error.line, story)
        case RaisedError():
            return _raised(error, story)
        case LostError():
            return _late(story) if error.is_late else _lost(str(error))
        case NotStartedError():
            said = "no process could be started that runs programs; the host's log says why"
            return ProgramError("worker lost", said)
        case NotLosslessError():
            return ProgramError("exception", str(error))
        case _:
            return ProgramError("aborted", "the program was stopped")


def _refused(report: str, story: Story) -> ProgramError:
    findings = [each for each in found(report) if each.is_error]
    if not findings:
        return ProgramError("types", f"the program was refused before it ran: {report[:_MOST]}")
    wrong = [each for each in findings if each.is_syntax]
    text = told(wrong or findings, story.program, story.sdk)
    if wrong:
        return ProgramError("syntax", f"the program can't be read: {text}", line=wrong[0].line)
    said = f"the program has type errors, and nothing of it has run:\n{text}"
    return ProgramError("types", said, line=findings[0].line)


def _foreseen(error: ForeseenError, story: Story) -> ProgramError:
    source = source_line(story.program, error.line)
    said = f"the program can't come to its end, and nothing of it has run: line {error.line}: "
    return ProgramError("types", f"{said}{error}{source}", line=error.line)


def _unmade(story: Story) -> ProgramError:
    """An exception was made with what the sandbox doesn't take; it tells no line."""
    found = badly_made(story.program)
    name, line = found[0] if len(found) == 1 else ("", None)
    where = f"line {line}: " if line else ""
    source = source_line(story.program, line) if line else ""
    advice = "an exception takes one text here, or nothing: write str(…) around it"
    if name == "SystemExit":
        advice = NO_EXIT
    said = f"the program raised an exception: {where}{name or 'TypeError'}: {advice}{source}"
    return ProgramError("exception", said, line=line)


def _unparsed(text: str, line: int | None, story: Story) -> ProgramError:
    where = f"line {line}: " if line else ""
    source = source_line(story.program, line) if line else ""
    if _EVALUATED.search(text):
        said = f"the program raised an exception: {where}SyntaxError: {text[:_MOST]}{source}"
        return ProgramError("exception", said, line=line)
    said = f"the program can't be read: {where}{text[:_MOST]}{what_to_do(text)}{source}"
    return ProgramError("syntax", said, line=line)


def _raised(error: RaisedError, story: Story) -> ProgramError:
    line = error.lines[-1] if error.lines else None
    if error.kind == "TimeoutError" and _LATE.fullmatch(error.text):
        return _late(story)
    if error.kind == "MemoryError" and _FULL.fullmatch(error.text):
        return _full(story, line)
    if error.kind == FAILURE and line is None and _FLOODED.fullmatch(error.text):
        said = "the calls that the program waited for gave too much at once; wait for fewer of them"
        return ProgramError("memory", said)
    if error.kind == "NotImplementedError" and error.text.startswith((_LACKS, "Wildcard imports ")):
        return _unparsed(error.text.replace(_LACKS, "the sandbox lacks "), line, story)
    if error.kind == FAILURE and _UNMADE in error.text and line is None:
        return _unmade(story)
    source = source_line(story.program, line) if line else ""
    is_failure = error.text in story.failures or is_own_failure(story.program, source)
    kind = "ToolCallError" if error.kind == FAILURE and is_failure else error.kind
    text = f": {error.text[:_MOST]}" if error.text else ""
    where = f"line {line}: " if line else ""
    said = f"the program raised an exception: {where}{kind}{text}{_hint(error, story)}{source}"
    return ProgramError("exception", said, line=line)


def _hint(error: RaisedError, story: Story) -> str:
    if error.kind == "SystemExit":
        return f"; {NO_EXIT}"
    undefined = _UNDEFINED.fullmatch(error.text)
    if undefined is not None and error.kind in {"NameError", "UnboundLocalError"}:
        name = undefined[1] or undefined[2]
        is_elsewhere = undefined[2] is not None and name not in story.sdk.names
        return "" if is_elsewhere else near_tools(name, story.sdk)
    return what_to_do(error.text)


def _late(story: Story) -> ProgramError:
    limit = f"{story.limits.interpreter_time:g} s"
    said = f"the program's own code ran for longer than {limit}, its waiting for calls not counted"
    return ProgramError("timeout", f"{said}; do less in one program")


def _full(story: Story, line: int | None) -> ProgramError:
    limit = f"{story.limits.memory / 2**20:g} MiB"
    said = f"the program needed more than {limit} of memory; keep less of it at once"
    return ProgramError("memory", said, line=line)


def _lost(text: str) -> ProgramError:
    how = re.search(r"\(([^()]*(?:\([^()]*\))?)\)$", text)
    said = f" ({how[1]})" if how else ""
    return ProgramError("worker lost", f"the process that ran the program has ended{said}")

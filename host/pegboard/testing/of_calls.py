"""What is asked of the functions beside a tool's body: they answer for whatever may be sent."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pegboard.board import Board
from pegboard.outcomes import Code, Failure, Outcome, Success, ToolCall
from pegboard.testing.of_tools import named
from pegboard.testing.samples import samples
from pegboard.tools import Tool
from pegboard.values import JSON, Text

_SHOWN = 120
_FEW = 5
_ID = "check"

More = Mapping[str, Sequence[JSON]]


def failing_presenters(board: Board, more: More) -> Iterator[str]:
    """Presenters that raise, or give what is no card, for arguments that their tool takes."""
    for name, tool in board.tools.items():
        if tool.present_call is None and tool.present_result is None:
            continue
        problems = list(_unanswered(board, name, tool, more))
        for arguments in _arguments(name, tool, more):
            problems += _presented(board, name, tool, arguments)
        yield from problems[:1]


def _presented(board: Board, name: str, tool: Tool, arguments: JSON) -> Iterator[str]:
    call = ToolCall(_ID, name, arguments)
    outcomes = [] if tool.present_result is None else _outcomes(name, tool)
    for outcome in [None, *outcomes]:
        with _fallen_back() as errors:
            board.present(call, outcome)
        which = "present_call" if outcome is None else "present_result"
        of = "" if outcome is None else f" and a {type(outcome).__name__.lower()}"
        for error in errors:
            yield (
                f"{which} of {named(board, name)} raises {type(error).__name__}: {error} for "
                f"{_shown(arguments)}{of}; let it answer for whatever the tool takes"
            )


def _outcomes(name: str, tool: Tool) -> list[Outcome]:
    values = [] if tool.output.schema is None else samples(tool.output.schema, most=_FEW)
    return [
        Failure(_ID, name, Code.TOOL_ERROR, "it failed", content=(Text("it failed"),)),
        *(Success(_ID, name, each, content=(Text(json.dumps(each)),)) for each in values),
    ]


@contextmanager
def _fallen_back() -> Iterator[list[BaseException]]:
    """What presenters raise in the block: a board shows a generic card instead, and logs why."""
    logger, handler = logging.getLogger("pegboard.board"), _Kept()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler.errors
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Kept(logging.Handler):
    """Keeps the exceptions that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.errors: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the exception of a record."""
        if record.exc_info and record.exc_info[1] is not None:
            self.errors.append(record.exc_info[1])


def failing_overlaps(board: Board, more: More) -> Iterator[str]:
    """Functions for `concurrency_safe` that raise, or don't say, or say now this, now that."""
    for name, tool in board.tools.items():
        if not callable(tool.concurrency_safe):
            continue
        problems = list(_unanswered(board, name, tool, more))
        for arguments in _arguments(name, tool, more):
            problem = _overlap_problem(tool, arguments)
            if problem is not None:
                problems.append(
                    f"concurrency_safe of {named(board, name)} {problem} for {_shown(arguments)}; "
                    "it gives True, False or a key for whatever the tool takes, and the same "
                    "each time"
                )
        yield from problems[:1]


def _overlap_problem(tool: Tool, arguments: JSON) -> str | None:
    said: Any = tool.concurrency_safe
    try:
        first, second = (said(json.loads(json.dumps(arguments))) for _ in range(2))
    except Exception as error:  # noqa: BLE001 - code of a plugin
        return f"raises {type(error).__name__}: {error}"
    if not isinstance(first, (bool, str)):
        return f"gives {type(first).__name__}"
    return None if first == second else "gives two answers"


def _unanswered(board: Board, name: str, tool: Tool, more: More) -> Iterator[str]:
    if not _arguments(name, tool, more):
        yield (
            f"no arguments could be made for {named(board, name)}, so that nothing of it can be "
            f"tried; give some: check_plugin(…, arguments={{{name!r}: [{{…}}]}})"
        )


def _arguments(name: str, tool: Tool, more: More) -> list[JSON]:
    return [*more.get(name, ()), *samples(tool.parameters)]


def _shown(arguments: JSON) -> str:
    text = json.dumps(arguments)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

"""How calls are shown to a model and to people."""

from collections.abc import Iterator
from typing import Any

from pegboard import Failure, Outcome, TerminalCard, Text


def render(_arguments: Any, value: Any) -> list[Text]:
    """What a model reads of a command: its output, how it ended, and notes."""
    output: str = value["output"] or "(no output)\n"
    end = "" if output.endswith("\n") else "\n"
    lines = "".join(f"[{line}]\n" for line in _lines(value))
    return [Text(f"{output}{end}{lines}".removesuffix("\n"))]


def show_call(arguments: Any) -> TerminalCard:
    """A command that is to run."""
    return TerminalCard(arguments["command"], cwd=arguments.get("cwd", "."))


def show_result(arguments: Any, outcome: Outcome) -> TerminalCard:
    """A command that has run."""
    cwd = arguments.get("cwd", ".")
    if isinstance(outcome, Failure):
        return TerminalCard(arguments["command"], cwd=cwd, output=outcome.message)
    value: Any = outcome.value
    return TerminalCard(
        arguments["command"],
        cwd=value.get("cwd", cwd),
        output=value.get("output"),
        exit_status=value.get("exit_status"),
    )


def show_job(arguments: Any, outcome: Outcome) -> TerminalCard:
    """What a job has written."""
    if isinstance(outcome, Failure):
        return TerminalCard(arguments["job"], output=outcome.message)
    value: Any = outcome.value
    status = value.get("exit_status")
    return TerminalCard(arguments["job"], output=value.get("output"), exit_status=status)


def _lines(value: Any) -> Iterator[str]:
    if value["exit_status"] is not None:
        yield f"exit status {value['exit_status']}"
    elif value["signal"] is not None:
        yield f"ended by {value['signal']}"
    yield from value["notes"]

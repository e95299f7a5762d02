"""How a command ended, and what a model is told of it."""

import signal
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import attrs

from pegboard_shell.settings import Settings

Reason: TypeAlias = Literal[
    "exited", "signalled", "timeout", "stopped", "output", "processes", "lost"
]


@attrs.frozen
class Ending:
    """How a command ended.

    Attributes:
        reason: why it ended.
        exit_status: what the shell gave back; None if a signal ended it.
        signal: the name of the signal that ended the shell.
        notes: what else there is to say.
    """

    reason: Reason
    exit_status: int | None = None
    signal: str | None = None
    notes: tuple[str, ...] = ()


def limits_of(ending: Ending, settings: Settings) -> tuple[str, ...]:
    """The limit of the operator that ended a command, if one did."""
    match ending.reason:
        case "output":
            return (f"ended because it wrote more than {settings.output_bytes} bytes",)
        case "processes":
            return (f"ended because it had more than {settings.processes} processes",)
        case "exited" | "signalled" | "stopped" | "lost" | "timeout":
            return ()


def ending_of(report: Mapping[str, Any], asked: Reason | None) -> Ending:
    """How a command ended, by what its supervisor says.

    Args:
        report: what it says; nothing, if it was lost.
        asked: why the command was to end, if it was.
    """
    if not report:
        return Ending(asked or "lost", notes=() if asked else (_LOST,))
    status = report["status"]
    return Ending(
        _reason(report["reason"], asked, status),
        exit_status=status if status is not None and status >= 0 else None,
        signal=_name(-status) if status is not None and status < 0 else None,
        notes=tuple(_notes(report)),
    )


_LOST = (
    "what the command ran under was killed, so nobody knows how it ended; a command mustn't kill "
    "its parent"
)


def _reason(told: str | None, asked: Reason | None, status: int | None) -> Reason:
    if told == "processes":
        return "processes"
    if told is not None:
        return asked or "stopped"
    return "signalled" if status is not None and status < 0 else "exited"


def _notes(report: Mapping[str, Any]) -> Iterator[str]:
    if report["left"]:
        yield (
            f"processes that the command had left running were ended with it: {report['left']}; "
            "what is to go on belongs into a job of its own, in the foreground"
        )
    if report["surviving"]:
        yield (
            f"processes that the host may not end go on: {report['surviving']}; they are another "
            "user's, or wait for a device"
        )


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

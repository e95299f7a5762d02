"""The tool that runs a command to its end."""

from collections.abc import Iterator
from time import monotonic
from typing import Annotated

import attrs
from annotated_types import Gt
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_shell.command import Command
from pegboard_shell.commands import Commands
from pegboard_shell.effects import RUNS
from pegboard_shell.endings import Ending, Reason
from pegboard_shell.settings import Settings
from pegboard_shell.showing import render, show_call, show_result

REPORT_EVERY = 0.25
MOST_OF_A_REPORT = 4_096


@attrs.frozen
class Ran:
    """A command that has ended.

    Attributes:
        output: what it wrote, standard output and error together; the middle is left out where it
            is long.
        exit_status: what the shell gave back; None if a signal ended it.
        signal: the name of the signal that ended the shell, if one did.
        ended: why it ended.
        cwd: the folder it ran in, from the root.
        size: how many bytes it wrote, as text.
        kept: the file with the whole output, from the root; None where the answer has all of it.
        notes: what was left out or ended, and how to go on.
    """

    output: str
    exit_status: int | None
    signal: str | None
    ended: Reason
    cwd: str
    size: int
    kept: str | None
    notes: list[str]


@tool(
    title="Run a command",
    concurrency_safe=False,
    annotations=RUNS,
    extra="forbid",
    output=Output(render=render),
    present_call=show_call,
    present_result=show_result,
)
async def shell_run(
    context: RunContext,
    command: Annotated[str, Doc("What the shell reads, such as 'grep -rn TODO src | head'.")],
    cwd: Annotated[str, Doc("The folder to run it in, relative to the root.")] = ".",
    timeout: Annotated[  # noqa: ASYNC109 - a model's limit on the command
        float | None, Gt(0), Doc("Seconds after which it is ended; the settings say how many.")
    ] = None,
    stdin: Annotated[str, Doc("What it reads on its standard input.")] = "",
) -> Ran:
    """Run a shell command to its end. A status other than 0 is no failure of the call.

    There is no terminal, and nobody answers questions. What is left running in the background is
    ended with the command.
    """
    commands: Commands = context.state
    settings: Settings = context.plugin.settings
    seconds = _seconds(timeout, settings)
    started = await commands.start(command, cwd=cwd, stdin=stdin)
    try:
        ending = await _follow(started.command, context, seconds)
        return _ran(started.command, ending, cwd=started.cwd, seconds=seconds, settings=settings)
    finally:
        await commands.leave(started.command)


def _seconds(timeout: float | None, settings: Settings) -> float:
    if timeout is not None and timeout > settings.max_timeout:
        longer = "; shell_start runs what takes longer" if settings.jobs else ""
        raise ToolError(
            f"a command may take {settings.max_timeout:g} s at most{longer}", code="too_long"
        )
    return settings.timeout if timeout is None else timeout


async def _follow(command: Command, context: RunContext, seconds: float) -> Ending:
    """Report what a command writes until it ends, or until its time is over."""
    deadline, reported = monotonic() + seconds, 0
    while await command.runs_for(min(REPORT_EVERY, deadline - monotonic())):
        reported = _report(command, context, reported)
        if monotonic() >= deadline:
            return await command.end("timeout")
    _report(command, context, reported)
    return await command.end("stopped")


def _report(command: Command, context: RunContext, reported: int) -> int:
    size = command.printed.size
    if size == reported:
        return reported
    since = max(reported, size - MOST_OF_A_REPORT)
    piece = command.printed.from_(since, most=MOST_OF_A_REPORT)
    context.report(progress=size, content=(Text(piece.text),))
    return piece.after


def _ran(command: Command, ending: Ending, *, cwd: str, seconds: float, settings: Settings) -> Ran:
    printed = command.printed
    return Ran(
        output=printed.ends(settings.answer_bytes),
        exit_status=ending.exit_status,
        signal=ending.signal,
        ended=ending.reason,
        cwd=cwd,
        size=printed.size,
        kept=printed.path,
        notes=[
            *_whys(ending, seconds, settings),
            *ending.notes,
            *([f"the whole output is in {printed.path}"] if printed.path else []),
        ],
    )


def _whys(ending: Ending, seconds: float, settings: Settings) -> Iterator[str]:
    match ending.reason:
        case "timeout":
            yield f"ended after {seconds:g} s; timeout= gives it up to {settings.max_timeout:g} s"
        case "output":
            yield f"ended because it wrote more than {settings.output_bytes} bytes"
        case "disk":
            yield "ended because the disk doesn't take what it writes"
        case "processes":
            yield f"ended because it had more than {settings.processes} processes"
        case "exited" | "signalled" | "stopped" | "lost":
            pass

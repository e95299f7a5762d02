"""The tool that runs a command to its end."""

from time import monotonic
from typing import Annotated

import attrs
from annotated_types import Gt
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_shell.command import Command
from pegboard_shell.commands import Commands
from pegboard_shell.effects import RUNS
from pegboard_shell.endings import Ending, Reason, limits_of
from pegboard_shell.settings import Settings
from pegboard_shell.showing import render, show_call, show_result

REPORT_EVERY = 0.25
MOST_OF_A_REPORT = 4_096
_TIME = "ended after {:g} s; timeout= gives it up to {:g} s"


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
        float | None,
        Gt(0),
        Doc("Seconds after which it is ended; without it a minute, unless the settings differ."),
    ] = None,
    stdin: Annotated[str, Doc("What it reads on its standard input.")] = "",
) -> Ran:
    """Run a shell command to its end. A status other than 0 is no failure of the call.

    Each call has a shell of its own: neither `cd` nor variables outlive it. There is no terminal,
    and nobody answers questions. What is left running in the background is ended with the command.
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
            *([_TIME.format(seconds, settings.max_timeout)] if ending.reason == "timeout" else []),
            *limits_of(ending, settings),
            *ending.notes,
            *([f"the whole output is in {printed.path}"] if printed.path else printed.notes),
        ],
    )

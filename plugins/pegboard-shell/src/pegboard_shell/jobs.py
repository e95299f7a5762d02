"""The tools for commands that go on while calls come and go."""

from collections.abc import Iterator
from time import monotonic
from typing import Annotated, Any

import attrs
from annotated_types import Ge, Le
from pegboard import Doc, Output, RunContext, tool

from pegboard_shell.commands import Commands, Job, State
from pegboard_shell.effects import LOOKS, READS, RUNS, STOPS
from pegboard_shell.endings import Ending, Reason, limits_of
from pegboard_shell.settings import Settings
from pegboard_shell.showing import render, show_call, show_job, show_result

LOOK_EVERY = 0.05
LONGEST_CHARACTER = 4
SHOWN_OF_A_COMMAND = 200


@attrs.frozen
class Started:
    """A job that was started.

    Attributes:
        job: its name.
        cwd: the folder it runs in, from the root.
    """

    job: str
    cwd: str


@attrs.frozen
class JobOutput:
    """What a job has written.

    Attributes:
        job: its name.
        state: whether it runs.
        output: a part of what it wrote, standard output and error together.
        since: where the part begins, in bytes of the text.
        next: where the next one begins.
        size: how many bytes it has written so far.
        exit_status: what the shell gave back; None while it runs, or if a signal ended it.
        signal: the name of the signal that ended the shell, if one did.
        ended: why it ended; None while it runs.
        kept: the file with the whole output, from the root; None where there is none.
        notes: how to go on.
    """

    job: str
    state: State
    output: str
    since: int
    next: int
    size: int
    exit_status: int | None
    signal: str | None
    ended: Reason | None
    kept: str | None
    notes: list[str]


@attrs.frozen
class JobLine:
    """A job in a list.

    Attributes:
        job: its name.
        command: the command, its beginning where it is long.
        cwd: the folder it runs in, from the root.
        state: whether it runs.
        size: how many bytes it has written so far.
        exit_status: what the shell gave back; None while it runs, or if a signal ended it.
    """

    job: str
    command: str
    cwd: str
    state: State
    size: int
    exit_status: int | None


@tool(
    title="Start a job",
    concurrency_safe=False,
    annotations=RUNS,
    extra="forbid",
    present_call=show_call,
    present_result=show_result,
)
async def shell_start(
    context: RunContext,
    command: Annotated[str, Doc("What the shell reads; it stays in the foreground, without '&'.")],
    cwd: Annotated[str, Doc("The folder to run it in, relative to the root.")] = ".",
) -> Started:
    """Start a shell command that goes on, such as a server; shell_read tells what it writes.

    It reads no input, and ends with this board at the latest.
    """
    commands: Commands = context.state
    job = await commands.start_job(command, cwd=cwd)
    return Started(job.name, job.cwd)


@tool(
    title="Read a job's output",
    concurrency_safe=lambda arguments: arguments["job"],
    annotations=LOOKS,
    output=Output(render=render),
    present_result=show_job,
)
async def shell_read(
    context: RunContext,
    job: Annotated[str, Doc("The name that shell_start gave.")],
    since: Annotated[
        int | None, Ge(0), Doc("Where to begin; without it, where the last reading ended.")
    ] = None,
    wait: Annotated[
        float, Ge(0), Le(60), Doc("Seconds to wait for something new, or for the end.")
    ] = 0.0,
) -> JobOutput:
    """Read what a job has written since the last reading, and how it is."""
    commands: Commands = context.state
    settings: Settings = context.plugin.settings
    found = commands.job(job)
    begin = min(found.read if since is None else since, found.command.printed.size)
    await _wait(found, begin, seconds=wait)
    return _output(found, begin, settings=settings)


@tool(
    title="Stop a job",
    concurrency_safe=lambda arguments: arguments["job"],
    annotations=STOPS,
    output=Output(render=render),
    present_result=show_job,
)
async def shell_stop(
    context: RunContext, job: Annotated[str, Doc("The name that shell_start gave.")]
) -> JobOutput:
    """End a job with all that it has started, and read the rest of what it wrote."""
    commands: Commands = context.state
    settings: Settings = context.plugin.settings
    found = commands.job(job)
    await found.command.end("stopped")
    return _output(found, found.read, settings=settings)


@tool(title="List the jobs", concurrency_safe=True, annotations=READS)
async def shell_list(context: RunContext) -> list[JobLine]:
    """List the jobs of this board, the last ones that have ended among them."""
    commands: Commands = context.state
    return [_line(each) for each in commands.jobs.values()]


async def _wait(job: Job, since: int, *, seconds: float) -> None:
    deadline = monotonic() + seconds
    while job.command.printed.size <= since and monotonic() < deadline:
        if not await job.command.runs_for(LOOK_EVERY):
            return


def _output(job: Job, since: int, *, settings: Settings) -> JobOutput:
    printed, ending, most = job.command.printed, job.command.ending, settings.answer_bytes
    piece = printed.from_(since, most=most)
    job.read = piece.after
    return JobOutput(
        job=job.name,
        state=job.state,
        output=piece.text,
        since=piece.since,
        next=piece.after,
        size=printed.size,
        **_end_of(ending),
        kept=printed.path,
        notes=[
            *_more(printed.size, piece.after, most),
            *(["it runs"] if ending is None else _why(ending, settings)),
            *([] if piece.since - since < LONGEST_CHARACTER else printed.notes),
        ],
    )


def _more(size: int, after: int, most: int) -> Iterator[str]:
    """How to go on where a reading doesn't reach the end."""
    if rest := size - after:
        last = f", or with since={size - most} for the last of it" if rest > most else ""
        yield f"{rest} bytes more; read on{last}"


def _why(ending: Ending, settings: Settings) -> list[str]:
    return [*(limits_of(ending, settings) or [f"it has ended: {ending.reason}"]), *ending.notes]


def _end_of(ending: Ending | None) -> dict[str, Any]:
    if ending is None:
        return {"exit_status": None, "signal": None, "ended": None}
    return {
        "exit_status": ending.exit_status,
        "signal": ending.signal,
        "ended": ending.reason,
    }


def _line(job: Job) -> JobLine:
    ending = job.command.ending
    return JobLine(
        job=job.name,
        command=job.text[:SHOWN_OF_A_COMMAND],
        cwd=job.cwd,
        state=job.state,
        size=job.command.printed.size,
        exit_status=None if ending is None else ending.exit_status,
    )

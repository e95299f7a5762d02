"""The commands of one board: what runs on it ends with it."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

import attrs
from pegboard import PluginContext, ToolError

from pegboard_shell.command import Command, Order
from pegboard_shell.environment import environment_of
from pegboard_shell.folders import open_folder, shown
from pegboard_shell.kept import Kept
from pegboard_shell.printed import Printed
from pegboard_shell.settings import Settings, root_of

MOST_COMMAND_BYTES = 64 * 1024
MOST_ENDED = 20

State: TypeAlias = Literal["running", "ended"]


@attrs.define(eq=False)
class Job:
    """A command that goes on while calls come and go.

    Attributes:
        name: what a model calls it.
        text: the command.
        cwd: its working folder, from the root.
        command: the command as it runs.
        read: the position up to which its output was read.
    """

    name: str
    text: str
    cwd: str
    command: Command
    read: int = 0

    @property
    def state(self) -> State:
        """Whether it runs."""
        return "running" if self.command.ending is None else "ended"


@attrs.frozen
class Running:
    """A command that was started.

    Attributes:
        command: the command.
        cwd: its working folder, from the root.
    """

    command: Command
    cwd: str


@attrs.define(eq=False)
class Commands:
    """The commands of one board.

    Attributes:
        plugin: whose they are.
        kept: where long output is kept.
        jobs: the jobs by name, those that have ended among them.
    """

    plugin: PluginContext
    kept: Kept
    jobs: dict[str, Job] = attrs.field(factory=dict, init=False)
    _running: set[Command] = attrs.field(factory=set, init=False)
    _starting: set[str] = attrs.field(factory=set, init=False)
    _count: int = attrs.field(default=0, init=False)

    async def start(self, command: str, *, cwd: str, stdin: str = "") -> Running:
        """Start a command; who starts it calls `leave` in the end.

        Raises:
            ToolError: it can't be run, or not there.
        """
        settings: Settings = self.plugin.settings
        order = Order(
            shell=settings.shell,
            command=_checked(command),
            environment=environment_of(settings.environment, os.environ),
            limits=settings.limits,
            processes=settings.processes,
            grace=settings.grace,
        )
        printed = Printed(self.kept, settings.output_bytes, settings.answer_bytes)
        folder = open_folder(root_of(self.plugin), cwd)
        try:
            started = Command.start(order, folder, printed, stdin=stdin)
        finally:
            os.close(folder.descriptor)
        self._running.add(started)
        try:
            await started.begins()
        except BaseException:
            await self.leave(started)
            raise
        return Running(started, folder.path)

    async def leave(self, command: Command) -> None:
        """End a command, if it hasn't ended, and close its output."""
        await command.end("stopped")
        command.printed.close()
        self._running.discard(command)

    async def start_job(self, command: str, *, cwd: str) -> Job:
        """Start a job.

        Raises:
            ToolError: too many run, or it can't be run.
        """
        with self._place_for_a_job() as name:
            await self._forget_old()
            started = await self.start(command, cwd=cwd)
            self.jobs[name] = job = Job(name, command, started.cwd, started.command)
        return job

    def job(self, name: str) -> Job:
        """The job of a name.

        Raises:
            ToolError: this board has none of that name.
        """
        if name not in self.jobs:
            known = f"it has {', '.join(self.jobs)}" if self.jobs else "it has none"
            raise ToolError(f"this board has no job {shown(name)}; {known}", code="unknown_job")
        return self.jobs[name]

    async def close(self) -> None:
        """End everything that runs."""
        await asyncio.gather(*map(self.leave, tuple(self._running)))

    @contextmanager
    def _place_for_a_job(self) -> Iterator[str]:
        """The name of a new job, which counts as one that runs while it is started."""
        running = [each.name for each in self.jobs.values() if each.state == "running"]
        running += sorted(self._starting)
        settings: Settings = self.plugin.settings
        if len(running) >= settings.jobs:
            raise ToolError(
                f"{len(running)} jobs run on this board, and no more may: {', '.join(running)}; "
                "stop one with shell_stop",
                code="too_many_jobs",
            )
        self._count += 1
        name = f"job-{self._count}"
        self._starting.add(name)
        try:
            yield name
        finally:
            self._starting.discard(name)

    async def _forget_old(self) -> None:
        ended = [each for each in self.jobs.values() if each.state == "ended"]
        for job in ended[: max(0, len(ended) + 1 - MOST_ENDED)]:
            del self.jobs[job.name]
            await self.leave(job.command)


def _checked(command: str) -> str:
    """The command as the shell gets it; the first character mustn't make it an option."""
    if "\0" in command:
        raise ToolError("the command has a NUL character; leave it out", code="invalid_command")
    if not command.strip():
        raise ToolError("the command is empty; give one", code="invalid_command")
    size = len(command.encode())
    if size > MOST_COMMAND_BYTES:
        raise ToolError(
            f"the command has {size} bytes, and {MOST_COMMAND_BYTES} are allowed; give what is "
            "long as stdin, or write a script into a file and run that",
            code="invalid_command",
        )
    return f" {command}" if command[0] in "-+" else command

"""A command that runs, as the host sees it: its output, and how it ends."""

import asyncio
import json
import marshal
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, Any, Self

import attrs
from pegboard import ToolError

from pegboard_shell import supervisor
from pegboard_shell.endings import Ending, Reason, ending_of
from pegboard_shell.environment import MARK, environment_of_python
from pegboard_shell.folders import Folder
from pegboard_shell.lost import is_stopped, kill_below, kill_marked
from pegboard_shell.printed import Printed

CHUNK = 64 * 1024
PATIENCE = supervisor.LAST_WAIT + 1.0
"""Seconds beyond the grace in which a supervisor has told how a command ended."""


@attrs.frozen
class Order:
    """What is to be run, and how.

    Attributes:
        shell: the program that reads the command.
        command: what it reads.
        environment: all variables that it gets.
        limits: the limits of each process, by the system's names.
        processes: how many processes there may be.
        grace: seconds between asking to end and killing.
    """

    shell: str
    command: str
    environment: Mapping[str, str]
    limits: Mapping[str, int]
    processes: int
    grace: float

    def packed(self) -> bytes:
        """The order as a supervisor reads it."""
        variables, limits = dict(self.environment), dict(self.limits)
        how = (self.processes, self.grace)
        order: supervisor.Order = (self.shell, self.command, variables, limits, *how)
        data = marshal.dumps(order)
        return len(data).to_bytes(supervisor.SIZE, "little") + data


@attrs.define(eq=False)
class Command:
    """A command that runs or has ended.

    Attributes:
        printed: what it has written.
        ending: how it ended; None while it runs.
    """

    printed: Printed
    ending: Ending | None = attrs.field(default=None, init=False)
    _order: Order
    _process: "subprocess.Popen[bytes]"
    _control: socket.socket
    _output: int
    _asked: Reason | None = attrs.field(default=None, init=False)
    _said: dict[str, Any] = attrs.field(factory=dict, init=False)
    _begun: asyncio.Event = attrs.field(factory=asyncio.Event, init=False)
    _life: "asyncio.Task[None]" = attrs.field(init=False)

    @classmethod
    def start(cls, order: Order, folder: Folder, printed: Printed, *, stdin: str) -> Self:
        """Begin to start a command in an opened folder, which stays the caller's.

        Raises:
            ToolError: the system has no room for another process.
        """
        try:
            process, control, output = _spawn(folder.descriptor, stdin)
        except OSError as error:
            raise _not_started(error.errno) from error
        self = cls(printed, order, process, control, output)
        loop = asyncio.get_running_loop()
        loop.add_reader(output, self._take)
        self._life = loop.create_task(self._live())
        return self

    async def begins(self) -> None:
        """Wait until the shell runs.

        Raises:
            ToolError: the system doesn't start it.
        """
        await self._begun.wait()
        if (number := self._said.get("fault")) is not None:
            raise _not_started(number)

    async def runs_for(self, seconds: float) -> bool:
        """Wait for the end, and tell whether it still runs."""
        await asyncio.wait([self._life], timeout=max(0.0, seconds))
        return not self._life.done()

    async def end(self, reason: Reason) -> Ending:
        """End it with all that it has started; twice is harmless."""
        self._ask(reason)
        if await self.runs_for(self._order.grace) and await self._is_stuck():
            kill_below(self._process.pid)
            self._process.kill()
            await asyncio.wait([self._life])
        if self.ending is None:
            raise RuntimeError("a command ended and nobody knows how") from self._life.exception()
        return self.ending

    async def _is_stuck(self) -> bool:
        """Whether the supervisor doesn't end it: the command holds it, or it takes too long."""
        return is_stopped(self._process.pid) or await self.runs_for(PATIENCE)

    def _ask(self, reason: Reason) -> None:
        if self.ending is None and self._asked is None:
            self._asked = reason
            with suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)
            self._process.send_signal(signal.SIGCONT)

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            with suppress(OSError):
                await loop.sock_sendall(self._control, self._order.packed())
            while await self._hear():
                self._begun.set()
        finally:
            loop.remove_reader(self._output)
            self._process.wait()
            self._leave()
            self._begun.set()

    async def _hear(self) -> bool:
        """Hear what the supervisor says next; whether there was anything."""
        line = b""
        while not line.endswith(b"\n"):
            try:
                piece = await asyncio.get_running_loop().sock_recv(self._control, 1024)
            except OSError:
                return False
            if not piece:
                return False
            line += piece
        for each in line.splitlines():
            self._said |= json.loads(each)
        return True

    def _leave(self) -> None:
        report = self._said if "status" in self._said else {}
        if not report and "fault" not in self._said:
            kill_marked(self._said.get("shell"), self._order.environment[MARK])
        while self._take():
            pass
        self.printed.add(b"", is_last=True)
        os.close(self._output)
        self._control.close()
        self.ending = ending_of(report, self._asked)

    def _take(self) -> bool:
        """Take what the command has written; whether there may be more."""
        try:
            data = b"" if self.printed.is_full else os.read(self._output, CHUNK)
        except BlockingIOError:
            return False
        if data:
            self.printed.add(data)
        if self.printed.is_full:
            self._ask("output")
        elif data:
            return True
        asyncio.get_running_loop().remove_reader(self._output)
        return False


def _spawn(folder: int, stdin: str) -> "tuple[subprocess.Popen[bytes], socket.socket, int]":
    with ExitStack() as theirs, ExitStack() as ours:
        control, far = socket.socketpair()
        ours.callback(control.close)
        theirs.callback(far.close)
        output, writing = os.pipe()
        ours.callback(os.close, output)
        theirs.callback(os.close, writing)
        given = theirs.enter_context(_input(stdin))
        program = [sys.executable, "-I", "-S", "-X", "utf8", supervisor.__file__]
        process = subprocess.Popen(  # noqa: S603 - the host's own Python, and a file of this package
            [*program, str(far.fileno()), str(folder), str(os.getpid())],
            env=environment_of_python(os.environ),
            stdin=given,
            stdout=writing,
            stderr=writing,
            pass_fds=(far.fileno(), folder),
            start_new_session=True,
        )
        control.setblocking(False)
        os.set_blocking(output, False)
        ours.pop_all()
    return process, control, output


@contextmanager
def _input(text: str) -> Iterator[int]:
    if not text:
        yield subprocess.DEVNULL
        return
    with _unnamed() as file:
        file.write(text.encode())
        file.seek(0)
        yield file.fileno()


def _unnamed() -> IO[bytes]:
    """A file that nobody else sees; where the system has that, in memory, which no disk limits."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("stdin"), "w+b")
    return TemporaryFile()


def _not_started(number: int | None) -> ToolError:
    reason = os.strerror(number or 0).lower()
    return ToolError(
        f"the command can't be started: {reason}; if that lasts, the operator should look at the "
        "settings of the plugin 'shell' and at the limits of the host",
        code="not_started",
    )

"""The process of a server: its pipes, its end, and the processes that it has started."""

import asyncio
import asyncio.subprocess
import os
import shutil
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Self

import anyio
from mcp.client.stdio import get_default_environment

from pegboard_mcp.attached.descendants import outside_group, send_to
from pegboard_mcp.attached.target import Command

_CHUNK = 256 * 1024
_LAST_WORDS = 0.2
"""Seconds in which what a process wrote before its end arrives."""
_TO_EXIT = 1.0
"""Seconds that a server has to end by itself once its input has ended."""
_TO_STOP = 1.0
"""Seconds that it has once it was told to stop."""
_POLL, _POLLS = 0.01, 50
_HAS_GROUPS = os.name == "posix"


class Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """Pipes that end with the process, even where something that it started still holds them."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(limit=_CHUNK, loop=loop)
        self.has_exited = asyncio.Event()
        self._owner = loop
        self._is_cut = False
        self._cutting: asyncio.TimerHandle | None = None

    def process_exited(self) -> None:
        """Note the end, and let what is still in the pipes arrive."""
        super().process_exited()
        self.has_exited.set()
        self._cutting = self._owner.call_later(_LAST_WORDS, self.cut)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Pass on what the process wrote."""
        if not self._is_cut:
            super().pipe_data_received(fd, data)

    def cut(self) -> None:
        """Take nothing more."""
        if self._cutting is not None:
            self._cutting.cancel()
        if self._is_cut:
            return
        self._is_cut = True
        for stream in (self.stdout, self.stderr):
            if stream is not None and not stream.at_eof():
                stream.feed_eof()


class Child:
    """A server's process, in a group of its own where the system has groups."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: Pipes) -> None:
        self._transport = transport
        self._pipes = pipes
        self.pid = transport.get_pid()

    @classmethod
    async def start(cls, command: Command) -> Self:
        """Start a server.

        Raises:
            OSError: there is no such program or folder, or it can't be run.
            ValueError: a word or a variable can't be handed to a program.
        """
        given = {key: each.reveal() for key, each in command.env.items()}
        env = {**get_default_environment(), **given}
        transport, pipes = await asyncio.get_running_loop().subprocess_exec(
            Pipes,
            *_program(command.words, env),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=env,
            cwd=command.cwd,
            start_new_session=_HAS_GROUPS,
        )
        return cls(transport, pipes)

    @property
    def ending(self) -> str | None:
        """How it has ended, in words; None while it runs."""
        code = self._transport.get_returncode()
        if code is None:
            return None
        if code >= 0:
            return f"it exited with code {code}"
        try:
            return f"it was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"it was ended by signal {-code}"

    async def read(self) -> bytes:
        """What it wrote on its standard output; nothing once that has ended."""
        return b"" if self._pipes.stdout is None else await self._pipes.stdout.read(_CHUNK)

    async def read_errors(self) -> bytes:
        """What it wrote on its standard error; nothing once that has ended."""
        return b"" if self._pipes.stderr is None else await self._pipes.stderr.read(_CHUNK)

    async def write(self, text: bytes) -> None:
        """Write on its standard input.

        Raises:
            BrokenResourceError: nobody reads there any more.
        """
        writer = self._pipes.stdin
        if writer is None or writer.is_closing() or self._pipes.has_exited.is_set():
            raise anyio.BrokenResourceError
        try:
            writer.write(text)
            await writer.drain()
        except (OSError, RuntimeError) as error:
            raise anyio.BrokenResourceError from error

    async def exits_within(self, seconds: float) -> bool:
        """Whether it ends in time."""
        try:
            async with asyncio.timeout(seconds):
                await self._pipes.has_exited.wait()
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """End it and what it has started: first by the end of its input, at last by force."""
        # once it has ended, its number may be another's
        outside = () if self._pipes.has_exited.is_set() else outside_group(self.pid)
        try:
            if self._pipes.stdin is not None:
                self._pipes.stdin.close()
            if not await self.exits_within(_TO_EXIT):
                self._send(signal.SIGTERM)
                await self.exits_within(_TO_STOP)
            await _stop_rest(self._send)
            await _stop_rest(partial(send_to, outside))
            await self.exits_within(_TO_STOP)
        except BaseException:
            self._kill()
            send_to(outside, signal.SIGKILL)
            raise
        finally:
            self._pipes.cut()
            self._transport.close()

    def _send(self, number: int) -> bool:
        """Send a signal to everything in its group; whether something is there."""
        if not _HAS_GROUPS:
            with suppress(ProcessLookupError):
                self._transport.terminate()
            return False
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def _kill(self) -> None:
        if _HAS_GROUPS:
            self._send(signal.SIGKILL)
            return
        with suppress(ProcessLookupError):
            self._transport.kill()


async def _stop_rest(send: Callable[[int], bool]) -> None:
    """End what was left behind; `send` tells whether something is there."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not send(number):
            return
        for _ in range(_POLLS):
            await asyncio.sleep(_POLL)
            if not send(0):
                return


def _program(words: tuple[str, ...], env: Mapping[str, str]) -> tuple[str, ...]:
    """The words to start; Windows looks for a script such as `npx` by its whole name only."""
    found = None if _HAS_GROUPS else shutil.which(words[0], path=env.get("PATH"))
    return (found or words[0], *words[1:])

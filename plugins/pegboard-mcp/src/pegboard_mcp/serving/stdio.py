"""A board over standard input and output, which nothing else can reach meanwhile."""

import asyncio
import io
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from queue import SimpleQueue
from typing import Any, TextIO, cast

import anyio
from mcp.server.stdio import stdio_server
from pegboard import Board, PegboardError

from pegboard_mcp.serving.server import BoardServer

_CHUNK = 65536
_LONGEST_LINE = 16 * 2**20


async def serve_stdio(
    board: Board, *, page_size: int | None = None, results: TextIO | None = None
) -> None:
    """Serve a board to the client at the other end of standard input and output.

    Until this ends, tools that print, and programs that they start, write on standard error, and
    find standard input empty.

    Args:
        board: what the client sees and may call.
        page_size: how many tools one `tools/list` gives at most; None for all of them.
        results: where the client reads, if standard output was put somewhere else already.

    Raises:
        PegboardError: standard input or output isn't a descriptor.
    """
    server = BoardServer(board, page_size=page_size)
    with ExitStack() as stack:
        wire_in = stack.enter_context(_taken(sys.stdin, 0))
        if results is None:
            wire_out = stack.enter_context(_taken(sys.stdout, 1))
            stack.enter_context(redirect_stdout(sys.stderr))
        else:
            results.flush()
            wire_out = _descriptor(results)
        lines, writer = _Lines(wire_in), _Writer(wire_out)
        stack.callback(writer.close)
        streams = cast("Any", lines), cast("Any", writer)
        with _quiet():
            async with stdio_server(*streams) as (read, write):
                await server.run(read, write, server.create_initialization_options())


@contextmanager
def _quiet() -> Iterator[None]:
    """Let it be an end like any other that messages were on their way, which the SDK raises."""
    try:
        yield
    except BaseExceptionGroup as group:
        _, others = group.split((anyio.BrokenResourceError, anyio.ClosedResourceError))
        if others is not None:
            raise
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError from None


@contextmanager
def _taken(stream: TextIO | None, number: int) -> Iterator[int]:
    """A descriptor of its own for what was standard input or output, which now leads elsewhere."""
    if _descriptor(stream) != number:
        raise PegboardError(f"descriptor {number} isn't what it was; a program can't serve here")
    kept = os.dup(number)
    elsewhere = os.open(os.devnull, os.O_RDONLY) if number == 0 else os.dup(2)
    os.dup2(elsewhere, number)
    os.close(elsewhere)
    try:
        yield kept
    finally:
        if stream is not None and number == 1:
            with suppress(OSError):
                stream.flush()
        os.dup2(kept, number)  # kept stays open: a thread may still read or write there


def _descriptor(stream: TextIO | None) -> int:
    try:
        if stream is not None:
            return stream.fileno()
    except (OSError, io.UnsupportedOperation):
        pass
    raise PegboardError("to serve a board here takes real standard streams; use serve_http instead")


class _Lines:
    """The lines of a descriptor, read in a thread that the end of the program doesn't wait for."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._send, self._read = anyio.create_memory_object_stream[str](16)
        threading.Thread(target=self._work, name="pegboard-stdin", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[str]:
        return self._read.__aiter__()

    def _work(self) -> None:
        with suppress(
            OSError, CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError
        ):
            for line in _lines_of(self._descriptor):
                if not self._give(line):
                    return
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._send.close)

    def _give(self, line: str) -> bool:
        """Hand a line over once there is room for it; False where the loop is no more."""
        sending = self._send.send(line)
        try:
            asyncio.run_coroutine_threadsafe(sending, self._loop).result()
        except RuntimeError:
            sending.close()
            return False
        return True


def _lines_of(descriptor: int) -> Iterator[str]:
    """Lines of bounded length; of a longer one only the beginning, which is no message."""
    kept = bytearray()
    while given := os.read(descriptor, _CHUNK):
        *ends, rest = given.split(b"\n")
        for end in ends:
            kept += end
            yield kept[:_LONGEST_LINE].decode(errors="replace")
            kept.clear()
        kept += rest[: max(0, _LONGEST_LINE - len(kept))]
    if kept:
        yield kept.decode(errors="replace")


class _Writer:
    """A descriptor, written in a thread that the end of the program doesn't wait for."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        threading.Thread(target=self._work, name="pegboard-stdout", daemon=True).start()

    async def write(self, text: str) -> None:
        """Write text, once everything before it is written.

        Raises:
            ClosedResourceError: nobody reads it.
        """
        written: asyncio.Future[None] = self._loop.create_future()
        self._queue.put((text.encode(), written))
        await written

    async def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Let the thread end."""
        self._queue.put(None)

    def _work(self) -> None:
        while (given := self._queue.get()) is not None:
            data, written = given
            is_read = _is_written(self._descriptor, data)
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_settle, written, is_read)


def _is_written(descriptor: int, data: bytes) -> bool:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False
    return True


def _settle(written: "asyncio.Future[None]", is_read: bool) -> None:
    if written.done():
        return
    if is_read:
        written.set_result(None)
    else:
        written.set_exception(anyio.ClosedResourceError())

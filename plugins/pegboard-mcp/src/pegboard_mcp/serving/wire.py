"""Lines of one descriptor and lines on another, in threads that no end of a program waits for."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import SimpleQueue

import anyio

from pegboard_mcp.serving.refusals import LONGEST_LINE

_CHUNK = 65536


class Lines:
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
            yield kept[:LONGEST_LINE].decode(errors="replace")
            kept.clear()
        kept += rest[: max(0, LONGEST_LINE - len(kept))]
    if kept:
        yield kept.decode(errors="replace")


class Writer:
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

"""Lines over a socket: bounded in size, and read only when they are wanted."""

import asyncio
import select
import socket
from typing import Self

from pegboard.errors import ControlError

_CHUNK = 2**16


class Wire:
    """One connection; nothing is read ahead of who reads, and nothing is queued for a slow peer.

    Args:
        sock: connected; this closes it.
        most: bytes of one line.
    """

    def __init__(self, sock: socket.socket, most: int) -> None:
        sock.settimeout(0)
        self._sock = sock
        self._most = most
        self._left = bytearray()

    async def read(self) -> bytes | None:
        """The next line without its end; None once the peer sends no more, half a line or not.

        Raises:
            ControlError: the line is too long.
            OSError: the connection is broken.
        """
        seen = 0
        while (end := self._left.find(b"\n", seen)) < 0:
            seen = len(self._left)
            self._check(seen)
            chunk = await self._chunk()
            if not chunk:
                return None
            self._left += chunk
        self._check(end)
        line = bytes(memoryview(self._left)[:end])
        del self._left[: end + 1]
        return line

    async def write(self, line: bytes, *, reading: float | None) -> None:
        """Send a line.

        Args:
            line: without its end.
            reading: seconds for the peer to read on; None for as long as it takes.

        Raises:
            TimeoutError: the peer doesn't read.
            OSError: it is gone.
        """
        text = memoryview(line + b"\n")
        for start in range(0, len(text), _CHUNK):
            async with asyncio.timeout(reading):
                await asyncio.get_running_loop().sock_sendall(
                    self._sock, text[start : start + _CHUNK]
                )
            await asyncio.sleep(0)  # who reads as fast as this writes doesn't hold others up

    async def linger(self, seconds: float) -> None:
        """Let a peer that still sends see what it was told, before the connection is closed."""
        self._sock.shutdown(socket.SHUT_WR)
        async with asyncio.timeout(seconds):
            while await self._chunk():
                pass

    def is_over(self) -> bool:
        """Whether the peer has closed the connection, or broken it."""
        try:
            return self._sock.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def is_deserted(self) -> bool:
        """Whether the peer is gone; one that only sends no more still reads."""
        seen = select.poll()
        seen.register(self._sock, 0)
        return bool(seen.poll(0))

    def close(self) -> None:
        """End the connection; a second time does nothing."""
        self._sock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _chunk(self) -> bytes:
        """What has come; empty at the end. Others have their turn, however fast it comes."""
        await asyncio.sleep(0)
        return await asyncio.get_running_loop().sock_recv(self._sock, _CHUNK)

    def _check(self, size: int) -> None:
        if size > self._most:
            raise ControlError(f"a line has at most {self._most} bytes", kind="too_large")

"""Lines that a person types at the terminal while calls go on."""

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress


class Typed:
    """Reads lines of standard input, each only once somebody waits for it."""

    def __init__(self) -> None:
        self._reading: asyncio.Future[bytes] | None = None

    async def line(self) -> str | None:
        """The next line, without its end; None where there is none any more.

        Being cancelled leaves the line that is being typed to whoever asks next.
        """
        if self._reading is None:
            self._reading = _read_beside()
        given = await asyncio.shield(self._reading)
        self._reading = None
        return given.decode(errors="replace").rstrip("\r\n") if given else None

    def forget(self) -> None:
        """Drop what was typed before anything was asked."""
        if self._reading is not None and self._reading.done():
            self._reading = None
        if sys.platform == "win32":
            return
        import termios

        with suppress(OSError, termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _read_beside() -> "asyncio.Future[bytes]":
    """One line, read in a thread that the end of the program doesn't wait for."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[bytes] = loop.create_future()
    descriptor = sys.stdin.fileno()

    def work() -> None:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # it is the main thread's
        try:
            given = os.read(descriptor, 65536)
        except OSError:
            given = b""
        with suppress(RuntimeError):  # the loop has closed
            loop.call_soon_threadsafe(read.set_result, given)

    threading.Thread(target=work, name="pegboard-typed", daemon=True).start()
    return read


def is_at_terminal() -> bool:
    """Whether a person can type something."""
    return sys.stdin is not None and sys.stdin.isatty()

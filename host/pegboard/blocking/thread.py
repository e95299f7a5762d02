"""A thread in which a loop runs until it is told to end."""

import asyncio
import contextvars
import logging
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from pegboard.blocking.waiting import Wait
from pegboard.calls.settle import guarded

SPARE = 1.0
"""Seconds beyond the grace in which the loop tells how something ended."""

_log = logging.getLogger("pegboard.blocking")


class LoopThread(threading.Thread):
    """A thread in which a loop runs, so that nothing may wait in it.

    Args:
        grace: seconds in which what was cancelled ends.
        ended: called in it at its end.

    Attributes:
        waits: what other threads wait for.
        has_ended: whether the loop has.
    """

    def __init__(self, *, grace: float, ended: Callable[[], object]) -> None:
        super().__init__(name="pegboard-loop", daemon=True)
        self.waits: dict[Wait, None] = {}
        self.has_ended = False
        self._grace = grace
        self._ended = ended
        self._loop: asyncio.AbstractEventLoop | None = None
        self._fault: OSError | None = None
        self._is_ready = threading.Event()
        self._ending: asyncio.Task[None] | None = None
        self._is_over = False

    def start(self) -> None:
        """Begin, and wait until there is a loop.

        Raises:
            RuntimeError: the system starts no more threads.
            OSError: it opens no more files.
        """
        super().start()
        self._is_ready.wait()
        if self._fault is not None:
            raise self._fault

    def run(self) -> None:
        """Run a loop until it is over, whatever is raised in it."""
        loop = None
        try:
            loop = self._loop = asyncio.new_event_loop()
            self._is_ready.set()
            while not self._is_over:
                _run(loop)
        except OSError as error:
            self._fault = error
        finally:
            self.has_ended = True
            self._is_ready.set()
            if loop is not None:
                loop.close()
            for wait in list(self.waits):
                wait.end(None)
            self._ended()

    def tell(
        self,
        function: Callable[..., object],
        *given: Any,
        context: contextvars.Context | None = None,
    ) -> bool:
        """Have something called on the loop soon, from any thread; False once it has ended.

        Args:
            function: what is called.
            given: its arguments.
            context: in which; a copy of this one if None.
        """
        if self._loop is None:
            self._is_ready.wait(SPARE)  # for who was interrupted while this one starts
        try:
            if self._loop is None or self.has_ended:
                return False
            self._loop.call_soon_threadsafe(function, *given, context=context)
        except RuntimeError:
            return False
        return True

    def begin_to_end(
        self, patience: float, last: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        """On the loop: have it end once nobody waits for it, or so many seconds have passed.

        Args:
            patience: the seconds.
            last: what is awaited right before it ends, within its time to stop.
        """
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(patience, last), name="pegboard-ending")

    async def _end(self, patience: float, last: Callable[[], Awaitable[object]] | None) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        try:
            while any(not each.has_ended for each in list(self.waits)):
                if loop.time() >= until:
                    break
                await asyncio.sleep(0.005)
            if last is not None:
                await asyncio.wait([asyncio.create_task(guarded(last))], timeout=self._grace)
            await self._wind_up()
        finally:
            self._is_over = True
            loop.stop()

    async def _wind_up(self) -> None:
        """Cancel what is left."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=self._grace + SPARE)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._grace + SPARE):
                await asyncio.get_running_loop().shutdown_asyncgens()

    def place(self) -> str:
        """Where its code is, for people."""
        frame = sys._current_frames().get(self.ident or 0)  # noqa: SLF001 - it is documented
        if frame is None:
            return "somewhere"
        code = frame.f_code
        return f"by {code.co_name!r} at {code.co_filename}:{frame.f_lineno}"


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, or something raises that stops it, such as `SystemExit`."""
    try:
        loop.run_forever()
    except BaseException as error:  # noqa: BLE001 - code of a plugin
        _log.critical("something on the loop of a host raised", exc_info=error)

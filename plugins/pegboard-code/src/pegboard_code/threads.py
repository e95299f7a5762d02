"""Threads that nothing waits for without end: not the loop, and not the exit of the interpreter."""

import asyncio
import atexit
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

NAME = "pegboard-code"
"""What each of them is called."""

_AT_EXIT = 5.0
_LOOK_UP = 0.005


class Threads:
    """One for each piece of work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._alive: set[threading.Thread] = set()
        # A thread that is inside of the sandbox's code when the interpreter goes can abort it.
        atexit.register(self._join)

    def start(self, work: Callable[[], None]) -> "Future[None]":
        """Do it on a thread of its own; the future can't be cancelled."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()
        thread = threading.Thread(target=_do, args=(work, future), name=NAME, daemon=True)
        thread.start()
        with self._lock:
            self._alive = {each for each in self._alive if each.is_alive()} | {thread}
        return future

    @property
    def alive(self) -> frozenset[threading.Thread]:
        """Those that have not ended."""
        with self._lock:
            return frozenset(each for each in self._alive if each.is_alive())

    async def close(self, until: float) -> int:
        """Wait for all of them, until a time of the loop; how many are left."""
        loop = asyncio.get_running_loop()
        while self.alive and loop.time() < until:  # noqa: ASYNC110 - no thread tells it
            await asyncio.sleep(_LOOK_UP)
        left = len(self.alive)
        if not left:
            atexit.unregister(self._join)
        return left

    def _join(self) -> None:
        until = time.monotonic() + _AT_EXIT
        for each in self.alive:
            each.join(max(0.0, until - time.monotonic()))


def _do(work: Callable[[], None], future: "Future[None]") -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - whoever waits is told, whatever it is
        future.set_exception(error)
    else:
        future.set_result(None)

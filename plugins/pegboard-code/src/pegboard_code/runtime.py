"""Programs one beside the other, and the end of all of them."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from pegboard import ProgramError, ProgramLimits, ProgramResult

from pegboard_code.bench import Bench
from pegboard_code.running import Request, Running
from pegboard_code.settings import Settings
from pegboard_code.steps import NotStartedError
from pegboard_code.threads import Threads

_GRACE = 10.0
_HEARD = 2.0


class Runtime:
    """Runs programs, at most so many at once."""

    def __init__(self, settings: Settings, log: logging.Logger) -> None:
        self._workers = settings.workers
        self._log = log
        self._places = asyncio.Semaphore(settings.workers)
        self._bench = Bench(keep_warm=settings.keep_warm)
        self._threads = Threads()
        self._running: dict[Running, asyncio.Future[None]] = {}
        self._is_closed = False

    async def run(self, request: Request) -> ProgramResult:
        """What a program gives; see `pegboard.CodeRuntime.run`."""
        begin_before = asyncio.get_running_loop().time() + _most_waiting(request.limits)
        async with self._place(begin_before):
            self._refuse_if_closed()
            running = Running(request, self._bench, begin_before=begin_before)
            gone = self._running[running] = asyncio.get_running_loop().create_future()
            try:
                return await running.run(self._threads)
            except ProgramError as error:
                if isinstance(error.__cause__, NotStartedError):
                    self._log.error("no worker could be started: %s", error.__cause__)
                raise
            finally:
                del self._running[running]
                gone.set_result(None)
                self._refill(request)

    @asynccontextmanager
    async def _place(self, before: float) -> AsyncIterator[None]:
        """One of the places, once it is free; it must be before a time of the loop."""
        try:
            async with asyncio.timeout_at(before):
                await self._places.acquire()
        except TimeoutError as error:
            said = f"all {self._workers} workers were busy with other programs for too long"
            raise ProgramError("timeout", f"the program has not begun: {said}") from error
        try:
            yield
        finally:
            self._places.release()

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise ProgramError("aborted", "what runs programs has been unloaded")

    def _refill(self, request: Request) -> None:
        if not self._is_closed:
            self._threads.start(partial(self._bench.refill, request.sdk, request.limits))

    async def close(self) -> None:
        """Stop every program and end every process."""
        self._is_closed = True
        until = asyncio.get_running_loop().time() + _GRACE
        for each in self._running:
            each.abort(ProgramError("aborted", "what runs programs is being unloaded"))
        self._threads.start(self._bench.close)
        if self._running:
            await asyncio.wait(list(self._running.values()), timeout=_GRACE)
        if left := await self._threads.close(until):
            self._log.error("%d threads of programs have not ended in %g s", left, _GRACE)


def _most_waiting(limits: ProgramLimits) -> float:
    """Seconds to wait for a worker, so many fewer than the host waits that it hears of it."""
    return max(limits.wall_time / 2, limits.wall_time - _HEARD)

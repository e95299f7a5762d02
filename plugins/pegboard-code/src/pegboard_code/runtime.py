"""Programs one beside the other, and the end of all of them."""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager

from pegboard import ProgramError, ProgramLimits, ProgramResult

from pegboard_code.bench import Bench
from pegboard_code.running import Request, Running
from pegboard_code.settings import Settings
from pegboard_code.steps import NotStartedError

_GRACE = 10.0
_HEARD = 2.0


class Runtime:
    """Runs programs, at most so many at once."""

    def __init__(self, settings: Settings, log: logging.Logger) -> None:
        self._workers = settings.workers
        self._log = log
        self._places = asyncio.Semaphore(settings.workers)
        self._bench = Bench(keep_warm=settings.keep_warm)
        self._threads = ThreadPoolExecutor(settings.workers + 1, thread_name_prefix="pegboard-code")
        self._running: dict[Running, asyncio.Future[None]] = {}
        self._filling: set[Future[None]] = set()
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
        if self._is_closed:
            return
        filling = self._threads.submit(self._bench.refill, request.sdk, request.limits)
        self._filling.add(filling)
        filling.add_done_callback(self._filling.discard)

    async def close(self) -> None:
        """Stop every program and end every process."""
        self._is_closed = True
        for each in self._running:
            each.abort(ProgramError("aborted", "what runs programs is being unloaded"))
        ending = [*self._running.values(), *map(asyncio.wrap_future, self._filling.copy())]
        ending.append(asyncio.wrap_future(self._threads.submit(self._bench.close)))
        _, left = await asyncio.wait(ending, timeout=_GRACE)
        self._threads.shutdown(wait=not left, cancel_futures=True)


def _most_waiting(limits: ProgramLimits) -> float:
    """Seconds to wait for a worker, so many fewer than the host waits that it hears of it."""
    return max(limits.wall_time / 2, limits.wall_time - _HEARD)

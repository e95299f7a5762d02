"""A program as the loop sees it: its calls are made, its output is read, and it is stopped."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, assert_never

import attrs
from pegboard import (
    Dispatch,
    ProgramError,
    ProgramLimits,
    ProgramOutput,
    ProgramResult,
    Sdk,
    ToolCallError,
)

from pegboard_code.bench import Bench
from pegboard_code.driving import Drive
from pegboard_code.faults import Story, explained
from pegboard_code.link import Broken, Ended, Link, Printed, Resting, Wanted
from pegboard_code.results import NotLosslessError
from pegboard_code.steps import Failed, MishapError, StoppedError, Value
from pegboard_code.threads import Threads
from pegboard_code.worker import Worker

_GRACE = 5.0
_LEFT = 1.0
_LONGEST = 1e9


@attrs.frozen(eq=False)
class Request:
    """What the host wants run; see `pegboard.CodeRuntime.run`."""

    program: str
    sdk: Sdk
    dispatch: Dispatch
    limits: ProgramLimits
    output: ProgramOutput


class Running:
    """One program."""

    def __init__(self, request: Request, bench: Bench, *, begin_before: float) -> None:
        self._begin_before = begin_before
        self._has_begun = False
        self._request = request
        self._bench = bench
        self._link = Link(self._is_gone)
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._is_stopped = False
        self._is_refused = False
        self._calls: dict[asyncio.Future[Any], int] = {}
        self._failures: set[str] = set()

    async def run(self, threads: Threads) -> ProgramResult:
        """Run it on a thread of its own.

        Raises:
            ProgramError: it gave no result.
        """
        thread = asyncio.wrap_future(threads.start(self._work))
        late = asyncio.get_running_loop().call_at(self._begin_before, self._abort_unbegun)
        try:
            while not isinstance(event := await self._link.events.get(), Ended):
                self._hear(event)
            return self._result(event)
        finally:
            late.cancel()
            await self._stop(thread)

    def abort(self, error: BaseException) -> None:
        """Have it end with an error."""
        self._link.events.put_nowait(Broken(error))

    def _abort_unbegun(self) -> None:
        if not self._has_begun:
            said = "the program has not begun: no process was ready for it in time"
            self.abort(ProgramError("timeout", said))

    def _hear(self, event: Printed | Wanted | Resting | Broken) -> None:
        match event:
            case Printed(text=text):
                self._read(text)
            case Wanted(call_id=call_id, name=name, arguments=arguments):
                self._begin(call_id, partial(self._request.dispatch, name, arguments))
            case Resting(call_id=call_id, seconds=seconds):
                self._begin(call_id, partial(asyncio.sleep, min(seconds, _LONGEST)))
            case Broken(error=error):
                raise error
            case _:
                assert_never(event)

    def _read(self, text: str) -> None:
        self._link.read()
        if not self._is_refused:
            self._is_refused = True
            self._request.output(text)
            self._is_refused = False

    def _begin(self, call_id: int, make: Callable[[], Awaitable[Any]]) -> None:
        try:
            future = asyncio.ensure_future(make())
        except ToolCallError as error:
            self._fail(call_id, error)
            return
        self._calls[future] = call_id
        future.add_done_callback(self._settled)

    def _settled(self, future: "asyncio.Future[Any]") -> None:
        call_id = self._calls.pop(future)
        error = asyncio.CancelledError() if future.cancelled() else future.exception()
        if self._is_stopped:
            return
        if error is None:
            self._link.answer(call_id, Value(future.result()))
        elif isinstance(error, ToolCallError):
            self._fail(call_id, error)
        else:
            self.abort(error)

    def _fail(self, call_id: int, error: ToolCallError) -> None:
        text = str(error).encode(errors="backslashreplace").decode()
        self._failures.add(text)
        self._link.answer(call_id, Failed(text))

    def _result(self, event: Ended) -> ProgramResult:
        error = event.error
        if isinstance(error, MishapError | NotLosslessError):
            request = self._request
            story = Story(request.program, request.sdk, request.limits, frozenset(self._failures))
            raise explained(error, story) from error
        if error is not None:
            raise error
        return event.result or ProgramResult()

    async def _stop(self, thread: "asyncio.Future[None]") -> None:
        """End the process, the thread and the calls; what was printed until then is read."""
        with self._lock:
            self._is_stopped = True
            worker = self._worker
        self._link.stop()
        if worker is not None:
            worker.kill()
        calls = list(self._calls)
        for each in calls:
            each.cancel()
        await asyncio.wait([thread], timeout=_GRACE)
        # A loop that is closed by the time that it ends is not told.
        thread.cancel()
        self._read_rest()
        if calls:
            await asyncio.wait(calls, timeout=_LEFT)

    def _read_rest(self) -> None:
        while not self._link.events.empty():
            event = self._link.events.get_nowait()
            if isinstance(event, Printed):
                with suppress(ProgramError):
                    self._read(event.text)

    def _work(self) -> None:
        """Run the program on this thread; the loop hears how it ends."""
        ended = self._ended()
        with suppress(StoppedError):
            self._link.post(ended)

    def _ended(self) -> Ended:
        try:
            return Ended(result=self._driven())
        except BaseException as error:  # noqa: BLE001 - the loop is told, whatever it is
            return Ended(error=error)

    def _driven(self) -> ProgramResult:
        worker = self._bench.take(self._request.sdk, self._request.limits)
        try:
            self._own(worker)
            worker.open()
            self._has_begun = True
            return Drive(worker, self._link).run(self._request.program)
        finally:
            worker.close()

    def _is_gone(self) -> bool:
        return self._worker is not None and self._worker.is_gone

    def _own(self, worker: Worker) -> None:
        with self._lock:
            if self._is_stopped:
                raise StoppedError
            self._worker = worker

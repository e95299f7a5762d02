"""One thread for one toolbox: what it opens there (a database, an interpreter) works there only."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import closing
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import attrs

T = TypeVar("T")


@attrs.define(eq=False)
class Work(Generic[T]):
    """One piece of work for a lane.

    Attributes:
        function: gives what is asked for, or a coroutine that does.
    """

    function: Callable[[], Any]
    _context: contextvars.Context = attrs.field(factory=contextvars.copy_context)
    _future: "Future[T]" = attrs.field(factory=Future)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)
    _task: "asyncio.Task[Any] | None" = None
    _is_cancelled: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for it any more, since it has ended or was taken back."""
        return self._future.done()

    async def ended(self) -> T:
        """What it gives.

        A cancellation takes it back, or reaches its coroutine and waits until that has ended. A
        second one waits for nothing: the program ends.
        """
        waiting = asyncio.wrap_future(self._future)
        tear: asyncio.CancelledError | None = None
        while not waiting.done():
            try:
                await asyncio.wait([waiting])
            except asyncio.CancelledError as error:
                if tear is not None:
                    waiting.cancel()
                    raise
                tear = error
                self._cancel()
        if tear is not None and (waiting.cancelled() or waiting.exception() is None):
            raise tear
        return waiting.result()

    def _cancel(self) -> None:
        if self._future.cancel():
            return
        with self._lock:
            self._is_cancelled = True
            if self._task is not None:
                self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def run(self, runner: asyncio.Runner) -> None:
        """Do it here, a coroutine to its end; nothing it raises gets past this."""
        if not self._future.set_running_or_notify_cancel():
            return
        try:
            value = self._context.run(self.function)
            if inspect.iscoroutine(value):
                value = runner.run(self._carried(value), context=self._context)
        except BaseException as error:  # noqa: BLE001 - whoever waits has it
            self._future.set_exception(self._told(error))
        else:
            self._future.set_result(value)

    async def _carried(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.current_task()
        with self._lock:
            self._task = task
            if task is not None and self._is_cancelled:
                task.cancel()
        try:
            return await work
        finally:
            with self._lock:
                self._task = None

    def _told(self, error: BaseException) -> BaseException:
        """An error as a future can carry it to whoever waits."""
        is_odd = isinstance(error, asyncio.CancelledError) and not self._is_cancelled
        if not (is_odd or isinstance(error, StopIteration)):
            return error
        told = RuntimeError(f"{type(error).__name__}: {error}")
        told.__cause__ = error
        return told


class Lane:
    """Does one piece of work after the other, in a thread that starts with the first.

    Args:
        name: the thread's name.
        module: the module whose work it is.
    """

    def __init__(self, name: str, *, module: str) -> None:
        self._name = name
        self._module = module
        self._work: SimpleQueue[Work[Any] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._now: Work[Any] | None = None
        self._last: Callable[[], None] | None = None

        def do() -> None:
            self._run()

        self._do = do

    @property
    def is_ending(self) -> bool:
        """Whether its thread is still there, and isn't held by work that doesn't end."""
        return self._thread is not None and self._thread.is_alive() and not self._is_held

    @property
    def _is_held(self) -> bool:
        now = self._now
        return now is not None and not now.is_over

    def submit(self, function: Callable[[], T | Coroutine[Any, Any, T]]) -> Work[T]:
        """Have a function called in the context of who submits it.

        Raises:
            RuntimeError: it is closed.
        """
        work: Work[T] = Work(function)
        with self._lock:
            if self._last is not None:
                raise RuntimeError(f"{self._name} is closed")
            self._work.put(work)
            if self._thread is None:
                self._thread = self._started()
        return work

    def close(self, last: Callable[[], None]) -> None:
        """End the thread once it has done what was submitted, and this; if there is one."""
        with self._lock:
            self._last = last
            if self._is_held:
                self._do.__module__ = self._module  # by this the host knows whose thread is left
            self._work.put(None)

    def _started(self) -> threading.Thread:
        thread = threading.Thread(target=self._do, name=self._name, daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        with closing(asyncio.Runner()) as runner:
            while (work := self._work.get()) is not None:
                self._now = work
                work.run(runner)
                self._now = None
                del work
            if self._last is not None:
                self._last()

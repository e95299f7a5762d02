"""A bounded pool of threads that never holds up the interpreter's exit."""

import asyncio
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any

import attrs

from pegboard.reports import PoolUse


@attrs.define  # made in every call, and seen here only: a frozen one takes twice as long
class Returned:
    """What a body gave."""

    value: Any


@attrs.frozen
class Raised:
    """What a body raised, of any kind."""

    error: BaseException


Ended = Returned | Raised


@attrs.frozen(eq=False)
class Running:
    """A body that has suspended, or runs in a thread.

    Attributes:
        future: settled when it has ended; it never fails.
    """

    future: "asyncio.Future[Ended]"
    _interrupt: Callable[[], object]

    def interrupt(self) -> None:
        """Have a `CancelledError` raised at its next await, or take it back from its queue.

        What runs in a thread goes on. What has ended isn't touched: by now its carrier may carry
        the body of another call.
        """
        if not self.future.done():
            self._interrupt()


def run_safely(function: Callable[[], Any]) -> Ended:
    """What a function gives or raises, as a value: no exception leaves it, of whatever kind."""
    try:
        return Returned(function())
    except BaseException as error:  # noqa: BLE001 - a tool may raise SystemExit as well
        return Raised(error)


class PoolFullError(Exception):
    """Every thread is held by a body that has outlived its outcome."""


@attrs.frozen(eq=False)
class _Job:
    function: Callable[[], Any]
    context: contextvars.Context
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Ended]"

    def run(self) -> None:
        ended = self.context.run(run_safely, self.function)
        try:
            self.loop.call_soon_threadsafe(self.settle, ended)
        except RuntimeError:
            return  # the loop has closed: nobody waits for this any more

    def settle(self, ended: Ended) -> None:
        """Note how it ended, unless nobody waits for it any more."""
        if not self.future.done():
            self.future.set_result(ended)


class Worker(threading.Thread):
    """A thread of a pool."""

    def __init__(self, work: Callable[[], None], name: str, pool: "Threads") -> None:
        super().__init__(target=work, name=name, daemon=True)
        self._pool = pool

    def lent(self) -> AbstractContextManager[None]:
        """While its body waits for other bodies, one more thread of the pool may work."""
        return self._pool.lend()


class Threads:
    """Up to `most` daemon threads, started as they are needed, for one plugin's sync tools."""

    def __init__(self, name: str, *, most: int) -> None:
        self._name = name
        self._asked = self._most = most
        self._jobs: deque[_Job] = deque()
        self._is_closed = False
        self._ready = threading.Condition()
        self._idle = 0
        self._alive: set[threading.Thread] = set()
        self._stuck = 0

    @property
    def is_full_of_stuck(self) -> bool:
        """Whether every thread is held by a body that has outlived its outcome."""
        return self._stuck >= self._most

    @property
    def has_stuck(self) -> bool:
        """Whether any thread is."""
        return self._stuck > 0

    def hold(self, body: "asyncio.Future[Ended]") -> None:
        """Note that a body has outlived its outcome.

        Once every thread is held by one, nobody waits for a thread any more: all are refused.
        """
        self._stuck += 1
        body.add_done_callback(self._freed)
        self._refuse_if_full()

    def _refuse_if_full(self) -> None:
        if not self.is_full_of_stuck:
            return
        with self._ready:
            waiting = list(self._jobs)
            self._jobs.clear()
        for job in waiting:
            with suppress(RuntimeError):  # where its loop has closed, nobody waits any more
                job.loop.call_soon_threadsafe(job.settle, Raised(PoolFullError()))

    def resize(self, most: int) -> None:
        """Have another number of threads; one too many ends once its body has ended."""
        with self._ready:
            self._most += most - self._asked
            self._asked = most
            for _ in range(min(len(self._jobs) - self._idle, self._most - len(self._alive))):
                self._start()
            self._ready.notify_all()
        self._refuse_if_full()

    @contextmanager
    def lend(self) -> Iterator[None]:
        """One more thread may work meanwhile, as one of them waits for what others do."""
        with self._ready:
            self._most += 1
            if len(self._jobs) > self._idle and len(self._alive) < self._most:
                self._start()
        try:
            yield
        finally:
            with self._ready:
                self._most -= 1
            self._refuse_if_full()

    def _freed(self, _: "asyncio.Future[Ended]") -> None:
        self._stuck -= 1

    @property
    def alive(self) -> tuple[threading.Thread, ...]:
        """The threads that have not ended."""
        return tuple(each for each in self._alive if each.is_alive())

    def use(self, plugin: str | None) -> PoolUse:
        """How its threads are used now.

        Args:
            plugin: whose they are.
        """
        with self._ready:
            alive, idle, waiting = len(self._alive), self._idle, len(self._jobs)
            return PoolUse(plugin, alive, alive - idle, self._stuck, waiting, self._most)

    def submit(self, function: Callable[[], Any]) -> Running:
        """Run a function in a thread with a copy of the caller's context.

        Returns:
            what to wait for; interrupting it takes it back if no thread has taken it yet.
        """
        loop = asyncio.get_running_loop()
        job = _Job(function, contextvars.copy_context(), loop, loop.create_future())
        with self._ready:
            self._jobs.append(job)
            if self._idle >= len(self._jobs):
                self._ready.notify()
            elif len(self._alive) < self._most:
                self._start()
        return Running(job.future, partial(self._take_back, job))

    def _take_back(self, job: _Job) -> None:
        with self._ready:
            if job not in self._jobs:
                return
            self._jobs.remove(job)
        if not job.future.done():
            job.future.set_result(Raised(asyncio.CancelledError()))

    def close(self) -> None:
        """Let threads end once nothing is left to do; what is submitted later still runs."""
        with self._ready:
            self._is_closed = True
            self._ready.notify_all()

    def _start(self) -> None:
        thread = Worker(self._work, f"pegboard-{self._name}", self)
        self._alive.add(thread)
        thread.start()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run()
            del job  # an idle thread keeps nothing of the last call alive

    def _next(self) -> _Job | None:
        """The next job, or None when this thread should end."""
        with self._ready:
            while not self._jobs or len(self._alive) > self._most:
                if self._is_closed or len(self._alive) > self._most:
                    self._alive.discard(threading.current_thread())
                    return None
                self._idle += 1
                self._ready.wait()
                self._idle -= 1
            return self._jobs.popleft()

"""One loop in a thread of its own, and what other threads ask of it."""

import asyncio
import atexit
import contextvars
import logging
import math
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from pegboard.blocking.thread import SPARE, LoopThread
from pegboard.blocking.waiting import Told, Wait
from pegboard.calls import enclosing
from pegboard.calls.carrier import Carriers
from pegboard.calls.settle import guarded
from pegboard.calls.threads import Ended, Raised, Returned, Worker, run_safely
from pegboard.errors import HostClosedError, PegboardError

T = TypeVar("T")

_CLOSED = "the host is closed; make another one"

_log = logging.getLogger("pegboard.blocking")
_DEPTH: contextvars.ContextVar[int] = contextvars.ContextVar("pegboard_blocking", default=0)
"""How many sync bodies this is inside of that wait for what they asked for."""


class BackgroundLoop:
    """The loop of one host, which runs in a thread of its own.

    Args:
        close: closes the host where nobody has done it before it is forgotten, or the program ends.
        grace: seconds in which what was cancelled ends.
        most_nested: how many sync bodies may be inside of each other.
    """

    def __init__(
        self, close: Callable[[], Awaitable[object]], *, grace: float, most_nested: int
    ) -> None:
        self._close = close
        self._grace = grace
        self._most_nested = most_nested
        self._carriers = Carriers()
        self._lock = threading.RLock()
        self._thread: LoopThread | None = None
        self._process = 0
        self._closing: asyncio.Task[None] | None = None
        self._is_ending = False

    def start(self, owner: object) -> bool:
        """Begin; it ends by itself once `owner` is forgotten or the program ends.

        Returns:
            whether it hadn't begun before.

        Raises:
            HostClosedError: it has ended.
        """
        with self._lock:
            if self._thread is not None:
                self._open_thread()
                return False
            forget = partial(atexit.unregister, self._at_exit)
            thread = LoopThread(grace=self._grace, ended=forget)
            self._process, self._thread = os.getpid(), thread
            try:
                thread.start()
            except BaseException:
                self.end()
                raise
        weakref.finalize(owner, self._forgotten).atexit = False
        atexit.register(self._at_exit)
        return True

    def check_open(self) -> None:
        """See that this thread may wait for something on it.

        Raises:
            HostClosedError: there is no loop, or it ends.
            PegboardError: this thread runs the loop of a host.
        """
        self._open_thread()

    @property
    def is_open(self) -> bool:
        """Whether something can be awaited on it, from this process."""
        return self._thread is not None and not self._is_ending and not self._is_forked

    def run(
        self,
        make: Callable[[], Awaitable[T]],
        *,
        hear: Callable[[Any], None] | None = None,
        told: Told | None = None,
        lasts: bool = False,
    ) -> T:
        """Have something awaited on the loop; gives or raises what it does.

        What interrupts the waiting, such as Ctrl-C, cancels it, and is raised once it has ended or
        its time to stop has passed.

        Args:
            make: begins it, on the loop.
            hear: called in this thread with what is put into `told` meanwhile.
            told: what the loop tells this thread.
            lasts: whether it goes on though the waiting is interrupted.

        Raises:
            HostClosedError: there is no loop, or it ends.
            PegboardError: this thread runs the loop of a host.
        """
        thread = self._open_thread()
        wait = Wait(told, lasts=lasts)
        with self._lent():
            ended = self._asked(thread, partial(self._begin, make), wait, hear)
        if ended is None or (self._is_ending and _is_cancelled(ended)):
            raise HostClosedError("the host was closed meanwhile")
        if _is_cancelled(ended):
            raise PegboardError("what was awaited was cancelled on the loop of the host")
        if isinstance(ended, Raised) and isinstance(ended.error, HostClosedError):
            raise HostClosedError(_CLOSED)
        try:
            result: T = _given(ended)
            return result
        finally:
            del ended  # an error would keep this frame alive, and this frame the error

    def call(self, function: Callable[[], T]) -> T:
        """Have a function called on the loop, or here where there is none."""
        thread = self._thread
        if threading.current_thread() is thread:
            return function()
        if thread is not None and not thread.has_ended:
            self._check_process()
            _check_may_wait()
            ended = self._asked(thread, partial(_call, function), Wait())
            if ended is not None:
                try:
                    result: T = _given(ended)
                    return result
                finally:
                    del ended
        with self._lock:
            return function()

    def close(self, make: Callable[[], Awaitable[T]]) -> T:
        """Have the host closed, and the loop end.

        Args:
            make: closes the host, on the loop.

        Raises:
            PegboardError: something holds up the loop, and nothing can be closed; says where.
        """
        thread, is_free = self._open_thread(), False
        try:
            is_free = _tried(thread, _answer, self._grace + SPARE)
            if not is_free:
                raise PegboardError(f"the loop of the host is held up {thread.place()}")
            return self.run(make)
        finally:
            if is_free:
                self.end()
            else:
                self._close_soon()

    def join(self, make: Callable[[], Awaitable[object]], *, grace: float) -> None:
        """Have the end hastened of a host that is being closed, and wait for it.

        Args:
            make: closes the host, on the loop.
            grace: seconds that running calls have for that.
        """
        thread = self._thread
        is_here = self._is_forked or thread is threading.current_thread() or bool(enclosing())
        if thread is not None and not is_here and not thread.has_ended:
            _tried(thread, partial(self._begin, make), grace + self._grace + SPARE)
        self.end()

    def end(self) -> None:
        """Let the loop end once nobody waits for it any more, or its time to stop has passed.

        Inside a call it ends once that call has its outcome, and isn't waited for.
        """
        thread, is_inside = self._thread, bool(enclosing())
        if thread is None or self._is_forked or thread is threading.current_thread():
            return
        if is_inside:  # what closes the host ends after that call
            thread.tell(thread.begin_to_end, math.inf, self._close)
        else:
            thread.tell(thread.begin_to_end, self._grace)
        self._is_ending = True
        if not is_inside:
            with suppress(RuntimeError):  # it may never have started
                thread.join(3 * (self._grace + SPARE))

    @property
    def _is_forked(self) -> bool:
        return self._process not in {0, os.getpid()}

    def _open_thread(self) -> LoopThread:
        """The thread of the loop, for one that may wait for it."""
        if self._thread is None:
            raise HostClosedError("the host isn't open; use `with Host(…) as host`")
        self._check_process()
        if self._is_ending:
            raise HostClosedError(_CLOSED)
        _check_may_wait()
        return self._thread

    def _check_process(self) -> None:
        if self._is_forked:
            raise HostClosedError(
                f"the loop of this host runs in process {self._process}, of which this one is a "
                "fork; make a host here"
            )

    @contextmanager
    def _lent(self) -> Iterator[None]:
        """Let another thread work in the place of one that waits, where it is that of a body."""
        thread = threading.current_thread()
        if not isinstance(thread, Worker):
            yield
            return
        depth = _DEPTH.get() + 1
        if depth > self._most_nested:
            raise PegboardError(f"calls inside calls go at most {self._most_nested} levels deep")
        before = _DEPTH.set(depth)
        try:
            with thread.lent():
                yield
        finally:
            _DEPTH.reset(before)

    def _asked(
        self,
        thread: LoopThread,
        start: Callable[[Wait], object],
        wait: Wait,
        hear: Callable[[Any], None] | None = None,
    ) -> Ended | None:
        """Wait for what is started on the loop; None where the loop has ended before."""
        try:
            thread.waits[wait] = None
            return wait.out(hear) if thread.tell(start, wait) else None
        except BaseException:
            if not wait.lasts:
                wait.is_given_up = True
                thread.tell(wait.interrupt)
            wait.is_over(within=self._grace + SPARE)
            raise
        finally:
            thread.waits.pop(wait, None)

    def _begin(self, make: Callable[[], Awaitable[object]], wait: Wait) -> None:
        if wait.is_given_up:
            wait.end(None)
        else:
            wait.follow(self._carriers.start(guarded(make)))

    def _forgotten(self) -> None:
        """Close what nobody can reach any more; called in any thread, at any time."""
        if self.is_open:
            self._close_soon()

    def _close_soon(self) -> None:
        """Have the host closed and the loop end, and wait for neither."""
        if self._thread is not None:
            # in none of the contexts in which this may be called
            self._thread.tell(self._begin_to_close, context=contextvars.Context())
        self._is_ending = True

    def _begin_to_close(self) -> None:
        self._closing = asyncio.create_task(self._close_and_end(), name="pegboard-closing")

    async def _close_and_end(self) -> None:
        ended = await guarded(self._close)
        if isinstance(ended, Raised):
            _log.error("a host that was forgotten could not be closed", exc_info=ended.error)
        if self._thread is not None:
            self._thread.begin_to_end(0)

    def _at_exit(self) -> None:
        """Close what is still open when the program ends, if that can be done soon."""
        if self.is_open and self._thread is not None:
            limit = 2 * self._grace + SPARE
            if _tried(self._thread, partial(self._begin, self._close), limit):
                self.end()


def _tried(thread: LoopThread, start: Callable[[Wait], object], within: float) -> bool:
    """Whether what is started on the loop ends within so many seconds."""
    wait = Wait()
    try:
        thread.waits[wait] = None
        return not thread.tell(start, wait) or wait.is_over(within)
    finally:
        thread.waits.pop(wait, None)


def _check_may_wait() -> None:
    """Refuse to wait where that would stop a loop."""
    if isinstance(threading.current_thread(), LoopThread):
        raise PegboardError(
            "this would hold up the loop that it runs on; an async tool awaits "
            "`context.call(…)`, and other async code `asyncio.to_thread(…)`"
        )


def _call(function: Callable[[], object], wait: Wait) -> None:
    wait.end(None if wait.is_given_up else run_safely(function))


def _answer(wait: Wait) -> None:
    wait.end(None)


def _is_cancelled(ended: Ended) -> bool:
    return isinstance(ended, Raised) and isinstance(ended.error, asyncio.CancelledError)


def _given(ended: Ended) -> Any:
    """What was given.

    Raises:
        BaseException: what was raised instead.
    """
    if isinstance(ended, Returned):
        return ended.value
    try:
        raise ended.error
    finally:
        del ended

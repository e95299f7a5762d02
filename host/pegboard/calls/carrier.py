"""Starting a body at once: one that never suspends costs no scheduling.

All steps of a body see one `asyncio.current_task()` and one context, and never their caller's. From
Python 3.12 on an eager task does that. On 3.11 an idle task, the carrier, lends its identity to
the first step; only a body that suspends is then carried on by it.
"""

import asyncio
import contextvars
import sys
import types
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import attrs

from pegboard.calls.threads import Ended

Body = Coroutine[Any, Any, Ended]
_MOST_IDLE = 16


@attrs.frozen(eq=False)
class Running:
    """A body that has suspended, or runs in a thread.

    Attributes:
        future: settled when it has ended; it never fails.
        interrupt: has a `CancelledError` raised at its next await; nothing for a thread.
    """

    future: "asyncio.Future[Ended]"
    interrupt: Callable[[], object]


@attrs.define(eq=False)
class _Job:
    body: Body
    suspended_on: Any
    context: contextvars.Context
    future: "asyncio.Future[Ended]"


class _Steps(Coroutine[Any, Any, None]):
    """A coroutine that can be cancelled before its first step and still gets to run.

    A body may cancel the carrier while it has only lent its identity; a plain coroutine that was
    not started would end there, and the body with it.
    """

    __slots__ = ("_inner", "_is_started")

    def __init__(self, inner: Coroutine[Any, Any, None]) -> None:
        self._inner = inner
        self._is_started = False

    def send(self, value: Any) -> Any:
        self._is_started = True
        return self._inner.send(value)

    def throw(self, error: Any, *_: Any) -> Any:
        if not self._is_started:
            waited = self.send(None)
            if waited is not None:
                waited._asyncio_future_blocking = False  # noqa: SLF001 - how a future is awaited
        return self._inner.throw(error)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, None]:
        return self._inner.__await__()


class _Carrier:
    """A task that waits for a body to carry, one after the other."""

    __slots__ = ("_idle", "_job", "_wake", "loop", "task")

    def __init__(self, loop: asyncio.AbstractEventLoop, idle: "list[_Carrier]") -> None:
        self.loop = loop
        self._idle = idle
        self._job: _Job | None = None
        self._wake: asyncio.Future[None] = loop.create_future()
        self.task = loop.create_task(_Steps(self._carry()), name="pegboard-body")

    def take(self, job: _Job) -> None:
        self._job = job
        if not self._wake.done():
            self._wake.set_result(None)

    async def _carry(self) -> None:
        while True:
            is_cancelled = False
            try:
                await self._wake
            except asyncio.CancelledError:
                if self._job is None:
                    raise
                is_cancelled = True
            job, self._job = self._job, None
            if job is None:
                raise RuntimeError("a carrier woke up without a body")
            ended = await _resumed(job, is_cancelled=is_cancelled)
            if not job.future.done():
                job.future.set_result(ended)
            if self.task.cancelling() or len(self._idle) >= _MOST_IDLE:
                return
            del job
            self._wake = self.loop.create_future()
            self._idle.append(self)


@types.coroutine
def _resumed(job: _Job, *, is_cancelled: bool) -> Generator[Any, Any, Ended]:
    """Carry a body on from its first suspension, each step in the body's own context."""
    waited = job.suspended_on
    error: BaseException | None = None
    if is_cancelled and not (hasattr(waited, "cancel") and waited.cancel()):
        error = asyncio.CancelledError()
    sent = None
    while True:
        if error is None:
            try:
                sent = yield waited
            except BaseException as thrown:  # noqa: BLE001 - whatever the task is told, the body is
                error = thrown
        try:
            if error is None:
                waited = job.context.run(job.body.send, sent)
            else:
                told, error = error, None
                waited = job.context.run(job.body.throw, told)
        except StopIteration as stop:
            ended: Ended = stop.value
            return ended


class Carriers:
    """Starts the bodies of one host."""

    def __init__(self) -> None:
        self._idle: list[_Carrier] = []

    def start(self, body: Body) -> Ended | Running:
        """Run a body up to its first suspension.

        Args:
            body: a coroutine that never raises.

        Returns:
            how it ended, if it never suspended.
        """
        loop = asyncio.get_running_loop()
        if sys.version_info >= (3, 12):
            task = asyncio.Task(body, loop=loop, eager_start=True)
            return task.result() if task.done() else Running(task, task.cancel)

        carrier, caller = self._carrier(loop), asyncio.current_task(loop)
        context = contextvars.copy_context()
        if caller is not None:
            _leave_task(loop, caller)
        _enter_task(loop, carrier.task)
        try:
            waited = context.run(body.send, None)
        except StopIteration as stop:
            if not carrier.task.cancelling():
                self._idle.append(carrier)
            ended: Ended = stop.value
            return ended
        finally:
            _leave_task(loop, carrier.task)
            if caller is not None:
                _enter_task(loop, caller)
        future: asyncio.Future[Ended] = loop.create_future()
        carrier.take(_Job(body, waited, context, future))
        return Running(future, carrier.task.cancel)

    def close(self) -> None:
        """Let the idle carriers end."""
        idle, self._idle[:] = list(self._idle), []
        for carrier in idle:
            carrier.task.cancel()

    def _carrier(self, loop: asyncio.AbstractEventLoop) -> _Carrier:
        while self._idle:
            carrier = self._idle.pop()
            if carrier.loop is loop and not carrier.task.done():
                return carrier
        return _Carrier(loop, self._idle)

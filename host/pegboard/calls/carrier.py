"""Starting a body at once: one that never suspends costs no scheduling.

All steps of a body see one `asyncio.current_task()` and one context, and never their caller's. From
Python 3.12 on an eager task does that. On 3.11 an idle task, the carrier, lends its identity to
the first step; only a body that suspends is then carried on by it.
"""

import asyncio
import contextvars
import sys
import types
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any, Protocol

import attrs

from pegboard.calls.threads import Ended, Running

if sys.version_info < (3, 12):
    from asyncio.tasks import _current_tasks  # type: ignore[attr-defined]  # known by no stub

Body = Coroutine[Any, Any, Ended]
_MOST_IDLE = 16


class Steps(Protocol):
    """The rest of a coroutine."""

    def send(self, value: Any, /) -> Any:
        """Go on with a value."""

    def throw(self, error: Any, /) -> Any:
        """Go on with an exception."""


@attrs.define(eq=False)
class Job:
    """A body to be carried on from its first suspension.

    Attributes:
        body: the rest of it.
        suspended_on: what it waits for.
        context: in which each of its steps runs.
        future: settled when it has ended.
    """

    body: Steps
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


class Carrier:
    """A task that waits for a body to carry, one after the other."""

    __slots__ = ("_idle", "_job", "_wake", "loop", "task")

    def __init__(self, loop: asyncio.AbstractEventLoop, idle: "list[Carrier]") -> None:
        self.loop = loop
        self._idle = idle
        self._job: Job | None = None
        self._wake: asyncio.Future[None] = loop.create_future()
        make = partial(loop.create_task, _Steps(self._carry()), name="pegboard-body")
        self.task = contextvars.Context().run(make)  # it outlives the call in which it is made

    def take(self, job: Job) -> None:
        """Carry a body on."""
        self._job = job
        if not self._wake.done():
            self._wake.set_result(None)

    async def _carry(self) -> None:
        while True:
            cancelled: asyncio.CancelledError | None = None
            try:
                await self._wake
            except asyncio.CancelledError as error:
                if self._job is None:
                    raise
                cancelled = error
            job, self._job = self._job, None
            if job is None:
                raise RuntimeError("a carrier woke up without a body")
            ended = await _resumed(job, cancelled)
            if not job.future.done():
                job.future.set_result(ended)
            if self.task.cancelling() or len(self._idle) >= _MOST_IDLE:
                return
            del job, ended, cancelled  # an idle carrier keeps nothing of the last body alive
            self._wake = self.loop.create_future()
            self._idle.append(self)


@types.coroutine
def _resumed(job: Job, cancelled: asyncio.CancelledError | None) -> Generator[Any, Any, Ended]:
    """Carry a body on from its first suspension, each step in the body's own context."""
    waited = job.suspended_on
    error: BaseException | None = None
    if cancelled and not (hasattr(waited, "cancel") and waited.cancel(*cancelled.args)):
        error = cancelled
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
        self._idle: list[Carrier] = []

    def start(self, body: Body) -> Ended | Running:
        """Run a body up to its first suspension.

        Args:
            body: a coroutine that never raises.

        Returns:
            how it ended, if it never suspended.
        """
        loop = asyncio.get_running_loop()
        if sys.version_info >= (3, 12):
            return _begun(asyncio.Task(body, loop=loop, eager_start=True))

        carrier = self.borrow(loop)
        context = contextvars.copy_context()
        caller = _current_tasks.get(loop)
        _current_tasks[loop] = carrier.task
        try:
            waited = context.run(body.send, None)
        except StopIteration as stop:
            if not carrier.task.cancelling():
                self._idle.append(carrier)
            ended: Ended = stop.value
            return ended
        finally:
            if caller is None:
                del _current_tasks[loop]
            else:
                _current_tasks[loop] = caller
        future: asyncio.Future[Ended] = loop.create_future()
        carrier.take(Job(body, waited, context, future))
        return Running(future, carrier.task.cancel)

    async def close(self) -> None:
        """Have the idle carriers end."""
        loop = asyncio.get_running_loop()
        idle, self._idle[:] = [each.task for each in self._idle if each.loop is loop], []
        for task in idle:
            task.cancel()
        if idle:
            await asyncio.wait(idle)

    def borrow(self, loop: asyncio.AbstractEventLoop) -> Carrier:
        """An idle carrier, whose identity may be lent to what runs at once."""
        idle = self._idle
        while idle:
            carrier = idle.pop()
            if carrier.loop is loop and not carrier.task.done():
                return carrier
        return Carrier(loop, self._idle)


def _begun(task: "asyncio.Task[Ended]") -> Ended | Running:
    """What a task has come to; no frame that an error of it keeps alive holds the task."""
    return task.result() if task.done() else Running(task, task.cancel)

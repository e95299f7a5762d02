"""Calling hooks one after the other: one that never suspends costs no scheduling."""

import asyncio
import contextvars
import sys
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Callable, Coroutine, Sequence
from inspect import isawaitable
from types import CoroutineType
from typing import Any

from pegboard.calls.carrier import Carriers, Job
from pegboard.calls.flight import Flight
from pegboard.calls.threads import Ended, Raised, Returned, Running
from pegboard.registry import HookEntry

Hooks = Sequence[HookEntry]


class _Suspended:
    """The rest of a coroutine that has suspended: a body that never raises."""

    __slots__ = ("_inner", "on")

    def __init__(self, inner: Coroutine[Any, Any, Any], on: Any) -> None:
        self._inner = inner
        self.on = on

    def send(self, value: Any) -> Any:
        return self._stepped(self._inner.send, value)

    def throw(self, error: BaseException) -> Any:
        return self._stepped(self._inner.throw, error)

    @staticmethod
    def _stepped(step: Callable[[Any], Any], given: Any) -> Any:
        try:
            return step(given)
        except StopIteration as stop:
            raise StopIteration(Returned(stop.value)) from None
        except BaseException as error:  # noqa: BLE001 - past a task, SystemExit would stop the loop
            raise StopIteration(Raised(error)) from None


Coro = Coroutine[Any, Any, Any]


def _until_one_speaks(
    hooks: Hooks, given: tuple[Any, ...], at: int, begun: Coro, task: "asyncio.Task[Any]"
) -> tuple[int, Any]:
    """Go on with a coroutine and the hooks behind it, until one gives something or suspends."""
    last = len(hooks) - 1
    while True:
        try:
            answer: Any = _Suspended(begun, begun.send(None))
        except StopIteration as stop:
            answer = stop.value
        except BaseException as error:  # noqa: BLE001 - code of a plugin may raise SystemExit
            answer = Raised(error)
        if answer is not None:
            return at, answer
        while answer is None:
            if at == last or task.cancelling():
                return at + 1, None
            at += 1
            answer = _called(hooks[at].function, given)
        if type(answer) is not CoroutineType:
            return at, answer
        begun = answer


def _called(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a function gives, or `Raised`; a coroutine if it has to be awaited."""
    try:
        answer = function(*given)
        if answer is None or type(answer) is CoroutineType:
            return answer
        return _awaiting(answer) if isawaitable(answer) else answer
    except BaseException as error:  # noqa: BLE001 - code of a plugin may raise SystemExit as well
        return Raised(error)


async def _awaiting(answer: Any) -> Any:
    return await answer


async def _caught(begun: Coro) -> Ended:
    try:
        return Returned(await begun)
    except BaseException as error:  # noqa: BLE001 - past a task, SystemExit would stop the loop
        return Raised(error)


class Turns:
    """Calls the hooks of one host; what suspends is never in its caller's task."""

    __slots__ = ("_carriers",)

    def __init__(self, carriers: Carriers) -> None:
        self._carriers = carriers

    def in_turn(
        self, flight: Flight, hooks: Hooks, given: tuple[Any, ...], at: int = 0
    ) -> tuple[int, Any]:
        """Call hooks that don't wrap, one after the other, until one has something to say.

        Args:
            flight: the call.
            hooks: sync or async.
            given: their arguments.
            at: the place of the first.

        Returns:
            the place of the one that stopped it, and what it gave: not None, `Raised`, or `Running`
            if it has suspended; one place past the last and None if all gave None.
        """
        answer: Any = None
        while at < len(hooks):
            answer = _called(hooks[at].function, given)
            if type(answer) is CoroutineType:
                at, answer = self._go_on(flight, hooks, given, at, answer)
            elif answer is None:
                at += 1
            if answer is not None:
                break
        return at, answer

    def _go_on(
        self, flight: Flight, hooks: Hooks, given: tuple[Any, ...], at: int, begun: Coro
    ) -> tuple[int, Any]:
        context = flight.context()
        if sys.version_info >= (3, 12):
            return _in_a_task(at, begun, context)
        loop = asyncio.get_running_loop()
        carrier, caller = self._carriers.borrow(loop), asyncio.current_task(loop)
        if caller is not None:
            _leave_task(loop, caller)
        _enter_task(loop, carrier.task)
        try:
            at, answer = context.run(_until_one_speaks, hooks, given, at, begun, carrier.task)
        finally:
            _leave_task(loop, carrier.task)
            if caller is not None:
                _enter_task(loop, caller)
        if type(answer) is not _Suspended:
            self._carriers.give_back(carrier)
            return at, answer
        future: asyncio.Future[Ended] = loop.create_future()
        carrier.take(Job(answer, answer.on, context, future))
        return at, Running(future, carrier.task.cancel)


def _in_a_task(at: int, begun: Coro, context: contextvars.Context) -> tuple[int, Any]:
    loop = asyncio.get_running_loop()
    task = context.run(_eager, _caught(begun), loop)
    if not task.done():
        return at, Running(task, task.cancel)
    ended = task.result()
    answer = ended.value if type(ended) is Returned else ended
    return at + (answer is None), answer


def _eager(
    body: Coroutine[Any, Any, Ended], loop: asyncio.AbstractEventLoop
) -> "asyncio.Task[Ended]":
    return asyncio.Task(body, loop=loop, eager_start=True)  # type: ignore[call-arg,unused-ignore]

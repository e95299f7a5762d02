"""Waiting for code of a plugin: until it ends, is cancelled, or its time is up."""

import asyncio
import inspect
from collections.abc import Callable
from enum import Enum
from types import CoroutineType
from typing import Any

import attrs

from pegboard.calls.carrier import Running
from pegboard.calls.flight import CURRENT, Flight
from pegboard.calls.signal import Signal
from pegboard.calls.threads import Ended, Raised, Returned


class Interrupt(Enum):
    """What ended the waiting before the code did."""

    SIGNAL = "signal"
    TASK = "task"
    LIMIT = "limit"


_REASONS = {
    Interrupt.SIGNAL: "cancelled",
    Interrupt.TASK: "the caller was cancelled",
    Interrupt.LIMIT: "the time limit has passed",
}


@attrs.frozen
class Settled:
    """How the waiting ended.

    Attributes:
        ended: what the code gave or raised; None if it still runs.
        interrupt: what interrupted it, or None.
    """

    ended: Ended | None
    interrupt: Interrupt | None = None


async def guarded(start: Callable[[], Any], flight: Flight | None = None) -> Ended:
    """What code gives or raises, awaited where it must be; nothing it raises gets past this.

    Args:
        start: starts it.
        flight: the call whose body it is.
    """
    if flight is not None:
        CURRENT.set(flight)
    try:
        value = start()
        if type(value) is CoroutineType or inspect.isawaitable(value):
            value = await value
        return Returned(value)
    except BaseException as error:  # noqa: BLE001 - past a task, SystemExit would stop the loop
        return Raised(error)


async def settle(
    running: Running,
    *,
    signal: Signal,
    limit: float | None,
    grace: float,
    stop: Callable[[str], None] | None = None,
) -> Settled:
    """Wait for code that runs in a task or a thread of its own.

    Args:
        running: the code.
        signal: interrupts it.
        limit: seconds that it may take, or None.
        grace: seconds that it has to stop once it was interrupted.
        stop: called with the reason when it is interrupted, for code that polls.
    """
    inner = running.future
    interrupt = await _wait(inner, signal, limit)
    if interrupt is None:
        return Settled(inner.result())
    if stop is not None:
        stop(_REASONS[interrupt])
    running.interrupt()
    stopped = await _wait_out(inner, grace)
    return Settled(inner.result() if inner.done() else None, stopped or interrupt)


async def _wait(
    inner: "asyncio.Future[Ended]", signal: Signal, limit: float | None
) -> Interrupt | None:
    loop = asyncio.get_running_loop()
    woken: asyncio.Future[Interrupt | None] = loop.create_future()

    def wake(interrupt: Interrupt | None) -> None:
        if not woken.done():
            woken.set_result(interrupt)

    def ended(_: "asyncio.Future[Ended]") -> None:
        wake(None)

    def cancelled(_: str) -> None:
        loop.call_soon_threadsafe(wake, Interrupt.SIGNAL)

    inner.add_done_callback(ended)
    unlisten = signal.listen(cancelled)
    timer = None if limit is None else loop.call_later(limit, wake, Interrupt.LIMIT)
    try:
        return await woken
    except asyncio.CancelledError:
        return Interrupt.TASK
    finally:
        unlisten()
        inner.remove_done_callback(ended)
        if timer is not None:
            timer.cancel()


async def _wait_out(inner: "asyncio.Future[Ended]", grace: float) -> Interrupt | None:
    """Wait for interrupted code; a cancellation meanwhile is kept, and told afterwards."""
    loop = asyncio.get_running_loop()
    until = loop.time() + grace
    interrupt: Interrupt | None = None
    while not inner.done():
        left = until - loop.time()
        if left <= 0:
            break
        try:
            await asyncio.wait([inner], timeout=left)
        except asyncio.CancelledError:
            interrupt = Interrupt.TASK
    return interrupt

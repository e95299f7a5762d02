"""Waiting for code of a plugin: until it ends, is cancelled, or its time is up."""

import asyncio
import inspect
from collections.abc import Callable
from enum import Enum
from types import CoroutineType
from typing import Any

import attrs

from pegboard.calls.allowance import Allowance
from pegboard.calls.flight import CURRENT, Flight
from pegboard.calls.signal import Signal
from pegboard.calls.threads import Ended, Raised, Returned, Running
from pegboard.errors import CallCancelledError


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
        tear: with `Interrupt.TASK`, what the waiting task was cancelled with.
    """

    ended: Ended | None
    interrupt: Interrupt | None = None
    tear: asyncio.CancelledError | None = None


def is_cancellation(error: BaseException) -> bool:
    """Whether code raised this because it was told to stop."""
    return isinstance(error, (asyncio.CancelledError, CallCancelledError))


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
    grace: float,
    signal: Signal | None = None,
    allowance: Allowance | None = None,
    stop: Callable[[str], None] | None = None,
) -> Settled:
    """Wait for code that runs in a task or a thread of its own.

    A hook that is in `call_next` is not interrupted: what is inside it ends first.

    Args:
        running: the code.
        grace: seconds that it has to stop once it was interrupted.
        signal: interrupts it.
        allowance: how long it may take.
        stop: called with the reason when it is interrupted, for code that polls.
    """
    inner = running.future
    kept: Interrupt | None = None
    tear: asyncio.CancelledError | None = None
    while True:
        woken = await _wait(inner, signal, allowance)
        if woken is None:
            return Settled(inner.result(), kept, tear)
        tear = woken if isinstance(woken, asyncio.CancelledError) else tear
        interrupt = Interrupt.TASK if isinstance(woken, asyncio.CancelledError) else woken
        if stop is not None:
            stop(_REASONS[interrupt])
        if allowance is None or not allowance.is_paused:
            break
        kept, signal = interrupt, None
    running.interrupt()
    tear = await wait_out(inner, grace) or tear
    ended = inner.result() if inner.done() else None
    return Settled(ended, interrupt if tear is None else Interrupt.TASK, tear)


def _nothing() -> None:
    """Nothing was listened to."""


async def _wait(
    inner: "asyncio.Future[Ended]", signal: Signal | None, allowance: Allowance | None
) -> Interrupt | asyncio.CancelledError | None:
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
    unlisten = _nothing if signal is None else signal.listen(cancelled)
    if allowance is not None:
        allowance.arm(lambda: wake(Interrupt.LIMIT))
    try:
        return await woken
    except asyncio.CancelledError as tear:
        return tear
    finally:
        inner.remove_done_callback(ended)
        unlisten()
        if allowance is not None:
            allowance.disarm()


async def wait_out(inner: "asyncio.Future[Any]", grace: float) -> asyncio.CancelledError | None:
    """Wait for interrupted code; a cancellation meanwhile is kept, and told afterwards.

    Args:
        inner: the code.
        grace: seconds that it has to end.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + grace
    tear: asyncio.CancelledError | None = None
    while not inner.done():
        left = until - loop.time()
        if left <= 0:
            break
        try:
            await asyncio.wait([inner], timeout=left)
        except asyncio.CancelledError as error:
            tear = error
    return tear

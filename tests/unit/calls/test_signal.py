"""Cancellation that code can poll, await, or be interrupted by."""

import asyncio
import gc
import threading
import weakref

import pytest
from pegboard import CallCancelledError, Signal


def test_the_first_reason_stays() -> None:
    signal = Signal()

    signal.cancel("one")
    signal.cancel("two")

    assert (signal.cancelled, signal.reason) == (True, "one")


def test_raising_is_for_a_cancelled_signal_only() -> None:
    signal = Signal()
    signal.raise_if_cancelled()
    signal.cancel("enough")

    with pytest.raises(CallCancelledError, match="enough"):
        signal.raise_if_cancelled()


async def test_all_who_wait_are_woken_from_another_thread() -> None:
    signal = Signal()
    waiting = asyncio.gather(signal.wait(), signal.wait())
    await asyncio.sleep(0)

    thread = threading.Thread(target=signal.cancel, args=("now",))
    thread.start()
    reasons = await asyncio.wait_for(waiting, 5)
    thread.join()

    assert reasons == ["now", "now"]


async def test_waiting_for_a_cancelled_signal_ends_at_once() -> None:
    signal = Signal()
    signal.cancel("past")

    assert await asyncio.wait_for(signal.wait(), 1) == "past"


def test_who_has_stopped_listening_is_not_told_and_not_kept_alive() -> None:
    class Listener:
        told = False

        def listen(self, _: str) -> None:
            Listener.told = True

    signal, listener = Signal(), Listener()
    stop = signal.listen(listener.listen)
    kept = weakref.ref(listener)
    stop()
    del listener, stop
    gc.collect()
    signal.cancel("x")

    assert (Listener.told, kept()) == (False, None)


def test_a_late_listener_is_told_at_once() -> None:
    signal, told = Signal(), []
    signal.cancel("x")

    signal.listen(told.append)

    assert told == ["x"]

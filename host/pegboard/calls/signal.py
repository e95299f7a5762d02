"""Cancellation that code can poll, await, or be interrupted by."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from pegboard.errors import CallCancelledError


class Signal:
    """Tells running calls to stop; may be cancelled from any thread, and only once.

    Give one to `board.call(…, signal=…)`; cancelling it interrupts the body at its next await, and
    the tool's own `context.signal` shows it to code that polls.
    """

    __slots__ = ("_listeners", "_reasons")

    # Appending and popping are atomic, so that this needs no lock: every call may make a signal.

    def __init__(self) -> None:
        self._reasons: list[str] = []
        self._listeners: list[Callable[[str], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return bool(self._reasons)

    @property
    def reason(self) -> str | None:
        """The first reason that was given, or None."""
        return self._reasons[0] if self._reasons else None

    def cancel(self, reason: str = "cancelled") -> None:
        """Cancel; a second time changes nothing."""
        if not isinstance(reason, str):
            raise TypeError(f"a reason is text, not {type(reason).__name__}")
        if self._reasons:
            return
        self._reasons.append(reason)
        self._tell()

    def _tell(self) -> None:
        """Call each listener once, whoever else is telling them at the same time."""
        listeners = self._listeners
        while listeners:
            try:
                listener = listeners.pop(0)
            except IndexError:
                return
            listener(self._reasons[0])

    def raise_if_cancelled(self) -> None:
        """Do nothing, or raise once it is cancelled.

        Raises:
            CallCancelledError: it is; the text is the reason.
        """
        if self._reasons:
            raise CallCancelledError(self._reasons[0])

    async def wait(self) -> str:
        """Wait until it is cancelled, and give the reason."""
        loop = asyncio.get_running_loop()
        woken = loop.create_future()

        def settle(reason: str) -> None:
            if not woken.done():
                woken.set_result(reason)

        def wake(reason: str) -> None:
            loop.call_soon_threadsafe(settle, reason)

        stop = self.listen(wake)
        try:
            reason: str = await woken
        finally:
            stop()
        return reason

    def listen(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Have `listener(reason)` called once, at once if it is cancelled already.

        Returns:
            what stops listening; harmless afterwards.
        """
        self._listeners.append(listener)
        if self._reasons:
            self._tell()
        return lambda: self._forget(listener)

    def _forget(self, listener: Callable[[str], None]) -> None:
        with suppress(ValueError):
            self._listeners.remove(listener)

    def __repr__(self) -> str:
        return f"Signal(cancelled={self.cancelled}, reason={self.reason!r})"

"""Cancellation that code can poll, await, or be interrupted by."""

import asyncio
import threading
from collections.abc import Callable

from pegboard.errors import CallCancelledError


class Signal:
    """Tells running calls to stop; may be cancelled from any thread, and only once.

    Give one to `board.call(…, signal=…)`; cancelling it interrupts the body at its next await, and
    the tool's own `context.signal` shows it to code that polls.
    """

    __slots__ = ("_listeners", "_lock", "_reason")

    def __init__(self) -> None:
        self._reason: str | None = None
        self._listeners: list[Callable[[str], None]] = []
        self._lock = threading.Lock()

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """The first reason that was given, or None."""
        return self._reason

    def cancel(self, reason: str = "cancelled") -> None:
        """Cancel; a second time changes nothing."""
        if not isinstance(reason, str):
            raise TypeError(f"a reason is text, not {type(reason).__name__}")
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener(reason)

    def raise_if_cancelled(self) -> None:
        """Do nothing, or raise once it is cancelled.

        Raises:
            CallCancelledError: it is; the text is the reason.
        """
        if self._reason is not None:
            raise CallCancelledError(self._reason)

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
        with self._lock:
            if self._reason is None:
                self._listeners.append(listener)
                return lambda: self._forget(listener)
        listener(self._reason)
        return lambda: None

    def _forget(self, listener: Callable[[str], None]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def __repr__(self) -> str:
        return f"Signal(cancelled={self.cancelled}, reason={self._reason!r})"

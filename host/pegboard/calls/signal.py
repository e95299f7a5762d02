"""Cancellation that code can poll, await, or be interrupted by."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from pegboard.calls.allowance import Allowance
from pegboard.errors import CallCancelledError


class Signal:
    """Tells running calls to stop; may be cancelled from any thread, and only once.

    Give one to `board.call(…, signal=…)`; cancelling it interrupts the body at its next await, and
    the tool's own `context.signal` shows it to code that polls.
    """

    # Every call may make a signal, and few are ever cancelled or listened to: a new one holds
    # nothing, and what is set later is set by operations that are atomic, so that it needs no lock.

    cancelled: bool = False
    """Whether it was cancelled; for reading."""

    reason: str | None = None
    """The first reason that was given, or None; for reading."""

    allowance: Allowance | None = None
    """The time that the host's own deadline leaves, stopped while a body waits for an answer."""

    def cancel(self, reason: str = "cancelled") -> None:
        """Cancel; a second time changes nothing."""
        if not isinstance(reason, str):
            raise TypeError(f"a reason is text, not {type(reason).__name__}")
        self.__dict__.setdefault("reason", reason)
        self.cancelled = True
        self._tell()

    def _tell(self) -> None:
        """Call each listener once, whoever else is telling them at the same time."""
        listeners = self._listeners
        while listeners:
            try:
                listener = listeners.pop(0)
            except IndexError:
                return
            listener(str(self.reason))

    @property
    def _listeners(self) -> list[Callable[[str], None]]:
        listeners: list[Callable[[str], None]] = self.__dict__.setdefault("_heard_by", [])
        return listeners

    def raise_if_cancelled(self) -> None:
        """Do nothing, or raise once it is cancelled.

        Raises:
            CallCancelledError: it is; the text is the reason.
        """
        if self.cancelled:
            raise CallCancelledError(str(self.reason))

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
        if self.cancelled:
            self._tell()
        return lambda: self._forget(listener)

    def _forget(self, listener: Callable[[str], None]) -> None:
        with suppress(ValueError):
            self._listeners.remove(listener)

    def __repr__(self) -> str:
        return f"Signal(cancelled={self.cancelled}, reason={self.reason!r})"

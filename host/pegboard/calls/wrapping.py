"""What is inside a hook that wraps: `call_next` lets it happen."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from pegboard.calls.allowance import Allowance
from pegboard.calls.flight import Flight
from pegboard.calls.signal import Signal
from pegboard.errors import PegboardError
from pegboard.outcomes import Failure

T = TypeVar("T")


class Inside(Generic[T]):
    """The rest of a chain, as often as its wrapper lets it happen, once at a time.

    Attributes:
        allowance: the time of the wrapper; it stands still while the rest happens.
        latest: what the rest gave last; None before.
        ended: why the call ends, whatever the wrapper says.
    """

    __slots__ = (
        *("_flight", "_front", "_grace", "_happened", "_is_over", "_rest"),
        *("allowance", "ended", "latest"),
    )

    def __init__(
        self,
        flight: Flight,
        rest: Callable[[], Awaitable[T | Failure]],
        *,
        limit: float,
        grace: float,
    ) -> None:
        self._flight = flight
        self._rest = rest
        self._grace = grace
        self._front: Signal | None = None
        self._happened: asyncio.Future[None] | None = None
        self._is_over = False
        self.allowance = Allowance(limit)
        self.latest: T | None = None
        self.ended: Failure | None = None

    def stop(self, reason: str) -> None:
        """Cancel the rest, if it happens now."""
        if self._front is not None:
            self._front.cancel(reason)

    async def close(self) -> None:
        """Let nothing happen from here on: the wrapper has ended.

        What still happens inside is stopped and waited for, as nobody else would.
        """
        self._is_over = True
        if self._front is None:
            return
        self.stop("what had started it has ended")
        self._happened = asyncio.get_running_loop().create_future()
        while not self._happened.done():
            try:
                await asyncio.wait([self._happened])
            except asyncio.CancelledError as tear:
                self._flight.tear = tear

    async def happen(self, signal: Signal | None = None) -> T:
        """Let the rest happen.

        Args:
            signal: put in front of the call's own.

        Raises:
            PegboardError: it happens already, the wrapper has ended, or a policy inside failed.
        """
        self._check()
        flight = self._flight
        outer, self._front = flight.front, Signal()
        cancel = self._front.cancel
        ahead = [each for each in (outer or flight.outer_signal, signal) if each is not None]
        for one in ahead:
            self._front.allowance = one.allowance or self._front.allowance
        unlisten = [one.listen(cancel) for one in ahead]
        flight.front = self._front
        self.allowance.pause()
        try:
            found = await self._rest()
        finally:
            flight.front, self._front = outer, None
            for each in unlisten:
                each()
            self.allowance.resume(self._grace if flight.should_stop() else None)
            if self._happened is not None:
                self._happened.set_result(None)
        tear = flight.pop_tear()
        if tear is not None:
            raise tear
        return self._taken(found)

    def _taken(self, found: T | Failure) -> T:
        if isinstance(found, Failure):
            if not self._is_over or self._flight.skips_after:
                self.ended = found
            raise PegboardError(f"the call ends inside: {found.message}")
        self.latest = found
        return found

    def _check(self) -> None:
        call_id = self._flight.call.id
        if self._is_over:
            raise PegboardError(f"the hook has ended; call_next of call {call_id!r} is too late")
        if self._front is not None:
            raise PegboardError(f"call_next of call {call_id!r} is awaited already")

"""Telling a client how far its call is: in order, and never more than it takes."""

import asyncio
import logging
import math
from collections import deque

from mcp.server.session import ServerSession
from pegboard import Progress

_log = logging.getLogger("pegboard.mcp")
_MOST = 256
_SLIGHTLY = 1e-9


class Reports:
    """The reports of one call on their way to its client; where they pile up, old ones go."""

    def __init__(self, session: ServerSession) -> None:
        self._session = session
        self._waiting: deque[Progress] = deque(maxlen=_MOST)
        self._last: float | None = None
        self._sending: asyncio.Task[None] | None = None
        self._is_closed = False

    def take(self, progress: Progress) -> None:
        """Send a report soon; none once they are closed."""
        if self._is_closed:
            return
        self._waiting.append(progress)
        if self._sending is None:
            self._sending = asyncio.ensure_future(self._send())

    async def flush(self) -> None:
        """Wait until everything was sent."""
        if self._sending is not None:
            await self._sending

    def close(self) -> None:
        """Send nothing more."""
        self._is_closed = True
        if self._sending is not None:
            self._sending.cancel()

    async def _send(self) -> None:
        try:
            while self._waiting:
                await self._send_one(self._waiting.popleft())
        except Exception:  # noqa: BLE001 - a client that can't be told must not fail the call
            _log.debug("a report of progress could not be sent", exc_info=True)
        self._sending = None

    async def _send_one(self, told: Progress) -> None:
        amount = self._last = self._amount(told.progress)
        message = None if told.message is None else _sayable(told.message)
        await self._session.report_progress(amount, _finite(told.total), message)

    def _amount(self, progress: float | None) -> float:
        """How much is done: always more than before, if only slightly."""
        found = _finite(progress)
        if self._last is None:
            return 0.0 if found is None else found
        least = self._last + max(1.0, abs(self._last)) * _SLIGHTLY
        return least if found is None else max(found, least)


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _sayable(text: str) -> str:
    """Text that has a place in JSON; lone surrogates have none, and would end the connection."""
    return str(text).encode(errors="replace").decode()

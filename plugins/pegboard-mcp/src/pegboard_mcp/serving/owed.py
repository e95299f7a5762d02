"""Answers that clients still wait for."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Owed:
    """How many answers are on their way."""

    def __init__(self) -> None:
        self._many = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def one(self) -> Iterator[None]:
        """One more while the block runs."""
        self._many += 1
        self._none.clear()
        try:
            yield
        finally:
            self._many -= 1
            if not self._many:
                self._none.set()

    async def paid(self, *, within: float) -> None:
        """Return once there is none, or after some seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._none.wait()

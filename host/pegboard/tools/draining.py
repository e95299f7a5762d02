"""Iterators that tools return, read to their end."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

from pegboard.tools.faults import OutputError
from pegboard.values import Limits


class _Drain:
    """Keeps what an iterator gives, as long as it may still be a value within the limits."""

    def __init__(self, limits: Limits) -> None:
        self.items: list[Any] = []
        self._limits = limits
        self._size = 0

    def take(self, item: Any) -> None:
        self.items.append(item)
        self._size += len(item) if isinstance(item, (str, bytes)) else 1
        if len(self.items) >= self._limits.max_nodes:
            raise OutputError(f"an iterator of {self._limits.more_nodes()}")
        if self._size > self._limits.max_bytes:
            raise OutputError(f"an iterator of {self._limits.longer(self._size)}")


def drain(source: Iterable[Any], limits: Limits) -> list[Any]:
    """Everything that an iterator gives.

    Raises:
        OutputError: it gives more than one value may hold; the iterator is closed.
    """
    taken = _Drain(limits)
    try:
        for item in source:
            taken.take(item)
    finally:
        close = getattr(source, "close", None)
        if close is not None:
            close()
    return taken.items


async def drain_async(source: AsyncIterator[Any], limits: Limits) -> list[Any]:
    """The same for an asynchronous iterator."""
    taken = _Drain(limits)
    try:
        async for item in source:
            taken.take(item)
    finally:
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()
    return taken.items

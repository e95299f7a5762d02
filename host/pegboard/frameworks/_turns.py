"""Keeps the calls of one message apart that may not overlap, where a framework starts them all."""

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs

from pegboard import Tool
from pegboard.values import Snapshot, decode_text

Overlap = bool | str


def may_always_overlap(tool: Tool) -> bool:
    """Whether calls of a tool may overlap any others, whatever their arguments."""
    if tool.concurrency_safe is None:
        return tool.annotations is not None and tool.annotations.read_only is True
    return tool.concurrency_safe is True


def overlap(tool: Tool | None, arguments: Any) -> Overlap:
    """How one call may overlap others.

    Args:
        tool: its tool, or None where there is none: then nothing runs.
        arguments: JSON, or its text.

    Returns:
        True, a key that calls share which don't overlap each other, or False: alone.
    """
    if tool is None or not callable(tool.concurrency_safe):
        return tool is None or may_always_overlap(tool)
    try:
        is_text = isinstance(arguments, str)
        given = decode_text(arguments) if is_text else Snapshot.of(arguments).read()
        said: object = tool.concurrency_safe(given)
    except Exception:  # noqa: BLE001 - code of a plugin; a tool that can't say runs alone
        return False
    return said if isinstance(said, str) else said is True


@attrs.define(eq=False)
class Turn:
    """The calls of one message: each waits for the earlier ones that it may not overlap."""

    _places: list[tuple[Overlap, "Future[None]"]] = attrs.field(factory=list)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    @asynccontextmanager
    async def place(self, mine: Overlap) -> AsyncIterator[None]:
        """Wait until a call may run, and hold its place inside."""
        with self._taken(mine) as earlier:
            if earlier:
                await asyncio.wait([asyncio.wrap_future(each) for each in earlier])
            yield

    @contextmanager
    def place_in_thread(self, mine: Overlap) -> Iterator[None]:
        """The same for a call that a thread makes."""
        with self._taken(mine) as earlier:
            concurrent.futures.wait(earlier)
            yield

    @contextmanager
    def _taken(self, mine: Overlap) -> Iterator[list["Future[None]"]]:
        place = (mine, Future[None]())
        with self._lock:
            earlier = [ended for theirs, ended in self._places if _exclude(mine, theirs)]
            self._places.append(place)
        try:
            yield earlier
        finally:
            with self._lock:
                self._places.remove(place)
            place[1].set_result(None)


def _exclude(mine: Overlap, theirs: Overlap) -> bool:
    return mine is False or theirs is False or (isinstance(mine, str) and mine == theirs)

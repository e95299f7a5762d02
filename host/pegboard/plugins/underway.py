"""Loads that are on their way, and end when their host closes."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import attrs

from pegboard.errors import HostClosedError

T = TypeVar("T")


@attrs.define(eq=False)
class Underway:
    """The loads of one host that have not ended."""

    _tasks: "set[asyncio.Task[Any]]" = attrs.field(factory=set)
    _ended: "set[asyncio.Task[Any]]" = attrs.field(factory=set)
    _is_closing: bool = False

    async def run(self, load: Coroutine[Any, Any, T]) -> T:
        """What a load gives; cancelling who awaits it cancels it.

        Raises:
            HostClosedError: the host closes, and nothing of the load is left.
        """
        if self._is_closing:
            load.close()
            raise HostClosedError("the host is being closed, and loads nothing any more")
        task = asyncio.ensure_future(load)
        self._tasks.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if task in self._ended and not _is_cancelled():
                raise HostClosedError("the host was closed while it loaded a plugin") from None
            raise
        finally:
            self._tasks.discard(task)
            self._ended.discard(task)

    async def close(self) -> None:
        """End what is on its way, and begin nothing more."""
        self._is_closing = True
        tasks = set(self._tasks)
        self._ended |= tasks
        for each in tasks:
            each.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def open(self) -> None:
        """Load again."""
        self._is_closing = False


def _is_cancelled() -> bool:
    """Whether somebody has cancelled the task that runs here."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

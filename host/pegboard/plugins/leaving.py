"""Leaving a plugin: everything in reverse, each step within a limit, none stopped by another."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pegboard.calls.settle import guarded
from pegboard.calls.threads import Raised
from pegboard.errors import PluginLoadError
from pegboard.plugins.loadthread import in_load_thread, shown
from pegboard.plugins.plugin import PluginContext


class Leaving:
    """Leaves what a plugin has entered, and keeps what goes wrong.

    Attributes:
        errors: what was raised, in one line each.
        leaked: what didn't stop.
    """

    def __init__(self, name: str, *, limit: float) -> None:
        self._name = name
        self._limit = limit
        self.errors: list[str] = []
        self.leaked: list[str] = []

    async def entered(self, entering: Awaitable[Any], limit: float, what: str) -> Any:
        """What an async context manager yields.

        Raises:
            PluginLoadError: it raised, or took longer than the limit; the cause is chained.
        """
        task = asyncio.ensure_future(guarded(lambda: entering))
        done, _ = await asyncio.wait([task], timeout=limit)
        if not done:
            task.cancel()
            raise PluginLoadError(f"{what} took longer than load_timeout = {limit:g} s")
        ended = task.result()
        if isinstance(ended, Raised):
            raise PluginLoadError(f"{what} raised {shown(ended.error)}") from ended.error
        return ended.value

    async def stop(self, context: PluginContext) -> None:
        """Cancel and await the plugin's tasks, then call what `on_unload` was given."""
        self.leaked += await context.stop_tasks(grace=self._limit)
        for callback in context.pop_callbacks():
            await self._step(f"on_unload of {self._name!r}", callback)

    async def leave_async(self, entered: Any, what: str) -> None:
        """Leave an async context manager."""
        await self._step(what, lambda: entered.__aexit__(None, None, None))

    async def leave_sync(self, entered: Any, what: str) -> None:
        """Leave a sync context manager, in a thread."""
        try:
            await in_load_thread(
                lambda: entered.__exit__(None, None, None),
                what=f"leaving {what}",
                limit=self._limit,
            )
        except PluginLoadError as error:
            self.errors.append(str(error))

    async def _step(self, what: str, function: Callable[[], Any]) -> None:
        task = asyncio.ensure_future(guarded(function))
        done, _ = await asyncio.wait([task], timeout=self._limit)
        if not done:
            task.cancel()
            self.errors.append(f"leaving {what} didn't end within {self._limit:g} s")
            return
        ended = task.result()
        if isinstance(ended, Raised):
            self.errors.append(f"leaving {what} raised {shown(ended.error)}")

"""Leaving a plugin: everything in reverse, each step within a limit, none stopped by another."""

import asyncio
from collections.abc import Callable
from typing import Any

from pegboard.calls.settle import guarded
from pegboard.calls.threads import Raised, Threads
from pegboard.plugins.forgetting import forget_loggers
from pegboard.plugins.keeping import Keeper
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loadthread import shown
from pegboard.plugins.plugin import PluginContext, logger_name


class Leaving:
    """Leaves what a plugin has entered, and keeps what goes wrong.

    Attributes:
        errors: what was raised, in one line each.
        leaked: the plugin's own tasks that didn't stop.
        leaks: what else goes on, as long as it does.
    """

    def __init__(self, name: str, *, limit: Callable[[], float], leaks: Leaks) -> None:
        self.leaks = leaks
        self._name = name
        self._limit = limit
        self._threads = Threads(f"{name}-contexts", most=1)
        self.errors: list[str] = []
        self.leaked: list[str] = []

    def keeper(self, what: str, *, limit: float) -> Keeper:
        """What enters and leaves one context manager of the plugin.

        Args:
            what: what it is, for messages.
            limit: seconds that entering may take.
        """
        return Keeper(what, threads=self._threads, limit=limit, leaks=self.leaks)

    def close(self) -> None:
        """Let the thread of the plugin's sync contexts end, and its logger be forgotten."""
        self._threads.close()
        forget_loggers([logger_name(self._name)])

    async def leave(self, keeper: Keeper) -> None:
        """Leave a context manager."""
        error = await keeper.leave(limit=self._limit())
        if error is not None:
            self.errors.append(error)

    async def stop(self, context: PluginContext) -> None:
        """Cancel and await the plugin's tasks, then call what `on_unload` was given."""
        self.leaked += await context.stop_tasks(grace=self._limit())
        for callback in context.pop_callbacks():
            await self._call(callback)

    async def _call(self, callback: Callable[[], Any]) -> None:
        what, limit = f"on_unload of {self._name!r}", self._limit()
        task = asyncio.ensure_future(guarded(callback))
        done, _ = await asyncio.wait([task], timeout=limit)
        if not done:
            task.cancel()
            self.errors.append(f"{what} didn't end within {limit:g} s")
            return
        ended = task.result()
        if isinstance(ended, Raised):
            self.errors.append(f"{what} raised {shown(ended.error)}")

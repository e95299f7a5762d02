"""A plugin as its own code sees itself."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any


class PluginContext:
    """What a plugin's code may ask of the host."""

    def __init__(self, name: str, *, version: str | None, settings: Any) -> None:
        self._name = name
        self._version = version
        self._settings = settings
        self.resource: Any = None
        """What the plugin's lifespan yielded, or None."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._callbacks: list[Callable[[], Any]] = []
        self._is_open = True

    @property
    def name(self) -> str:
        """The plugin's name on this host."""
        return self._name

    @property
    def version(self) -> str | None:
        """The version of its distribution, or None."""
        return self._version

    @property
    def settings(self) -> Any:
        """Its settings: an instance of what `pegboard_settings` gave, or None."""
        return self._settings

    @property
    def log(self) -> logging.Logger:
        """A logger of the plugin's own."""
        return logging.getLogger(f"pegboard.plugins.{self._name}")

    def create_task(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine until it ends or the plugin is unloaded; from any thread."""
        if threading.get_ident() == self._thread:
            self._start(work)
        else:
            self._loop.call_soon_threadsafe(self._start, work)

    def on_unload(self, callback: Callable[[], Any]) -> None:
        """Have a function called when the plugin is unloaded, the last one first."""
        self._callbacks.append(callback)

    def _start(self, work: Coroutine[Any, Any, Any]) -> None:
        if not self._is_open:
            work.close()
            return
        task = self._loop.create_task(work, name=f"pegboard-{self._name}")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.log.error("a task of plugin %r raised", self._name, exc_info=task.exception())

    async def stop_tasks(self, *, grace: float) -> tuple[str, ...]:
        """Cancel the plugin's tasks and wait for them.

        Returns:
            the names of those that didn't stop.
        """
        self._is_open = False
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        return tuple(f"task {each.get_coro()!r:.120}" for each in tasks if not each.done())

    def pop_callbacks(self) -> list[Callable[[], Any]]:
        """What `on_unload` was given, in the order in which to call it."""
        callbacks, self._callbacks = self._callbacks, []
        return callbacks[::-1]

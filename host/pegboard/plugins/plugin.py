"""A plugin as its own code sees itself."""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from pegboard.cache import cache_folder
from pegboard.reports import HostStatus


def logger_name(plugin: str) -> str:
    """The name of a plugin's own logger."""
    return f"pegboard.plugins.{plugin}"


class PluginContext:
    """What a plugin's code may ask of the host."""

    def __init__(
        self,
        name: str,
        *,
        version: str | None,
        settings: Any,
        folder: Path,
        status: Callable[[], HostStatus] = HostStatus,
    ) -> None:
        self._name = name
        self._version = version
        self._settings = settings
        self._folder = folder
        self._status = status
        self.resource: Any = None
        """What the plugin's lifespan yielded, or None."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._tasks: dict[asyncio.Task[None], Coroutine[Any, Any, Any]] = {}
        self._callbacks: list[Callable[[], Any]] = []
        self._is_open = True
        self._refresh: Callable[[], Awaitable[None]] | None = None

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
    def folder(self) -> Path:
        """Where relative paths in its settings begin.

        The folder of the configuration file that configures it; else the working folder, as it was
        when the plugin was loaded.
        """
        return self._folder

    @property
    def cache_folder(self) -> Path | None:
        """A folder of the plugin's own for what can be made anew; None where there can be none.

        It lies in the user's cache folder, which `PEGBOARD_CACHE` moves or, empty, takes away.
        """
        if (outer := cache_folder()) is None:
            return None
        folder = Path(outer, "plugins", self._name)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return None
        return folder if os.access(folder, os.W_OK) else None

    def status(self) -> HostStatus:
        """How the host is now, in figures: what runs, and the states of plugins."""
        return self._status()

    @property
    def log(self) -> logging.Logger:
        """A logger of the plugin's own."""
        return logging.getLogger(logger_name(self._name))

    def create_task(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine until it ends or the plugin is unloaded; from any thread.

        What it raises, `exit()` included, is logged and stops nothing else.

        Raises:
            TypeError: it is no coroutine.
        """
        if not asyncio.iscoroutine(work):
            raise TypeError(f"a coroutine is expected, not {type(work).__name__}")
        if threading.get_ident() == self._thread:
            self._start(work)
        else:
            self._loop.call_soon_threadsafe(self._start, work)

    def on_unload(self, callback: Callable[[], Any]) -> None:
        """Have a function called when the plugin is unloaded, the last one first.

        It is called on the loop, sync or async, and also if the plugin fails to load.
        """
        self._callbacks.append(callback)

    async def refresh(self) -> None:
        """Have `pegboard_tools` asked again; what it gives takes the tools' place in one step.

        While the plugin is loading it returns at once, and is done as soon as the tools stand.

        Raises:
            PluginLoadError: the new tools can't be had or offered, and the old ones stay; or the
                plugin is unloaded.
        """
        if self._refresh is not None:
            await self._refresh()

    def refreshes_with(self, refresh: Callable[[], Awaitable[None]]) -> None:
        """Hear what asks for the tools again."""
        self._refresh = refresh

    def _start(self, work: Coroutine[Any, Any, Any]) -> None:
        if not self._is_open:
            work.close()
            return
        task = self._loop.create_task(self._contained(work), name=f"pegboard-{self._name}")
        self._tasks[task] = work
        task.add_done_callback(self._ended)

    async def _contained(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine; a task that raised `SystemExit` would take the loop with it."""
        try:
            await work
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self.log.error("a task of plugin %r raised", self._name, exc_info=error)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.pop(task).close()

    async def stop_tasks(self, *, grace: float) -> tuple[str, ...]:
        """Cancel the plugin's tasks and wait for them.

        Returns:
            the names of those that didn't stop.
        """
        self._is_open = False
        tasks = dict(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        return tuple(f"task {work!r:.120}" for task, work in tasks.items() if not task.done())

    def pop_callbacks(self) -> list[Callable[[], Any]]:
        """What `on_unload` was given, in the order in which to call it."""
        callbacks, self._callbacks = self._callbacks, []
        return callbacks[::-1]

"""Telling hooks that what a board shows has changed: soon, once, and only where somebody looked."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable
from typing import Any

from pegboard.board import Engine

_log = logging.getLogger("pegboard.host")


class Notices:
    """Calls `pegboard_tools_changed` for the boards of one host."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._is_due = False
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        """Follow the changes of this host on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._engine.registry.epoch.on_change = self._changed

    async def stop(self) -> None:
        """Follow no more changes; hooks that still run are cancelled."""
        self._engine.registry.epoch.on_change = None
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _changed(self) -> None:
        if self._is_due or self._loop is None or not self._engine.readers:
            return
        self._is_due = True
        if threading.get_ident() == self._thread:
            self._loop.call_soon(self._tell)
        else:
            self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._is_due = False
        readers = self._engine.readers
        for board, (scope, revision) in list(readers.items()):
            if scope.revision() != revision:
                del readers[board]
                for hook in scope.chains().changed:
                    self._call(hook.function, board)

    def _call(self, function: Callable[..., Any], board: object) -> None:
        try:
            answer = function(board)
        except BaseException:  # noqa: BLE001 - hooks are a plugin's code
            _log.exception("a pegboard_tools_changed hook raised")
            return
        if inspect.isawaitable(answer):
            task = asyncio.ensure_future(_awaited(answer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _awaited(answer: Any) -> None:
    try:
        await answer
    except asyncio.CancelledError:
        raise
    except BaseException:  # noqa: BLE001 - hooks are a plugin's code
        _log.exception("a pegboard_tools_changed hook raised")

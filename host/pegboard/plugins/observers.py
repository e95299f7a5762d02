"""Telling hooks what happens outside of calls: sync or async, and nothing of theirs goes on."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

from pegboard.registry import HookEntry, Scope

_log = logging.getLogger("pegboard.plugins")


class Observers:
    """Calls observing hooks of one host; what they raise is logged."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        """Call hooks on the running loop from now on."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def soon(self, function: Callable[[], None]) -> bool:
        """Have something done soon on the loop, from any thread; False if there is no loop."""
        if self._loop is None or self._loop.is_closed():
            return False
        if threading.get_ident() == self._thread:
            self._loop.call_soon(function)
        else:
            self._loop.call_soon_threadsafe(function)
        return True

    def event(self, scope: Scope, event: object) -> None:
        """Tell the `pegboard_event` hooks of a scope, at once; from any thread."""
        hooks = scope.chains().events
        if not hooks:
            return
        if threading.get_ident() == self._thread:
            self.tell(hooks, event)
        elif self._loop is not None:
            self._loop.call_soon_threadsafe(self.tell, hooks, event)

    def tell(self, hooks: Iterable[HookEntry], *given: Any) -> None:
        """Call hooks, one after the other; async ones go on in tasks."""
        for hook in hooks:
            try:
                answer = hook.function(*given)
            except BaseException:  # noqa: BLE001 - hooks are a plugin's code
                _log.exception("%s raised", hook.what)
                continue
            if inspect.isawaitable(answer):
                task = asyncio.ensure_future(_awaited(answer, hook))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def stop(self, *, grace: float) -> None:
        """Let async hooks end, for at most `grace` seconds; then cancel them."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=grace)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        self._loop = None


async def _awaited(answer: Any, hook: HookEntry) -> None:
    try:
        await answer
    except asyncio.CancelledError:
        raise
    except BaseException:  # noqa: BLE001 - hooks are a plugin's code
        _log.exception("%s raised", hook.what)

"""Keeping a plugin's context managers: each is entered and left in one task or one thread.

Cancel scopes, database connections and locks belong to the task or the thread that made them.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from pegboard.calls.threads import Ended, Raised, Returned, Threads
from pegboard.errors import PluginLoadError
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loadthread import in_load_thread, located, shown


class Keeper:
    """Enters one context manager of a plugin, and leaves it where it was entered.

    If entering is given up (it takes too long, or who waits for it is cancelled) and ends after
    all, the context is left at once.
    """

    def __init__(self, what: str, *, threads: Threads, limit: float, leaks: Leaks) -> None:
        self._what = what
        self._threads = threads
        self._limit = limit
        self._leaks = leaks
        loop = asyncio.get_running_loop()
        self._entered: asyncio.Future[Ended] = loop.create_future()
        self._left: asyncio.Future[Ended] = loop.create_future()
        self._stopped = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._context: Any = None

    async def enter(self, make: Callable[[], Any]) -> Any:
        """What the context yields; None where there is no context.

        Args:
            make: gives the context manager, sync or async, or None; runs in a load thread.

        Raises:
            PluginLoadError: it raised, took longer than the limit, or gave something else.
        """
        kind, context = await in_load_thread(
            partial(_made, make), what=self._what, limit=self._limit, leaks=self._leaks
        )
        if kind == "none":
            self._left.set_result(Returned(None))
            return None
        if kind == "async":
            self._task = asyncio.create_task(self._kept(context))
        else:
            self._context = context
            entering = self._threads.submit(context.__enter__)
            entering.future.add_done_callback(self._sync_entered)
        return await self._awaited()

    async def _awaited(self) -> Any:
        try:
            async with asyncio.timeout(self._limit):
                ended = await self._entered
        except TimeoutError:
            self._give_up()
            text = f"{self._what} took longer than load_timeout = {self._limit:g} s"
            raise PluginLoadError(text) from None
        except BaseException:
            self._give_up()
            raise
        if isinstance(ended, Raised):
            if isinstance(ended.error, PluginLoadError):
                raise ended.error  # the plugin's own words
            raise PluginLoadError(f"{self._what} raised {located(ended.error)}") from ended.error
        return ended.value

    async def leave(self, *, limit: float) -> str | None:
        """Leave the context.

        Returns:
            what went wrong, in one line, or None.
        """
        self._stopped.set()
        if self._context is not None and not self._left.done():
            self._leave_sync()
        done, _ = await asyncio.wait([self._left], timeout=limit)
        if not done:
            self._give_up()
            return f"leaving {self._what} didn't end within {limit:g} s"
        ended = self._left.result()
        if isinstance(ended, Raised):
            return f"leaving {self._what} raised {shown(ended.error)}"
        return None

    def _give_up(self) -> None:
        """Stop waiting; what goes on is listed until it has been left."""
        self._stopped.set()
        self._leaks.add(f"{'thread' if self._task is None else 'task'} of {self._what}", self._left)
        if self._task is not None:
            self._task.cancel()

    def _sync_entered(self, entering: "asyncio.Future[Ended]") -> None:
        ended = entering.result()
        _settle(self._entered, ended)
        if isinstance(ended, Raised):
            _settle(self._left, Returned(None))
        elif self._stopped.is_set():
            self._leave_sync()

    def _leave_sync(self) -> None:
        context, self._context = self._context, None
        if context is None:
            return
        leaving = self._threads.submit(partial(context.__exit__, None, None, None)).future
        leaving.add_done_callback(lambda done: _settle(self._left, done.result()))

    async def _kept(self, context: Any) -> None:
        """The task: enters, waits, and leaves."""
        try:
            value = await context.__aenter__()
        except BaseException as error:  # noqa: BLE001 - whatever a plugin raises is told
            _settle(self._entered, Raised(error))
            _settle(self._left, Returned(None))
            return
        _settle(self._entered, Returned(value))
        while not self._stopped.is_set():
            try:
                await self._stopped.wait()
            except asyncio.CancelledError:
                break
        try:
            await context.__aexit__(None, None, None)
        except BaseException as error:  # noqa: BLE001 - as above
            _settle(self._left, Raised(error))
        else:
            _settle(self._left, Returned(None))


def _made(make: Callable[[], Any]) -> tuple[str, Any]:
    """What a hook gave, and which kind of context manager it is."""
    context = make()
    kind = type(context)
    if context is None:
        return "none", None
    if hasattr(kind, "__aenter__") and hasattr(kind, "__aexit__"):
        return "async", context
    if hasattr(kind, "__enter__") and hasattr(kind, "__exit__"):
        return "sync", context
    raise TypeError(f"{kind.__name__} is no context manager")


def _settle(future: "asyncio.Future[Ended]", ended: Ended) -> None:
    if not future.done():
        future.set_result(ended)

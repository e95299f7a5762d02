"""Watching a host's files, and having it follow what changes there."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from pegboard.errors import HostClosedError
from pegboard.events import PluginChanged
from pegboard.plugins.following import Actions, Following
from pegboard.plugins.hearing import Bell, Ear, check_watchfiles, hearing
from pegboard.plugins.loader import Loader
from pegboard.plugins.watched import Watched, watched_by
from pegboard.registry import Registration
from pegboard.reports import WatchReport

OnSync = Callable[[WatchReport], object]
"""Gets what each change has done."""

_log = logging.getLogger("pegboard.plugins")
_QUIET = 0.1
"""Seconds without a change after which what has changed is followed."""
_LONGEST = 2.0
"""Seconds after which it is followed though changes go on."""
_PIP = 30.0
"""The same while pip seems to be at work."""
_AGAIN = 1.5
"""Seconds until one more look after a change: where files are polled, one second shows once."""


class Watching:
    """Watches while a block runs; iterate over it for what changes have done.

    It ends with the block, or once the host is closed.
    """

    def __init__(
        self,
        loader: Loader,
        actions: Actions,
        hook: Callable[..., Registration],
        config: Path | None,
        on_sync: OnSync | None,
    ) -> None:
        self._loader = loader
        self._following = Following(loader, actions, config)
        self._hook = hook
        self._config = config
        self._on_sync = on_sync
        self._reports: asyncio.Queue[WatchReport | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._hooked: Registration | None = None
        self._polls: bool | None = None
        self._is_due = False
        self._at_rest: frozenset[str] = frozenset()

    async def __aenter__(self) -> Self:
        """Begin.

        Raises:
            PegboardError: watchfiles isn't installed.
        """
        check_watchfiles()
        bell = Bell()
        self._at_rest = watched_by(self._loader, self._config).unfinished()
        self._hooked = self._hook(event=lambda event: _ring_for(event, bell))
        self._task = asyncio.create_task(self._watch(bell), name="pegboard-watch")
        self._task.add_done_callback(lambda _: self._reports.put_nowait(None))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._hooked is not None:
            self._hooked.close()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> WatchReport:
        report = await self._reports.get()
        if report is not None:
            return report
        self._reports.put_nowait(None)
        if self._task is not None and not self._task.cancelled():
            self._task.result()
        raise StopAsyncIteration

    async def _watch(self, bell: Bell) -> None:
        """Watch what there is to watch, and begin again whenever that is something else."""
        with suppress(HostClosedError):
            while True:
                watched = watched_by(self._loader, self._config)
                async with hearing(
                    watched.folders, bell, concerns=watched.concerns, polls=self._polls
                ) as ear:
                    await self._follow(bell, ear, watched)
                if ear.fault is not None:
                    await self._hear_otherwise(ear.fault)

    async def _hear_otherwise(self, fault: BaseException) -> None:
        """Poll from now on, unless only a folder has gone meanwhile."""
        if not isinstance(fault, (OSError, RuntimeError)):
            raise fault
        if isinstance(fault, FileNotFoundError):
            await asyncio.sleep(_QUIET)
            return
        _log.warning("changes can't be heard, and files are compared instead: %s", fault)
        await asyncio.sleep(_LONGEST if self._polls else 0)
        self._polls = True

    async def _follow(self, bell: Bell, ear: Ear, watched: Watched) -> None:
        """Follow changes until other things are to be watched."""
        if ear.fault is None:
            await self._look(bell, watched)
        while not ear.has_ended and watched_by(self._loader, self._config) == watched:
            has_rung = await bell.wait(at_most=_AGAIN if self._is_due else None)
            if bell.paths or not has_rung:
                changed = await self._look(bell, watched)
                self._is_due = has_rung
                if watched.is_elsewhere(changed):
                    return
            else:
                bell.hush()

    async def _look(self, bell: Bell, watched: Watched) -> tuple[str, ...]:
        """Look at what is on disk once it is at rest, tell what that did; gives what changed."""
        await self._rest(bell, watched)
        changed = bell.hush()
        report = await self._following.look(changed)
        self._at_rest, self._is_due = watched.unfinished(), True
        if report is not None and self._on_sync is not None:
            self._on_sync(report)
        elif report is not None:
            self._reports.put_nowait(report)
        return changed

    async def _rest(self, bell: Bell, watched: Watched) -> None:
        """Wait until nothing changes for a moment, and pip has done what it does."""
        began, rung, is_busy = bell.loop.time(), -1, False
        while rung != bell.rung or is_busy:
            rung = bell.rung
            await asyncio.sleep(_QUIET)
            is_busy = not watched.unfinished() <= self._at_rest
            if bell.loop.time() - began > (_PIP if is_busy else _LONGEST):
                return


def _ring_for(event: object, bell: Bell) -> None:
    """Another plugin is loaded, or one isn't any more: other things may be to be watched."""
    if isinstance(event, PluginChanged):
        bell.ring()

"""Hearing what changes in folders: watchfiles, in a thread that ends with the block."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

import attrs

from pegboard.calls.threads import Raised, run_safely
from pegboard.errors import PegboardError

Fault = BaseException | None
"""Why nothing is heard; None where all is well."""

_STEP = 50
"""Milliseconds after which the system is asked again; leaving takes as long at most."""


class Concerns(Protocol):
    """Whether a change of a path counts."""

    def __call__(self, path: str, *, is_there: bool) -> bool:
        """Decide; what is there was modified, else it came or went."""


@attrs.define(eq=False)
class Bell:
    """Rings when something may have changed.

    Attributes:
        loop: where it rings.
        rung: how often it has rung.
        paths: what it has rung for since the last time that somebody looked.
    """

    loop: asyncio.AbstractEventLoop = attrs.field(factory=asyncio.get_running_loop)
    rung: int = 0
    paths: set[str] = attrs.field(factory=set)
    _event: asyncio.Event = attrs.field(factory=asyncio.Event)

    def ring(self, paths: Iterable[str] = ()) -> None:
        """Have whoever waits look; on the loop."""
        self.rung += 1
        self.paths.update(paths)
        self._event.set()

    async def wait(self, *, at_most: float | None) -> bool:
        """Wait until it rings; False if it didn't within these seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most):
                await self._event.wait()
        return self._event.is_set()

    def hush(self) -> tuple[str, ...]:
        """Wait for another ring from now on; gives what it has rung for."""
        paths = tuple(sorted(self.paths))
        self.paths.clear()
        self._event.clear()
        return paths


@attrs.frozen(eq=False)
class Ear:
    """One thread that hears what changes in folders, but not in those below.

    Attributes:
        folders: which.
        concerns: whether a change of a path counts; called in the thread.
        polls: whether files are compared instead of asking the system; None: watchfiles decides.
        bell: rings on the loop for what counts.
        ready: settled once every change is heard, with the reason if none will be.
        ended: settled when nothing more is heard, in the same way.
    """

    folders: tuple[str, ...]
    concerns: Concerns
    polls: bool | None
    bell: Bell
    ready: "asyncio.Future[Fault]"
    ended: "asyncio.Future[Fault]"
    _stop: threading.Event = attrs.field(factory=threading.Event)

    @property
    def has_ended(self) -> bool:
        """Whether nothing more is heard."""
        return self.ended.done() or self.fault is not None

    @property
    def fault(self) -> Fault:
        """Why nothing more is heard; None where nothing went wrong."""
        known = (each.result() for each in (self.ready, self.ended) if each.done())
        return next(filter(None, known), None)

    def listen(self) -> None:
        """Hear until it is stopped; what the thread does."""
        ended = run_safely(self._hear)
        error = ended.error if isinstance(ended, Raised) else None
        with suppress(RuntimeError):  # the loop has closed
            self._settle(self.ready, error)
            self._settle(self.ended, error)
            self.bell.loop.call_soon_threadsafe(self.bell.ring)

    async def silenced(self, thread: threading.Thread) -> bool:
        """Have the thread end; True if somebody has meanwhile cancelled who waits for that."""
        self._stop.set()
        is_cancelled = False
        while not self.ended.done():
            try:
                await asyncio.shield(self.ended)
            except asyncio.CancelledError:
                is_cancelled = True
        thread.join()
        return is_cancelled

    def _hear(self) -> None:
        for paths in self._heard():
            self._tell(paths)

    def _heard(self) -> Iterator[tuple[str, ...]]:
        """Paths that have changed; none, where nothing has for a moment."""
        import watchfiles  # late: an extra

        heard = watchfiles.watch(
            *self.folders,
            watch_filter=lambda change, path: self.concerns(
                path, is_there=change == watchfiles.Change.modified
            ),
            step=_STEP,
            debounce=4 * _STEP,
            rust_timeout=2 * _STEP,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            force_polling=self.polls,
            recursive=False,
            ignore_permission_denied=True,
        )
        for changes in heard:
            yield tuple(path for _, path in changes)

    def _tell(self, paths: tuple[str, ...]) -> None:
        self._settle(self.ready, None)
        if paths and not self._stop.is_set():
            self.bell.loop.call_soon_threadsafe(self.bell.ring, paths)

    def _settle(self, future: "asyncio.Future[Fault]", value: Fault) -> None:
        def settle() -> None:
            if not future.done():
                future.set_result(value)

        if not future.done():
            self.bell.loop.call_soon_threadsafe(settle)


@asynccontextmanager
async def hearing(
    folders: Iterable[str], bell: Bell, *, concerns: Concerns, polls: bool | None
) -> AsyncIterator[Ear]:
    """Hear what changes in folders while the block runs, which begins once everything is heard.

    What keeps that from being heard is the ear's `fault`. The arguments are those of `Ear`.
    """
    ready, ended = bell.loop.create_future(), bell.loop.create_future()
    ear = Ear(tuple(folders), concerns, polls, bell, ready, ended)
    thread = threading.Thread(target=ear.listen, name="pegboard-watch", daemon=True)
    thread.start()
    try:
        await ready
        yield ear
    except BaseException:
        await ear.silenced(thread)
        raise
    if await ear.silenced(thread):
        raise asyncio.CancelledError


def check_watchfiles() -> None:
    """See that watchfiles is there.

    Raises:
        PegboardError: it isn't; says how to install it.
    """
    try:
        import watchfiles  # noqa: F401 - whether it is there
    except ImportError as error:
        text = "watching needs watchfiles: pip install 'pegboard[watch]'"
        raise PegboardError(text) from error

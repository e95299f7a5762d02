"""What is iterated in one thread while the loop goes on."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from pegboard.blocking.loop import BackgroundLoop
from pegboard.blocking.reporting import Reports
from pegboard.errors import HostClosedError, PegboardError
from pegboard.plugins import Watching as AsyncWatching
from pegboard.reports import WatchReport

T_co = TypeVar("T_co", covariant=True)


class _Steps(Generic[T_co]):
    """What is iterated, on the loop: one step at a time, until it is closed.

    Attributes:
        is_over: whether nothing more comes.
    """

    __slots__ = ("_reader", "_steps", "_turn", "is_over")

    def __init__(self, steps: AsyncGenerator[T_co, None]) -> None:
        self.is_over = False
        self._steps = steps
        self._turn = asyncio.Lock()
        self._reader: asyncio.Task[Any] | None = None

    async def next(self) -> T_co:
        """Take a step.

        Raises:
            StopAsyncIteration: that was the last one, or it is closed meanwhile.
        """
        async with self._turn:
            if self.is_over:
                raise StopAsyncIteration
            self._reader = asyncio.current_task()
            try:
                return await self._steps.__anext__()
            except StopAsyncIteration:
                self.is_over = True
                raise
            except asyncio.CancelledError:
                if not self.is_over:
                    raise
                raise StopAsyncIteration from None
            finally:
                self._reader = None

    async def close(self) -> None:
        """End a step that is under way, and then the rest."""
        self.is_over = True
        if self._reader is not None:
            self._reader.cancel()
        async with self._turn:
            await self._steps.aclose()


class Stream(Generator[T_co, None, None]):
    """Gives what happens on the loop; whoever closes or forgets it cancels the rest.

    One thread reads it; any may close it, and then the reading ends.
    """

    __slots__ = ("_keeps", "_loop", "_reading", "_reports", "_steps")

    def __init__(
        self,
        loop: BackgroundLoop,
        steps: AsyncGenerator[T_co, None],
        reports: Reports | None,
        keeps: object,
    ) -> None:
        self._loop = loop
        self._steps: _Steps[T_co] | None = _Steps(steps)
        self._reports = reports
        self._reading = threading.Lock()
        self._keeps = keeps

    def __next__(self) -> T_co:
        return self.send(None)

    def send(self, _: None, /) -> T_co:
        """Wait for what comes next.

        Raises:
            PegboardError: it is waited for already, in another thread or further out in this one.
        """
        if not self._reading.acquire(blocking=False):
            raise PegboardError(
                "what comes next is waited for already, mostly in another thread; "
                "read a stream in one thread, or make one for each"
            )
        try:
            return self._next()
        except StopAsyncIteration:
            pass
        except Exception:
            raise
        except BaseException:  # what came meanwhile is lost, and the rest would have a gap
            self._steps = None
            raise
        finally:
            self._reading.release()
        raise StopIteration

    def _next(self) -> T_co:
        steps, reports = self._steps, self._reports
        if steps is None or steps.is_over:
            raise StopAsyncIteration
        if reports is None:
            return self._loop.run(steps.next)
        return self._loop.run(steps.next, hear=reports.hear, told=reports.told)

    def throw(self, kind: Any, error: Any = None, traceback: Any = None, /) -> T_co:
        """Cancel the rest, and raise."""
        self.close()
        return super().throw(kind, error, traceback)

    def close(self) -> None:
        """Cancel the rest, and wait until that has ended; from any thread."""
        steps = self._steps
        if steps is not None:
            with suppress(HostClosedError):
                self._loop.run(steps.close)


class Watching:
    """Watches while a block runs; iterate over it for what changes have done.

    It ends with the block, or once the host is closed.
    """

    __slots__ = ("_keeps", "_loop", "_watching")

    def __init__(self, loop: BackgroundLoop, watching: AsyncWatching, keeps: object) -> None:
        self._loop = loop
        self._watching = watching
        self._keeps = keeps

    def __enter__(self) -> Self:
        """Begin.

        Raises:
            PegboardError: watchfiles isn't installed.
        """
        self._loop.run(self._watching.__aenter__)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(HostClosedError):
            self._loop.run(lambda: self._watching.__aexit__(kind, error, traceback))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> WatchReport:
        try:
            return self._loop.run(self._watching.__anext__)
        except (StopAsyncIteration, HostClosedError):  # it may be closed between two steps
            raise StopIteration from None

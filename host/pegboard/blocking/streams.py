"""What is iterated in one thread while the loop goes on."""

from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from pegboard.blocking.loop import BackgroundLoop
from pegboard.blocking.reporting import Reports
from pegboard.errors import HostClosedError
from pegboard.plugins import Watching as AsyncWatching
from pegboard.reports import WatchReport

T_co = TypeVar("T_co", covariant=True)


class Stream(Generator[T_co, None, None]):
    """Gives what happens on the loop; whoever closes or forgets it cancels the rest."""

    __slots__ = ("_keeps", "_loop", "_reports", "_steps")

    def __init__(
        self,
        loop: BackgroundLoop,
        steps: AsyncGenerator[T_co, None],
        reports: Reports | None,
        keeps: object,
    ) -> None:
        self._loop = loop
        self._steps: AsyncGenerator[T_co, None] | None = steps
        self._reports = reports
        self._keeps = keeps

    def __next__(self) -> T_co:
        return self.send(None)

    def send(self, _: None, /) -> T_co:
        """Wait for what comes next."""
        if self._steps is None:
            raise StopIteration
        reports = self._reports
        try:
            if reports is None:
                return self._loop.run(self._steps.__anext__)
            return self._loop.run(self._steps.__anext__, hear=reports.hear, told=reports.told)
        except StopAsyncIteration:
            self._steps = None
        except BaseException:
            self._steps = None
            raise
        raise StopIteration

    def throw(self, kind: Any, error: Any = None, traceback: Any = None, /) -> T_co:
        """Cancel the rest, and raise."""
        self.close()
        return super().throw(kind, error, traceback)

    def close(self) -> None:
        """Cancel the rest, and wait until that has ended."""
        steps, self._steps = self._steps, None
        if steps is not None:
            with suppress(HostClosedError):
                self._loop.run(steps.aclose)


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
        except StopAsyncIteration:
            raise StopIteration from None

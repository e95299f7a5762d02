"""A progress bar for what takes long, where a person waits."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import attrs

from pegboard import Progress
from pegboard.cli.streams import Streams, legible

_PATIENCE = 0.4


def _nothing() -> None:
    """Nothing is shown."""


@attrs.define(eq=False)
class Waiting:
    """What shows that something goes on.

    Attributes:
        tell: tells it how far a call is; None where there is no terminal.
    """

    tell: Callable[[Progress], None] | None = None
    _show: Callable[[], None] = _nothing
    _hide: Callable[[], None] = _nothing
    _is_due: bool = False
    _is_paused: bool = False

    def begin(self) -> None:
        """Show it, unless it is paused."""
        self._is_due = True
        if not self._is_paused:
            self._show()

    def end(self) -> None:
        """Show nothing any more."""
        self._is_due = False
        self._hide()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to others while the block runs."""
        self._is_paused = True
        self._hide()
        try:
            yield
        finally:
            self._is_paused = False
            if self._is_due:
                self._show()


@asynccontextmanager
async def waiting(streams: Streams, what: str) -> AsyncIterator[Waiting]:
    """Show on a terminal that something goes on, once it has taken a moment."""
    if not streams.messages.isatty():
        yield Waiting()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bars = Bars(*columns, console=Console(file=streams.passing), transient=True)
    task = bars.add_task(legible(what), total=None)

    def tell(progress: Progress) -> None:
        text = progress.message or what
        bars.update(
            task, completed=progress.progress, total=progress.total, description=legible(text)
        )

    shown = Waiting(tell, bars.start, bars.stop)
    timer = asyncio.get_running_loop().call_later(_PATIENCE, shown.begin)
    try:
        yield shown
    finally:
        timer.cancel()
        shown.end()

"""A progress bar for what takes long, where a person waits."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pegboard import Progress
from pegboard.cli.streams import Streams, legible

_PATIENCE = 0.4


@asynccontextmanager
async def waiting(streams: Streams, what: str) -> AsyncIterator[Callable[[Progress], None] | None]:
    """Show on a terminal that something goes on, once it has taken a moment.

    Yields:
        what tells the bar how far a call is; None where there is no terminal.
    """
    if not streams.messages.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bars = Bars(*columns, console=Console(file=streams.messages), transient=True)
    task = bars.add_task(legible(what), total=None)

    def tell(progress: Progress) -> None:
        text = progress.message or what
        bars.update(
            task, completed=progress.progress, total=progress.total, description=legible(text)
        )

    timer = asyncio.get_running_loop().call_later(_PATIENCE, bars.start)
    try:
        yield tell
    finally:
        timer.cancel()
        bars.stop()

"""`--watch`: the same again after each change on disk, until somebody stops it."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pegboard import Board, Host, WatchReport
from pegboard.cli.asked import Asked, opened_board
from pegboard.cli.listing import print_tools, warn_of_failures
from pegboard.cli.mistakes import config_mistakes
from pegboard.cli.streams import Streams

_TERMINATED = 143
_MOST = 3


async def tools_again(streams: Streams, *, asked: Asked) -> int:
    """List the tools that a board shows, again and again."""

    async def once(host: Host, board: Board) -> None:
        warn_of_failures(host, streams)
        print_tools(board, streams, is_json=asked.is_json, is_one_of_many=True)

    return await again(streams, asked=asked, once=once)


async def again(
    streams: Streams, *, asked: Asked, once: Callable[[Host, Board], Awaitable[None]]
) -> int:
    """Do something with a board, and again whenever a change on disk has changed the host.

    Returns:
        the exit status, once SIGTERM has come; Ctrl-C raises.
    """

    async def work() -> None:
        async with (
            opened_board(streams, asked.read_config(), asked.board) as (host, board),
            host.watch(asked.config_file) as reports,
        ):
            await once(host, board)
            async for report in reports:
                tell(report, host, streams)
                if any(_done(report)):
                    await once(host, board)

    return await until_terminated(work())


def tell(report: WatchReport, host: Host, streams: Streams) -> None:
    """Say what a change has done; why something has failed, the host's log says."""
    for mistake in config_mistakes(host):
        streams.message(mistake)
    done = "; ".join(_done(report))
    if done:
        names = list(dict.fromkeys(Path(each).name for each in report.changed))
        more = ", …" if len(names) > _MOST else ""
        after = f" after a change of {', '.join(names[:_MOST])}{more}" if names else ""
        streams.message(f"{done}{after}")


def _done(report: WatchReport) -> Iterator[str]:
    sync = report.sync
    done = {"loaded": sync.loaded, "unloaded": sync.unloaded, "reloaded": sync.reloaded}
    for verb, names in done.items():
        if names:
            yield f"{verb} {', '.join(map(repr, names))}"
    if report.is_configured:
        yield "configured anew"


async def until_terminated(work: Coroutine[Any, Any, None]) -> int:
    """Run until it ends or SIGTERM comes; then leave it as Ctrl-C would."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    is_terminated = asyncio.Event()

    def stop() -> None:
        is_terminated.set()
        task.cancel()

    with suppress(NotImplementedError):  # Windows has no such signal
        loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        await task
    except asyncio.CancelledError:
        if not is_terminated.is_set():
            raise
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGTERM)
    return _TERMINATED if is_terminated.is_set() else 0

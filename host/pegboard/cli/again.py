"""`--watch`: the same again after each change on disk, until somebody stops it."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from pegboard import Board, Host, SyncReport, WatchReport
from pegboard.cli.asked import Asked, opened_board
from pegboard.cli.changes import change_lines
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
            teller = Teller(host, streams, is_served=False)
            async for report in reports:
                if teller.tell(report):
                    await once(host, board)

    return await until_terminated(work())


@attrs.define
class Teller:
    """Says what changes on disk have done to a host; why something failed, the host's log says.

    Attributes:
        host: what they change.
        streams: where it is said.
        is_served: whether operators can reach the host where the configuration says.
    """

    host: Host
    streams: Streams
    is_served: bool = True
    _mistakes: frozenset[str] = frozenset()

    def tell(self, report: WatchReport) -> bool:
        """Say what one change has done, and mistakes that weren't said before.

        Returns:
            whether it has done anything.
        """
        sync = report.sync
        changes = [each for each in sync.changes if self.is_served or each.path != "control"]
        mistakes = tuple(config_mistakes(self.host))
        new = [each for each in mistakes if each not in self._mistakes]
        self._mistakes = frozenset(mistakes)
        for line in (*new, *change_lines(changes, failed=sync.failed)):
            self.streams.message(line)
        done = "; ".join(_done(sync, is_configured=bool(changes)))
        if done:
            self.streams.message(f"{done}{_after(report.changed)}")
        return done != ""


def _after(changed: tuple[str, ...]) -> str:
    names = list(dict.fromkeys(Path(each).name for each in changed))
    more = ", …" if len(names) > _MOST else ""
    return f" after a change of {', '.join(names[:_MOST])}{more}" if names else ""


def _done(sync: SyncReport, *, is_configured: bool) -> Iterator[str]:
    done = {"loaded": sync.loaded, "unloaded": sync.unloaded, "reloaded": sync.reloaded}
    for verb, names in done.items():
        if names:
            yield f"{verb} {', '.join(map(repr, names))}"
    if is_configured:
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

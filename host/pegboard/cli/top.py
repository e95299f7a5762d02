"""`top`: what a host that runs is doing, again and again."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from pegboard.cli.again import until_terminated
from pegboard.cli.asked import Asked
from pegboard.cli.jsons import print_json
from pegboard.cli.reaching import ask_all, socket_of
from pegboard.cli.streams import Streams
from pegboard.cli.top_shown import live, printed
from pegboard.cli.top_told import Look, Rates
from pegboard.errors import ControlError

Show: TypeAlias = Callable[[Look], None]

_PATIENCE = 5.0


async def top(streams: Streams, *, asked: Asked, socket: Path | None, interval: float) -> int:
    """Show what the host does until stopped; where it goes, until it is back.

    Returns:
        the exit status, once SIGTERM has come; Ctrl-C raises.

    Raises:
        ControlError: there is no host to begin with.
    """
    path = socket_of(socket, asked.config)
    await ask_all(path, "status")

    async def work() -> None:
        with _shown(streams, is_json=asked.is_json) as show:
            async for look in _looks(path, interval):
                show(look)

    return await until_terminated(work())


async def _looks(path: Path, interval: float) -> AsyncIterator[Look]:
    rates = Rates()
    while True:
        begun = time.monotonic()
        try:
            found = await ask_all(path, "status", "running", "plugins", patience=_PATIENCE)
        except ControlError as error:
            yield Look(datetime.now(UTC), error=str(error))
        else:
            status, running, plugins = found
            yield Look(datetime.now(UTC), status, running, plugins, rates.since_last(status))
        await asyncio.sleep(max(0.0, begun + interval - time.monotonic()))


@contextmanager
def _shown(streams: Streams, *, is_json: bool) -> Iterator[Show]:
    """What shows one look after the other, in the way that suits who reads."""
    if is_json:
        yield lambda look: _print_json(look, streams)
    elif streams.is_terminal:
        with live(streams) as show:
            yield show
    else:
        yield printed(streams)


def _print_json(look: Look, streams: Streams) -> None:
    told: dict[str, Any] = attrs.asdict(look) | {"at": look.at.isoformat()}
    print_json(told, streams, is_one_of_many=True)

"""SIGHUP: the configuration is read again, and what that changes is told."""

from collections.abc import Iterator

from pegboard import ConfigError, Host, PegboardError, SyncReport
from pegboard.cli.asked import Asked
from pegboard.cli.changes import change_lines
from pegboard.cli.signals import Orders
from pegboard.cli.streams import Streams

_KEPT = "nothing has changed; what held before goes on"


async def reread_when_told(host: Host, orders: Orders, streams: Streams, *, asked: Asked) -> None:
    """Read the configuration again whenever that is asked for, until this is cancelled.

    Args:
        host: follows it.
        orders: ask for it.
        streams: where it is told what has changed.
        asked: where the configuration may have come to be.
    """
    while True:
        await orders.reread.wait()
        orders.reread.clear()
        if not orders.stop.is_set():
            for line in await _reread(host, asked):
                streams.message(line)


async def _reread(host: Host, asked: Asked) -> tuple[str, ...]:
    """What reading the configuration again has done, or why it has done nothing."""
    try:
        report = await host.sync(asked.found_file)
        return tuple(_lines(report, host)) or ("nothing has changed",)
    except ConfigError as error:
        return (*error.mistakes, _KEPT)
    except PegboardError as error:
        return (str(error), _KEPT)


def _lines(report: SyncReport, host: Host) -> Iterator[str]:
    yield from change_lines(report.changes, failed=report.failed)
    done = {"loaded": report.loaded, "unloaded": report.unloaded, "reloaded": report.reloaded}
    for verb, names in done.items():
        if names:
            yield f"{verb} {', '.join(map(repr, names))}"
    for name in report.failed:
        info = host.plugins.get(name)
        yield f"failed {name!r}: {info.error if info else 'it is gone'}"

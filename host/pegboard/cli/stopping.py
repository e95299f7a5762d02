"""Ending a host that serves: what runs has time to end, and the rest is told."""

import asyncio
from collections.abc import Iterator

from pegboard import DrainReport, Host, RunningCall
from pegboard.cli.signals import Orders
from pegboard.cli.streams import Streams

_TO_TAKE = 0.5


async def drained(host: Host, orders: Orders, streams: Streams) -> None:
    """Let no call begin, wait for those that run, and say what has become of them.

    Being told to hurry ends the waiting; bodies that don't stop have `stop_grace` all the same.
    Clients have a moment more then, also for calls that had ended right before: some ask for the
    tools before they take a result.
    """
    running = [each for each in host.running if not each.abandoned]
    if running:
        grace = f"{host.config.close_grace:g} s"
        streams.message(f"stopping: calls that run: {len(running)}; they have {grace}")
    report = await _drained(host, orders)
    for line in _lines(report):
        streams.message(line)
    await asyncio.sleep(_TO_TAKE)


async def _drained(host: Host, orders: Orders) -> DrainReport:
    async def hurry() -> None:
        await orders.hurry.wait()
        await host.drain(grace=0)  # the shortest time holds for who drains already

    hurrying = asyncio.create_task(hurry(), name="pegboard-serve-hurry")
    try:
        return await host.drain()
    finally:
        hurrying.cancel()


def _lines(report: DrainReport) -> Iterator[str]:
    """What has become of the calls that ran; nothing where none did."""
    if report.drained or report.cut_off:
        yield f"calls that ended by themselves: {report.drained}; cut off: {len(report.cut_off)}"
    for each in report.cut_off:
        yield f"cut off: {_named(each)}"
    for each in report.still_running:
        yield f"still running: {_named(each)}"


def _named(call: RunningCall) -> str:
    whose = f"call {call.call_id!r} of tool {call.tool!r} on board {call.board!r}"
    return f"{whose}, {call.age:.1f} s old, stage {call.stage!r}"

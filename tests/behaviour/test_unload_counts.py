"""An unloading counts each call once: it has ended by itself, was cancelled, or still runs."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from pegboard import Config, Host, RunContext, Signal, UnloadReport, hookimpl, tool
from pegboard.tools import Tool

QUICK = Config(stop_grace=0.2, close_grace=0.2)
Act = Callable[[Host, Signal], Awaitable[object]]


@tool
async def nap(context: RunContext) -> str:
    """Sleep until it is woken."""
    await context.deps.wait()
    return "rested"


class Bed:
    """A plugin with that tool."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """The tool."""
        return [nap]


async def unloaded_while(act: Act) -> tuple[UnloadReport, list[object]]:
    """What is reported of a plugin of which two calls run; then something happens to the first."""
    async with Host(QUICK, discover=False) as host:
        await host.load(Bed(), name="bed")
        events = [asyncio.Event(), asyncio.Event()]
        boards = [
            await host.board(name, deps=event) for name, event in zip("ab", events, strict=True)
        ]
        signal = Signal()
        first = asyncio.create_task(boards[0].call("nap", id="1", signal=signal))
        second = asyncio.create_task(boards[1].call("nap", id="2"))
        while sum(each.stage == "body" for each in host.running) < 2:
            await asyncio.sleep(0)
        unloading = asyncio.create_task(host.unload("bed", grace=100))
        while host.plugins["bed"].state != "draining":
            await asyncio.sleep(0)
        await act(host, signal)
        events[1].set()
        report = await unloading
        return report, [
            (await each).code if (await each).is_error else "ok" for each in (first, second)
        ]


async def by_board(host: Host, _signal: Signal) -> None:
    await host.boards["a"].cancel("enough")


async def by_operator(host: Host, _signal: Signal) -> None:
    await host.cancel("enough", call_id="1")


async def by_caller(_host: Host, signal: Signal) -> None:
    signal.cancel("enough")


async def by_closing_board(host: Host, _signal: Signal) -> None:
    await host.boards["a"].close(grace=0)


@pytest.mark.parametrize("act", [by_board, by_operator, by_caller, by_closing_board])
async def test_a_call_that_somebody_else_cancels_is_counted_as_cancelled(act: Act) -> None:
    report, ends = await unloaded_while(act)

    assert (report.drained, report.cancelled, report.still_running) == (1, 1, ())
    assert ends == ["aborted", "ok"]


@pytest.mark.parametrize("how", ["close", "drain"])
async def test_calls_that_end_with_the_host_are_counted_as_cancelled(how: str) -> None:
    async def end(host: Host, _signal: Signal) -> None:
        await (host.close(grace=0) if how == "close" else host.drain(grace=0))

    report, ends = await unloaded_while(end)

    assert (report.drained, report.cancelled) == (0, 2)
    assert ends == ["aborted", "aborted"]


async def test_calls_that_end_by_themselves_are_drained_also_if_their_callers_give_up_later() -> (
    None
):
    async with Host(QUICK, discover=False) as host:
        await host.load(Bed(), name="bed")
        event, signal = asyncio.Event(), Signal()
        board = await host.board("a", deps=event)
        call = asyncio.create_task(board.call("nap", signal=signal))
        while not any(each.stage == "body" for each in host.running):
            await asyncio.sleep(0)
        unloading = asyncio.create_task(host.unload("bed", grace=100))
        await asyncio.sleep(0.01)
        event.set()
        await call
        signal.cancel("too late")
        report = await unloading

    assert (report.drained, report.cancelled) == (1, 0)

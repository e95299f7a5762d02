"""What a call costs without async, beside what it costs to have a loop in another thread do it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest
from pegboard import Board, Host, tool
from pegboard import blocking as blocking_hosts
from side_by_side import measure
from ways import ARGUMENTS, ID, a_board, add


@contextmanager
def a_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@contextmanager
def on_a_loop(loop: asyncio.AbstractEventLoop) -> Iterator[Board]:
    """A board with the tool of the benchmarks, whose host is open on another loop."""

    async def opened() -> Board:
        await host.open()
        return await host.board("bench")

    host = Host(discover=False)
    host.register(tool(add))
    yield asyncio.run_coroutine_threadsafe(opened(), loop).result()
    asyncio.run_coroutine_threadsafe(host.close(), loop).result()


def waiting(function: Callable[[], object]) -> Callable[[], Awaitable[object]]:
    """A way that waits in this thread."""

    async def way() -> object:
        return function()

    return way


async def nothing() -> None:
    """Give nothing."""


async def test_a_call_without_async_costs_what_another_thread_costs_and_little_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ask = asyncio.run_coroutine_threadsafe
    with a_loop() as loop, on_a_loop(loop) as far, blocking_hosts.Host(discover=False) as host:
        host.register(tool(add))
        board = host.board("bench")
        async with a_board(add) as near:
            ways = {
                "await, on this loop": lambda: near.call("add", ARGUMENTS, id=ID),
                "nothing, by another thread": waiting(lambda: ask(nothing(), loop).result()),
                "call, by another thread": waiting(
                    lambda: ask(far.call("add", ARGUMENTS, id=ID), loop).result()
                ),
                "blocking": waiting(lambda: board.call("add", ARGUMENTS, id=ID)),
                "blocking (again)": waiting(lambda: board.call("add", ARGUMENTS, id=ID)),
            }
            figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("one call, waited for", "call, by another thread"))
    assert figures.ratio("blocking", "call, by another thread") < 1.1

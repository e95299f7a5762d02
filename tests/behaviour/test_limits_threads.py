"""A minute and a number of calls hold for bodies, which may have to wait for a thread."""

import asyncio
import threading
import time
from unittest.mock import patch

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import Board, Host, Outcome, Signal, Tool, tool
from pegboard.plugins.builtin.limits_counts import Tally
from pegboard_limits import denied, limited, passes

WINDOW = 0.3


@attrs.define
class Bodies:
    """Bodies that hold their threads until they are let go."""

    gate: threading.Event = attrs.field(factory=threading.Event)
    begun: list[float] = attrs.field(factory=list)

    def tool(self) -> Tool:
        """A tool that has them."""

        @tool
        def hold() -> None:
            self.begun.append(time.monotonic())
            self.gate.wait(10)

        return hold


async def waiting(
    host: Host, board: Board, bodies: Bodies, many: int
) -> list["asyncio.Task[Outcome]"]:
    """Calls of which the first holds the only thread."""
    host.register(bodies.tool())
    calls = [asyncio.ensure_future(board.call("hold", id=f"c{n}")) for n in range(many)]
    async with asyncio.timeout(5):
        while not bodies.begun:
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.02)
    return calls


async def test_no_more_bodies_begin_within_a_minute_than_may_however_long_they_wait() -> None:
    bodies = Bodies()
    config = limited({"tools": ["hold"], "per_minute": 2}, max_threads=1)
    with patch("pegboard.plugins.builtin.limits_counts.WINDOW", WINDOW):
        async with Host(config, discover=False) as host:
            board = await host.board("a")
            calls = await waiting(host, board, bodies, 2)
            for _ in range(40):
                await asyncio.sleep(0.02)
                calls.append(asyncio.ensure_future(board.call("hold")))
                if len(calls) == 30:
                    bodies.gate.set()
            await asyncio.gather(*calls)

    begun = sorted(bodies.begun)
    assert len(begun) > 2
    assert [one for one, third in zip(begun, begun[2:], strict=False) if third - one < WINDOW] == []


async def test_a_call_that_waits_for_a_thread_holds_its_place_and_gives_it_back() -> None:
    bodies, signal = Bodies(), Signal()
    config = limited({"tools": ["hold"], "per_minute": 1}, max_threads=1)

    @tool
    def block() -> None:
        bodies.begun.append(1.0)
        bodies.gate.wait(10)

    async with Host(config, discover=False) as host:
        board = await host.board("a")
        host.register(block)
        first = asyncio.ensure_future(board.call("block"))
        while not bodies.begun:
            await asyncio.sleep(0.005)
        host.register(bodies.tool())
        second = asyncio.ensure_future(board.call("hold", signal=signal))
        await asyncio.sleep(0.02)
        told = await denied(board, "hold")
        signal.cancel()
        await second
        bodies.gate.set()
        await first

        await passes(board, "hold")
    assert told.endswith("try again in 60 s, or once one of them is cancelled before it begins")


async def test_what_may_be_given_back_is_not_said_to_be_over_for_good() -> None:
    bodies, signal = Bodies(), Signal()
    config = limited({"tools": ["hold"], "calls": 2}, max_threads=1)
    async with Host(config, discover=False) as host:
        board = await host.board("a")
        calls = await waiting(host, board, bodies, 1)
        calls.append(asyncio.ensure_future(board.call("hold", signal=signal)))
        await asyncio.sleep(0.02)
        before = await denied(board, "hold")
        signal.cancel()
        await calls[1]
        calls.append(asyncio.ensure_future(board.call("hold")))
        bodies.gate.set()
        await asyncio.gather(*calls)
        after = await denied(board, "hold")

    assert before.endswith("try again only if one of them is cancelled before it begins")
    assert after.endswith("don't try again, not on this board any more")


@attrs.define
class Body:
    """A call as `Tally` sees it."""

    began: float = 0.0


STEPS = st.lists(
    st.tuples(st.sampled_from(["ask", "begin", "end", "pass"]), st.integers(0, 9)), max_size=60
)


@pytest.mark.parametrize("most", [1, 2, 3])
@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_however_long_calls_wait_no_minute_has_more_that_begin_than_may(
    most: int, steps: list[tuple[str, int]]
) -> None:
    tally, now = Tally(), 1_000.0
    waits: list[Body] = []
    begun: list[float] = []
    for step, number in steps:
        match step:
            case "ask" if tally.wait(most, now) == 0:
                waits.append(Body())
                tally.count(waits[-1])
            case "begin" if waits:
                call = waits.pop(number % len(waits))
                call.began = now
                if number % 2:
                    tally.settle(call)
                begun.append(now)
            case "end" if waits:
                tally.give_back(waits.pop(number % len(waits)))
            case _:
                now += 7 * number

    assert all(last - first >= 60 for first, last in zip(begun, begun[most:], strict=False))
    assert tally.calls == len(begun) + len(waits)

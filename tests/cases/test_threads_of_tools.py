"""The cases of section Time limits: calls that wait for a thread."""

import asyncio
from typing import Any

from pegboard import JSON, Code, Config, RunContext, Signal, Timing, Tool
from pegboard_cases import raw
from pegboard_policies import PATIENCE, failed, gate, kind, plugin_with, standing, turns, until

ONE = Config(max_threads=1, stop_grace=0.05)


def holding(event: Any, ran: list[str], **options: Any) -> Tool:
    """A tool that notes its call and holds its thread until an event."""

    def hold(arguments: JSON, context: RunContext) -> str:
        ran.append(context.call_id)
        event.wait(60)
        return "done"

    return raw(hold, **options)


async def test_p_174_a_call_that_waits_in_vain_for_a_thread_never_runs() -> None:
    ran: list[str] = []
    with gate() as released:
        patient = holding(released, ran, name="patient")
        hasty = holding(released, ran, name="hasty", timeout=0.05)
        async with standing(patient, hasty, config=ONE) as (host, board):
            first = asyncio.create_task(board.call("patient", id="1"))
            await until(lambda: ran)
            second = failed(await board.call("hasty", id="2"), Code.TIMED_OUT)
            assert [each.call_id for each in host.running] == ["1"]
            released.set()
            assert kind(await first) == "ok"
            third = await board.call("patient", id="3")

    assert (second.details, kind(third), ran) == (None, "ok", ["1", "3"])


async def test_p_174_a_call_that_is_cancelled_while_it_waits_for_a_thread_never_started() -> None:
    ran: list[str] = []
    signal = Signal()
    with gate() as released:
        async with standing(holding(released, ran), config=ONE) as (host, board):
            first = asyncio.create_task(board.call("raw", id="1"))
            await until(lambda: ran)
            second = asyncio.create_task(board.call("raw", id="2", signal=signal))
            await turns(3)
            signal.cancel("enough")
            ended = await asyncio.wait_for(second, PATIENCE)
            assert [each.call_id for each in host.running] == ["1"]
            released.set()
            assert kind(await first) == "ok"

    assert failed(ended, Code.ABORTED_BEFORE_START).message == "enough"
    assert ran == ["1"]


async def test_p_174_the_wait_for_a_thread_is_told_apart() -> None:
    ran: list[str] = []
    told: list[Timing] = []

    def tell(timing: Timing) -> None:
        told.append(timing)

    with gate() as released:
        async with standing(holding(released, ran), config=ONE) as (host, board):
            host.hook(call_finished=tell)
            tasks = [asyncio.create_task(board.call("raw")) for _ in range(2)]
            await until(lambda: ran)
            await asyncio.sleep(0.05)
            released.set()
            await asyncio.gather(*tasks)

    assert told[0].waited < told[0].body
    assert 0.04 < told[1].waited <= told[1].total
    assert told[1].body < told[1].waited


async def test_p_174_calls_that_wait_get_their_thread_in_the_order_in_which_they_came() -> None:
    ran: list[str] = []
    with gate() as released:
        async with standing(holding(released, ran), config=ONE) as (_, board):
            tasks = [asyncio.create_task(board.call("raw", id=str(each))) for each in range(5)]
            await until(lambda: ran)
            released.set()
            await asyncio.gather(*tasks)

    assert ran == ["0", "1", "2", "3", "4"]


async def test_p_174_a_stuck_thread_leaves_the_others_of_its_plugin_at_work() -> None:
    ran: list[str] = []
    config = Config(max_threads=2, stop_grace=0.02)
    with gate() as released:
        stay = holding(released, ran, name="stay", timeout=0.02)
        ping = raw(lambda *_: "pong", name="ping")
        async with standing(config=config) as (host, board):
            await host.load(plugin_with(stay, ping), name="p")
            stuck = await board.call("stay")
            pinged = [kind(await board.call("ping")) for _ in range(3)]
            released.set()
            await until(lambda: not host.running)

    assert (kind(stuck), pinged) == ("timed_out", ["ok"] * 3)

"""Programs, runtimes and calls that don't stop when they are told to."""

import asyncio

import pytest
from pegboard import (
    Code,
    CodeConfig,
    Config,
    Signal,
    ToolConfig,
)
from pegboard_policies import PATIENCE, failed, succeeded, turns, until
from pegboard_programs import (
    LATE,
    Stop,
    Stubborn,
    by_signal,
    by_the_board,
    by_unloading_the_runtime,
    coded,
    running,
)

SOON = Config(stop_grace=LATE)


@pytest.mark.parametrize("stop", [by_signal, by_the_board, by_unloading_the_runtime])
async def test_a_runtime_that_does_not_stop_is_left_behind_and_listed_until_it_ends(
    stop: Stop,
) -> None:
    stubborn, signal = Stubborn(), Signal()
    async with coded(stubborn.run, config=SOON) as (host, board):
        program = asyncio.create_task(running(board, signal=signal))
        await stubborn.started.wait()
        await stop(host, board, signal)
        failure = failed(await asyncio.wait_for(program, PATIENCE), Code.ABORTED)
        listed = [(each.call_id, each.plugin, each.abandoned) for each in host.running]
        stubborn.released.set()
        await until(lambda: not host.running)

    assert failure.details == {"logs": "", "still_running": True}
    assert listed == [("p", "runtime", True)]


async def test_a_runtime_that_does_not_stop_in_time_is_listed_after_a_timeout_too() -> None:
    stubborn = Stubborn()
    config = Config(stop_grace=LATE, code=CodeConfig(wall_time=LATE))
    async with coded(stubborn.run, config=config) as (host, board):
        failure = failed(await running(board), Code.CODE_FAILED)
        listed = [(each.call_id, each.abandoned) for each in host.running]
        stubborn.released.set()
        await until(lambda: not host.running)

    assert failure.details["kind"] == "timeout"
    assert failure.details["still_running"] is True
    assert listed == [("p", True)]


async def test_cancelling_again_while_a_runtime_has_its_time_to_stop_changes_nothing() -> None:
    stubborn = Stubborn()
    async with coded(stubborn.run, config=SOON) as (host, board):
        program = asyncio.create_task(running(board))
        await stubborn.started.wait()
        program.cancel()
        await until(lambda: stubborn.told)
        program.cancel()
        with pytest.raises(asyncio.CancelledError):
            await program
        assert [each.abandoned for each in host.running] == [True]
        stubborn.released.set()
        await until(lambda: not host.running)

    assert stubborn.told == 1


async def test_a_host_closes_although_a_runtime_does_not_stop() -> None:
    stubborn = Stubborn()
    async with coded(stubborn.run, config=SOON) as (host, board):
        program = asyncio.create_task(running(board))
        await stubborn.started.wait()
        await asyncio.wait_for(host.close(grace=0), PATIENCE)
        outcome = await program

    assert failed(outcome, Code.ABORTED).details["still_running"] is True
    stubborn.released.set()
    await turns(5)


async def test_a_runtime_that_does_not_stop_keeps_its_place_among_those_that_may_run() -> None:
    stubborn, signal = Stubborn(), Signal()
    config = Config(stop_grace=LATE, tools={"run_code": ToolConfig(max_running=1)})
    async with coded(stubborn.run, config=config) as (_, board):
        program = asyncio.create_task(running(board, signal=signal))
        await stubborn.started.wait()
        signal.cancel()
        await program
        second = asyncio.create_task(running(board, "q"))
        await turns(20)
        held_back = not second.done()
        stubborn.released.set()
        outcome = await second

    assert held_back
    assert succeeded(outcome).value["result"] == "late"

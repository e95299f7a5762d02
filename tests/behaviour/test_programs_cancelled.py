"""Programs that are cancelled, from every side, and what doesn't stop when it is told to."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    JSON,
    Code,
    Config,
    ProgramError,
    RunContext,
    Signal,
    ToolConfig,
)
from pegboard_cases import raw, says
from pegboard_policies import PATIENCE, Held, failed, kind, plugin_with, succeeded, turns, until
from pegboard_programs import LATE, STOPS, Inside, Runtime, Seen, Stop, coded, running, waiting

SOON = Config(stop_grace=LATE)


async def one_held(it: Inside) -> JSON:
    """Print, and make a call that waits, and another after it."""
    it.output("begun")
    first, _ = it.make("held"), it.make("held")
    return await first


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("ends", ["stops", "goes on"])
async def test_each_call_of_a_stopped_program_has_one_outcome_before_the_outer_one(
    stop: Stop, ends: str
) -> None:
    held, seen, signal = Held(ends), Seen(), Signal()
    async with coded(one_held, held.tool(), config=SOON) as (host, board):
        seen.on(host)
        program = asyncio.create_task(running(board, signal=signal))
        await held.started.wait()
        await stop(host, board, signal)
        failure = failed(await asyncio.wait_for(program, PATIENCE), Code.ABORTED)
        held.released.set()

    assert [(each.call_id, kind(each)) for _, each in seen.finished] == [
        ("p:code:1", "aborted"),
        ("p:code:2", "aborted_before_start"),
        ("p", "aborted"),
    ]
    going_on = {"still_running": True} if ends == "goes on" else {}
    assert failure.details == {"logs": "begun"} | going_on


@pytest.mark.parametrize("ends", ["stops", "goes on"])
async def test_cancelling_who_awaits_a_program_stops_it_and_its_calls_first(ends: str) -> None:
    held, seen = Held(ends), Seen()
    async with coded(one_held, held.tool(), config=SOON) as (host, board):
        seen.on(host)
        program = asyncio.create_task(running(board))
        await held.started.wait()
        program.cancel()
        with pytest.raises(asyncio.CancelledError):
            await program
        held.released.set()
        await until(lambda: not host.running)

    assert seen.ids == ["p:code:1", "p:code:2", "p"]


@pytest.mark.parametrize("ends", ["stops", "goes on"])
async def test_the_time_limit_of_run_code_stops_a_program_and_keeps_what_it_printed(
    ends: str,
) -> None:
    held, seen = Held(ends), Seen()
    config = Config(stop_grace=LATE, tools={"run_code": ToolConfig(timeout=LATE)})
    async with coded(one_held, held.tool(), config=config) as (host, board):
        seen.on(host)
        failure = failed(await running(board), Code.TIMED_OUT)
        held.released.set()

    going_on = {"still_running": True} if ends == "goes on" else {}
    assert failure.details == {"logs": "begun"} | going_on
    assert [kind(each) for _, each in seen.finished] == [
        "aborted",
        "aborted_before_start",
        "timed_out",
    ]


async def test_a_fault_of_the_program_stays_though_it_is_cancelled_while_its_calls_end() -> None:
    held, signal = Held("goes on"), Signal()

    async def body(it: Inside) -> None:
        it.make("held")
        await held.started.wait()
        raise ProgramError("exception", "its own fault", line=2)

    async with coded(body, held.tool(), config=Config(stop_grace=1)) as (_, board):
        program = asyncio.create_task(running(board, signal=signal))
        await until(lambda: held.left)
        signal.cancel("enough")
        held.released.set()
        failure = failed(await program, Code.CODE_FAILED)

    assert (failure.message, failure.details["line"]) == ("its own fault", 2)


async def test_a_result_does_not_stand_if_it_is_cancelled_while_its_calls_end() -> None:
    held, signal = Held("goes on"), Signal()

    async def body(it: Inside) -> str:
        it.output("printed")
        it.make("held")
        await held.started.wait()
        return "done"

    async with coded(body, held.tool(), config=Config(stop_grace=1)) as (_, board):
        program = asyncio.create_task(running(board, signal=signal))
        await until(lambda: held.left)
        signal.cancel("enough")
        held.released.set()
        failure = failed(await program, Code.ABORTED)

    assert failure.details == {"logs": "printed"}


async def test_a_call_that_does_not_stop_at_the_end_is_noted_on_the_success() -> None:
    held = Held("goes on")

    async def body(it: Inside) -> str:
        it.make("held")
        await held.started.wait()
        return "done"

    async with coded(body, held.tool(), config=SOON) as (host, board):
        outcome = succeeded(await running(board))
        listed = [each.call_id for each in host.running]
        held.released.set()
        await until(lambda: not host.running)

    assert outcome.notes == ("call 'p:code:1' still runs",)
    assert listed == ["p:code:1"]


async def test_a_program_that_was_cancelled_before_it_began_never_reaches_its_runtime() -> None:
    runtime, signal = Runtime(waiting), Signal()
    signal.cancel("enough")
    async with coded(waiting) as (host, board):
        await host.load(runtime, name="nearer", board=board)
        failure = failed(await running(board, signal=signal), Code.ABORTED_BEFORE_START)

    assert (failure.message, runtime.ran) == ("enough", [])


async def test_unloading_the_plugin_of_a_nested_tool_fails_that_call_and_the_program_goes_on() -> (
    None
):
    held = Held()

    async def body(it: Inside) -> JSON:
        (error,) = await asyncio.gather(it.make("held"), return_exceptions=True)
        (gone,) = await asyncio.gather(it.make("held"), return_exceptions=True)
        return [str(error), str(gone)]

    async with coded(body) as (host, board):
        await host.load(plugin_with(held.tool()), name="other")
        program = asyncio.create_task(running(board))
        await held.started.wait()
        await host.unload("other", grace=0)
        first, second = succeeded(await program).value["result"]

    assert "unload" in first
    assert says(second, "unknown tool 'held'")


async def test_unloading_the_runtime_waits_for_a_program_that_ends_in_time() -> None:
    held = Held()

    async def body(it: Inside) -> JSON:
        return await it.make("held")

    async with coded(body, held.tool()) as (host, board):
        program = asyncio.create_task(running(board))
        await held.started.wait()
        unloading = asyncio.create_task(host.unload("runtime"))
        await turns(5)
        held.released.set()
        outcome, report = await program, await unloading

    assert succeeded(outcome).value["result"] == "late"
    assert not report.still_running


async def test_a_tool_that_stops_its_own_board_stops_the_program_that_calls_it() -> None:
    async def stop(arguments: JSON, context: RunContext) -> str:
        await boards[0].cancel("the tool says so")
        await asyncio.Event().wait()
        return "never"

    async def body(it: Inside) -> JSON:
        return await it.make("raw")

    boards: list[Any] = []
    async with coded(body, raw(stop)) as (host, board):
        boards.append(board)
        failure = failed(await asyncio.wait_for(running(board), PATIENCE), Code.ABORTED)
        assert host.running == ()

    assert failure.message == "the tool says so"


@pytest.mark.parametrize("number", range(0, 40, 3))
async def test_cancelling_after_any_number_of_turns_gives_every_call_one_outcome(
    number: int,
) -> None:
    seen, signal = Seen(), Signal()

    async def pause(arguments: JSON, context: RunContext) -> None:
        await turns(3)

    async def body(it: Inside) -> None:
        for _ in range(3):
            await asyncio.gather(it.make("raw"), it.make("raw"))

    async with coded(body, raw(pause, concurrency_safe=True)) as (host, board):
        seen.on(host)
        program = asyncio.create_task(running(board, signal=signal))
        await turns(number)
        signal.cancel("enough")
        outcome = await program
        assert host.running == ()

    assert kind(outcome) in {"ok", "aborted", "aborted_before_start"}
    assert seen.ids == [f"p:code:{each}" for each in range(1, len(seen.ids))] + ["p"]

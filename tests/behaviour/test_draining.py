"""A host that is about to end: what runs has its time, nothing more begins, all calls end."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    Code,
    Config,
    Failure,
    Host,
    RunContext,
    Success,
    ToolCall,
    WrongArgumentError,
    tool,
)
from pegboard_lives import named, offering

QUICK = Config(stop_grace=0.2, close_grace=0.2)


@tool
async def nap(seconds: float) -> str:
    """Sleep."""
    await asyncio.sleep(seconds)
    return "rested"


@tool
async def stubborn(context: RunContext) -> str:
    """Swallow every cancellation until it is let go."""
    while not context.deps.is_set():
        try:
            await context.deps.wait()
        except asyncio.CancelledError:
            continue
    return "done"


@tool
async def outer(context: RunContext) -> Any:
    """Wait a moment, then call another tool."""
    await asyncio.sleep(0.1)
    return (await context.call("inner", {})).unwrap()


async def begun(host: Host, count: int) -> None:
    """Return once so many calls run their bodies."""
    while sum(each.stage == "body" for each in host.running) < count:
        await asyncio.sleep(0)


def code_of(outcome: object) -> Code:
    """How a call failed."""
    assert isinstance(outcome, Failure)
    return outcome.code


async def test_calls_that_end_within_the_time_are_drained() -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(nap)
        board = await host.board("a")
        calls = [asyncio.create_task(board.call("nap", {"seconds": 0.05})) for _ in range(3)]
        await begun(host, 3)

        report = await host.drain(grace=5)

        assert (report.drained, report.cut_off, report.still_running) == (3, (), ())
        assert [(await each).unwrap() for each in calls] == ["rested"] * 3


async def test_calls_that_last_longer_are_cut_off_on_all_boards_at_once_and_named() -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(nap)
        boards = [await host.board(f"b{number}") for number in range(20)]
        calls = [
            asyncio.create_task(board.call("nap", {"seconds": 60}, id=f"call-{board.name}"))
            for board in boards
        ]
        await begun(host, 20)

        async with asyncio.timeout(3):  # one limit for all, not one for each
            report = await host.drain()

        assert [each.call_id for each in report.cut_off] == [f"call-b{n}" for n in range(20)]
        assert (report.drained, report.still_running) == (0, ())
        assert {code_of(await each) for each in calls} == {Code.ABORTED}


async def test_a_call_that_begins_afterwards_never_starts_and_says_why() -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")
        await host.drain()

        single = await board.call("own")
        batch = await board.run([ToolCall("1", "own"), ToolCall("2", "unheard_of")])

        codes = {code_of(each) for each in (single, *batch)}
        assert codes == {Code.ABORTED_BEFORE_START}
        assert isinstance(single, Failure)
        assert single.message == "the host is shutting down"


async def test_a_call_inside_one_that_runs_still_runs() -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(outer)
        host.register(named("inner"))
        board = await host.board("a")
        call = asyncio.create_task(board.call("outer"))
        await begun(host, 1)

        report = await host.drain(grace=5)

        assert report.drained == 1
        assert (await call).unwrap() == "inner"


async def test_a_body_that_does_not_stop_is_named_and_goes_on() -> None:
    let_go = asyncio.Event()
    async with Host(QUICK, discover=False) as host:
        host.register(stubborn)
        board = await host.board("a", deps=let_go)
        call = asyncio.create_task(board.call("stubborn", id="deaf"))
        await begun(host, 1)

        report = await host.drain(grace=0)

        assert [each.call_id for each in report.cut_off] == ["deaf"]
        assert [(each.call_id, each.abandoned) for each in report.still_running] == [("deaf", True)]
        assert code_of(await call) is Code.ABORTED
        let_go.set()


async def test_a_batch_that_runs_gets_an_outcome_for_each_call() -> None:
    calls = [ToolCall(str(n), "nap", {"seconds": 0.01 if n == 0 else 60}) for n in range(5)]
    async with Host(QUICK, discover=False) as host:
        host.register(nap)
        board = await host.board("a")
        batch = asyncio.create_task(board.run(calls))
        await begun(host, 1)

        await host.drain(grace=5)
        outcomes = await batch

        assert [each.call_id for each in outcomes] == ["0", "1", "2", "3", "4"]
        assert isinstance(outcomes[0], Success)
        assert {code_of(each) for each in outcomes[1:]} == {Code.ABORTED_BEFORE_START}


async def test_a_host_is_ready_until_it_drains_and_says_so() -> None:
    host = Host(QUICK, discover=False)
    before = host.is_ready
    async with host:
        open_ = host.is_ready
        await host.drain()
        draining = host.status()

    assert (before, open_, draining.is_ready, draining.is_draining) == (False, True, False, True)
    assert (host.is_ready, host.status().is_draining) == (False, False)


async def test_a_host_is_not_ready_while_a_required_plugin_is_missing() -> None:
    async with Host(Config(required=("ask",)), discover=False) as host:
        without = host.is_ready
        await host.load(offering("ask"), name="ask")
        loaded = host.is_ready
        await host.unload("ask", force=True)

        assert (without, loaded, host.is_ready) == (False, True, False)


async def test_closing_gives_calls_of_all_boards_one_time_together() -> None:
    host = await Host(QUICK, discover=False).open()
    host.register(nap)
    boards = [await host.board(f"b{number}") for number in range(20)]
    calls = [asyncio.create_task(board.call("nap", {"seconds": 60})) for board in boards]
    await begun(host, 20)

    async with asyncio.timeout(3):
        await host.close(grace=0.2)

    assert {code_of(await each) for each in calls} == {Code.ABORTED}


async def test_the_figures_of_a_host_tell_what_runs_and_what_is_loaded() -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(nap)
        await host.load(offering("ask"), name="ask")
        board = await host.board("a")
        call = asyncio.create_task(board.call("nap", {"seconds": 60}))
        await begun(host, 1)
        status = host.status()
        await host.cancel(board="a")

        assert (status.running, status.parked, status.abandoned, status.boards) == (1, 0, 0, 1)
        assert dict(status.plugins)["loaded"] >= 1
        assert code_of(await call) is Code.ABORTED
        assert host.status().running == 0


async def test_where_several_drain_the_shortest_time_holds_and_each_tells_the_truth() -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(nap)
        board = await host.board("a")
        calls = [asyncio.create_task(board.call("nap", {"seconds": 60})) for _ in range(4)]
        await begun(host, 4)

        async with asyncio.timeout(5):
            reports = await asyncio.gather(*(host.drain(grace=each) for each in (30, 60, 0.05)))

        assert [(each.drained, len(each.cut_off)) for each in reports] == [(0, 4)] * 3
        assert {code_of(await each) for each in calls} == {Code.ABORTED}


@pytest.mark.parametrize("grace", ["x", -1, float("nan"), float("inf"), True, None])
async def test_a_time_that_is_none_is_refused_and_the_host_goes_on(grace: Any) -> None:
    async with Host(QUICK, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")
        if grace is not None:
            with pytest.raises(WrongArgumentError, match="grace takes seconds"):
                await host.drain(grace=grace)
        with pytest.raises(WrongArgumentError, match="grace takes seconds"):
            await host.close(grace=grace)

        assert host.is_ready
        assert (await board.call("own")).unwrap() == "own"

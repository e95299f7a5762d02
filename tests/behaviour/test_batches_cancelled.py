"""Batches that are cancelled: nothing more starts, what runs stops, each call has its outcome."""

import asyncio
from typing import Any

import pytest
from pegboard import BoardError, Config, Execution, RunContext, Signal, ToolCall
from pegboard.testing import RecordingPlugin, host_with
from pegboard_batches import Gated, ask, calls, ids, keyed
from pegboard_cases import board_with, raw
from pegboard_policies import Held, kind, plugin_with, standing, turns, until


async def test_a_batch_whose_signal_is_cancelled_already_starts_no_body() -> None:
    gated, recorder, signal = Gated(is_open=True), RecordingPlugin(), Signal()
    signal.cancel("enough")
    mixed = [*calls("12"), ToolCall("3", "alone"), ToolCall("4", "none"), *calls("1")]
    async with host_with(recorder) as host:
        host.register(gated.free())
        host.register(gated.tool("alone"))
        board = await host.board("a")
        outcomes = await board.run(mixed, signal=signal)

    never = ["aborted_before_start"] * 3
    assert [kind(each) for each in outcomes] == [*never, "unknown_tool", "invalid_call"]
    assert [outcome for _, outcome, _ in recorder.finished] == outcomes
    assert gated.log == []


async def test_a_before_hook_that_cancels_the_signal_lets_nothing_start() -> None:
    gated, signal = Gated(is_open=True), Signal()
    async with standing(gated.free()) as (host, board):
        host.hook(before_call=lambda: signal.cancel("stop"))
        outcomes = await board.run(calls("12"), signal=signal)

    assert [kind(each) for each in outcomes] == ["aborted_before_start"] * 2
    assert gated.log == []


async def test_cancelling_stops_what_runs_and_keeps_what_has_landed() -> None:
    gated, signal = Gated(), Signal()
    gated.let("1")
    async with board_with(gated.free()) as board:
        batch = asyncio.create_task(board.run(calls("1234"), signal=signal, max_parallel=2))
        await gated.started("2", "3")
        signal.cancel("enough")
        outcomes = await batch

    assert [kind(each) for each in outcomes] == ["ok", "aborted", "aborted", "aborted_before_start"]
    assert gated.log == ["+1", "-1", "+2", "+3", "-2", "-3"] or gated.running == set()
    assert [each.message for each in outcomes[1:]] == ["enough"] * 3


async def test_a_call_that_waits_for_a_key_ends_as_soon_as_it_is_cancelled() -> None:
    held, signal = Held(ends="goes on"), Signal()
    tool = held.tool(concurrency_safe=lambda _: "a")
    async with board_with(tool, config=Config(stop_grace=60.0)) as board:
        batch = asyncio.create_task(board.run(calls("12", tool="held"), signal=signal))
        await held.started.wait()
        signal.cancel("enough")
        await until(lambda: held.left == ["cancelled"])
        await turns(5)
        stages = {each.call_id: each.stage for each in board.running}
        held.released.set()
        outcomes = await batch

    assert stages.keys() == {"1", "2"}
    assert [kind(each) for each in outcomes] == ["aborted", "aborted_before_start"]
    assert held.left == ["cancelled", "ended"]


async def test_a_signal_may_be_cancelled_from_another_thread() -> None:
    gated, signal = Gated(), Signal()
    async with board_with(gated.free()) as board:
        batch = asyncio.create_task(board.run(calls("123"), signal=signal, max_parallel=2))
        await gated.started("1", "2")
        await asyncio.to_thread(signal.cancel, "enough")
        outcomes = await batch

    assert [kind(each) for each in outcomes] == ["aborted", "aborted", "aborted_before_start"]


async def test_cancelling_ends_a_pending_approval() -> None:
    gated, asked, signal = Gated(), asyncio.Event(), Signal()

    async def approve() -> None:
        asked.set()
        await asyncio.Event().wait()

    async with standing(gated.free()) as (host, board):
        host.hook(before_call=ask, approve=approve)
        batch = asyncio.create_task(board.run(calls("12"), signal=signal))
        await asked.wait()
        signal.cancel("enough")
        outcomes = await batch

    assert [kind(each) for each in outcomes] == ["aborted_before_start"] * 2


async def test_a_body_that_goes_on_is_told_of_and_listed_until_it_ends() -> None:
    held, signal = Held(ends="goes on"), Signal()
    async with board_with(held.tool(), config=Config(stop_grace=0.05)) as board:
        batch = asyncio.create_task(board.run(calls("12", tool="held"), signal=signal))
        await held.started.wait()
        signal.cancel("enough")
        outcomes = await batch
        left = [(each.call_id, each.abandoned) for each in board.running]
        held.released.set()
        await until(lambda: not board.running)

    assert [kind(each) for each in outcomes] == ["aborted", "aborted_before_start"]
    assert outcomes[0].details == {"still_running": True}
    assert left == [("1", True)]


async def test_a_cancelled_caller_is_cancelled_once_every_call_has_its_outcome() -> None:
    gated, recorder = Gated(), RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(gated.free())
        board = await host.board("a")
        batch = asyncio.create_task(board.run(calls("123"), max_parallel=2))
        await gated.started("1", "2")
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch
        left = board.running

    seen = [(outcome.call_id, kind(outcome)) for _, outcome, _ in recorder.finished]
    assert seen == [("1", "aborted"), ("2", "aborted"), ("3", "aborted_before_start")]
    assert (gated.running, left) == (set(), ())


@pytest.mark.parametrize("stage", ["before_call", "after_call", "call_finished", "guard"])
async def test_a_caller_that_is_cancelled_in_a_hook_gets_no_outcome_and_leaves_nothing(
    stage: str,
) -> None:
    gated, inside = Gated(), asyncio.Event()
    gated.let("1")

    async def wait(execution: Execution) -> None:
        is_after = stage in {"after_call", "call_finished"}
        if not inside.is_set() and (is_after or execution.call_id == "2"):
            inside.set()
            await asyncio.sleep(60)

    async with standing(gated.free()) as (host, board):
        host.guard(wait) if stage == "guard" else host.hook(**{stage: wait})
        batch = asyncio.create_task(board.run(calls("123")))
        await inside.wait()
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch
        left = board.running

    assert (gated.running, left) == (set(), ())
    assert stage in {"after_call", "call_finished"} or "+3" not in gated.log


async def test_a_tool_that_cancels_its_own_task_fails_alone() -> None:
    async def suicidal(arguments: Any, context: RunContext) -> None:
        await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    gated = Gated(is_open=True)
    async with board_with(raw(suicidal, concurrency_safe=True), gated.free()) as board:
        outcomes = await board.run([ToolCall("1", "raw"), *calls("2")])

    assert [kind(each) for each in outcomes] == ["crashed", "ok"]


async def test_cancelling_a_board_ends_its_calls_and_its_childrens_and_no_others() -> None:
    gated = Gated()
    async with standing(gated.free()) as (host, board):
        child = await host.board("child", parent=board)
        other = await host.board("other")
        batches = [
            asyncio.create_task(each.run(calls(names), max_parallel=1))
            for each, names in ((board, "12"), (child, "34"), (other, "56"))
        ]
        single = asyncio.create_task(child.call("free", id="7"))
        await gated.started("1", "3", "5", "7")
        await board.cancel("enough")
        ended = [each.done() for each in (*batches, single)]
        left = ids(other.running)
        gated.let("5", "6", "8")
        outcomes = [await each for each in batches]
        again = await board.call("free", id="8")

    stopped = ["aborted", "aborted_before_start"]
    assert [[kind(each) for each in batch] for batch in outcomes] == [stopped, stopped, ["ok"] * 2]
    assert (ended, left, kind(again)) == ([True, True, False, True], "5", "ok")
    assert kind(single.result()) == "aborted"


async def test_cancelling_an_idle_board_does_nothing() -> None:
    gated = Gated(is_open=True)
    async with board_with(gated.free()) as board:
        await board.cancel("enough")
        outcome = await board.call("free", id="1")

    assert kind(outcome) == "ok"


async def test_a_reason_that_is_no_text_is_refused() -> None:
    async with board_with() as board:
        with pytest.raises(BoardError, match="text"):
            await board.cancel(3)


async def test_cancelling_a_board_waits_no_longer_than_bodies_have_to_stop() -> None:
    held = Held(ends="goes on")
    async with board_with(held.tool(), config=Config(stop_grace=0.05)) as board:
        batch = asyncio.create_task(board.run(calls("12", tool="held")))
        await held.started.wait()
        async with asyncio.timeout(2):
            await board.cancel("enough")
        outcomes = await batch
        held.released.set()
        await until(lambda: not board.running)

    assert [kind(each) for each in outcomes] == ["aborted", "aborted_before_start"]


async def test_a_tool_may_cancel_the_board_that_it_runs_on() -> None:
    gated = Gated()

    async def stop(arguments: Any, context: RunContext) -> str:
        await gated.started("2")
        await context.deps.cancel("all of it")
        return "never"

    async with board_with(gated.free(), raw(stop, concurrency_safe=True)) as board:
        batch = [ToolCall("1", "raw"), *calls("23")]
        outcomes = await board.run(batch, deps=board, max_parallel=2)

    assert [kind(each) for each in outcomes] == ["aborted", "aborted", "aborted_before_start"]
    assert outcomes[0].message == "all of it"


async def test_a_call_that_waits_ends_when_its_plugin_is_unloaded() -> None:
    gated = Gated()
    async with standing(gated.keyed(), config=Config(stop_grace=0.1)) as (host, board):
        guest = plugin_with(gated.tool("guest", concurrency_safe=lambda _: "a"))
        await host.load(guest, name="guest")
        batch = asyncio.create_task(board.run([*keyed("1a"), ToolCall("2", "guest")]))
        await gated.started("1")
        await until(lambda: len(board.running) == 2)
        async with asyncio.timeout(3):
            await host.unload("guest", grace=0.05)
        gated.let("1")
        outcomes = await batch

    assert [kind(each) for each in outcomes] == ["ok", "aborted_before_start"]
    assert "+2" not in gated.log

"""Calls while they run: cancelled, timed out, and made inside each other."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    BoardError,
    Code,
    Failure,
    Host,
    RunContext,
    Signal,
    ToolCall,
    tool,
)
from pegboard.testing import RecordingPlugin, host_with


async def test_cancelling_the_signal_interrupts_the_body_at_its_next_await() -> None:
    seen: list[str] = []

    @tool
    async def slow() -> str:
        """Sleep."""
        try:
            await asyncio.sleep(60)
        finally:
            seen.append("left")
        return "late"

    async with Host(discover=False) as host:
        host.register(slow)
        board = await host.board("a")
        signal = Signal()
        asyncio.get_running_loop().call_later(0.05, signal.cancel, "enough")

        outcome = await board.call("slow", signal=signal)

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message, seen) == (Code.ABORTED, "enough", ["left"])


async def test_a_cancelled_caller_is_cancelled_after_the_body_has_stopped() -> None:
    seen: list[str] = []

    @tool
    async def slow() -> str:
        """Sleep."""
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            seen.append("left")
        return "late"

    recorder = RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(slow)
        board = await host.board("a")
        task = asyncio.create_task(board.call("slow"))
        await asyncio.sleep(0.05)
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task

    assert seen == ["left"]
    assert [outcome.code for _, outcome, _ in recorder.finished] == [Code.ABORTED]


async def test_a_time_limit_ends_a_body_and_names_itself() -> None:
    @tool(timeout=0.05)
    async def slow() -> str:
        """Sleep."""
        await asyncio.sleep(60)
        return "late"

    async with Host(discover=False) as host:
        host.register(slow)
        board = await host.board("a")

        outcome = await board.call("slow")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TIMED_OUT
    assert "0.05" in outcome.message


async def test_a_nested_call_has_an_id_of_its_own_and_the_root_of_the_outer_one() -> None:
    roots: list[tuple[str, str]] = []

    @tool
    async def inner(context: RunContext) -> str:
        """Note who called."""
        roots.append((context.call_id, context.root_call_id))
        return "in"

    @tool
    async def outer(context: RunContext) -> str:
        """Call another tool."""
        return str((await context.call("inner", {})).unwrap())

    async with Host(discover=False) as host:
        host.register(inner)
        host.register(outer)
        board = await host.board("a")

        outcome = await board.call("outer", id="q1")

    assert outcome.unwrap() == "in"
    assert roots == [("q1:1", "q1")]


async def test_a_tool_that_calls_itself_too_deep_is_told_the_limit() -> None:
    @tool
    async def again(n: int, context: RunContext) -> int:
        """Count down."""
        return 0 if n == 0 else int((await context.call("again", {"n": n - 1})).unwrap())

    async with Host(discover=False) as host:
        host.register(again)
        board = await host.board("a")

        fine = await board.call("again", {"n": 60})
        deep = await board.call("again", {"n": 70})

    assert fine.unwrap() == 0
    assert isinstance(deep, Failure)
    assert "64 levels" in deep.message


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "3", None])
async def test_a_batch_with_an_impossible_number_at_once_is_refused_before_it_starts(
    most: Any,
) -> None:
    ran: list[int] = []

    @tool
    async def noted() -> None:
        """Note that it ran."""
        ran.append(1)

    async with Host(discover=False) as host:
        host.register(noted)
        board = await host.board("a")
        with pytest.raises(BoardError, match="max_parallel"):
            await board.run([ToolCall("1", "noted")], max_parallel=most)
        with pytest.raises(BoardError, match="max_parallel"):
            board.stream([ToolCall("1", "noted")], max_parallel=most)

        await board.run([ToolCall("1", "noted")], max_parallel=1)

    assert ran == [1]

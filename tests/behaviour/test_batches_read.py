"""`board.stream` and `board.events`: what a reader gets, and when; and readers who go away."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from pegboard import (
    ApprovalAsked,
    Ask,
    Board,
    Config,
    Execution,
    Progress,
    RunContext,
    Started,
    ToolCall,
)
from pegboard.testing import RecordingPlugin, host_with
from pegboard_batches import Gated, calls, ids
from pegboard_cases import board_with, raw
from pegboard_policies import Held, kind, standing, turns, until


def batch_tasks() -> list[str]:
    """What runs of batches on this loop; idle carriers of bodies are none of it."""
    names = [each.get_name() for each in asyncio.all_tasks()]
    return [each for each in names if each.startswith("pegboard-batch")]


async def gone(board: Board) -> None:
    """Wait until nothing of a batch runs any more."""
    await until(lambda: not board.running and not batch_tasks())


async def test_an_outcome_is_read_as_soon_as_its_turn_has_come() -> None:
    gated = Gated()
    gated.let("2")
    async with board_with(gated.free()) as board, aclosing(board.stream(calls("123"))) as stream:
        first = asyncio.ensure_future(anext(stream))
        await gated.started("3")
        await turns(10)
        waits = not first.done()
        gated.let("1")
        read = [await first, await anext(stream)]
        third = "-3" in gated.log
        gated.let("3")
        read.append(await anext(stream))

    assert (waits, ids(read), third) == (True, "123", False)


async def test_each_outcome_is_read_before_the_next_call_runs_even_if_no_body_suspends() -> None:
    log: list[str] = []

    async def body(arguments: Any, context: RunContext) -> None:
        log.append(f"+{context.call_id}")

    async with board_with(raw(body, concurrency_safe=True)) as board:
        async for outcome in board.stream(calls("123", tool="raw")):
            log.append(outcome.call_id)  # noqa: PERF401 - bodies append to it meanwhile

    assert log == ["+1", "1", "+2", "2", "+3", "3"]


async def test_a_slow_reader_holds_up_no_call() -> None:
    gated = Gated(is_open=True)
    async with board_with(gated.free()) as board:
        read = []
        async for outcome in board.stream(calls("123")):
            if not read:
                await until(lambda: not board.running)
            read.append(outcome)

    assert ids(read) == "123"


async def test_nothing_begins_before_the_first_outcome_is_asked_for() -> None:
    gated = Gated(is_open=True)
    async with board_with(gated.free()) as board:
        stream = board.stream(calls("12"))
        await turns(5)
        before = list(gated.log)
        read = [each async for each in stream]

    assert (before, ids(read)) == ([], "12")


async def leave_by_break(stream: AsyncGenerator[Any, None]) -> None:
    async for _ in stream:
        break


async def leave_by_closing(stream: AsyncGenerator[Any, None]) -> None:
    await anext(stream)
    await stream.aclose()


async def leave_by_raising(stream: AsyncGenerator[Any, None]) -> None:
    async def fail() -> None:
        async for _ in stream:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()


async def leave_by_cancelling(stream: AsyncGenerator[Any, None]) -> None:
    has_read = asyncio.Event()

    async def reading() -> None:
        async for _ in stream:
            has_read.set()

    task = asyncio.create_task(reading())
    await has_read.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


WAYS = [leave_by_break, leave_by_closing, leave_by_raising, leave_by_cancelling]


@pytest.mark.parametrize("leave", WAYS)
@pytest.mark.parametrize("read", ["stream", "events"])
async def test_a_reader_who_leaves_stops_what_runs_and_leaves_nothing(
    leave: Any, read: str
) -> None:
    gated, recorder = Gated(), RecordingPlugin()
    gated.let("1")
    async with host_with(recorder) as host:
        host.register(gated.free())
        board = await host.board("a")
        await leave(getattr(board, read)(calls("1234"), max_parallel=2))
        await gone(board)

    codes = [kind(outcome) for _, outcome, _ in recorder.finished]
    assert len(codes) == 4
    assert codes[3] == "aborted_before_start"
    assert gated.running == set()
    assert "+4" not in gated.log


async def test_closing_a_stream_waits_until_bodies_have_stopped() -> None:
    held = Held(ends="goes on")
    async with board_with(held.tool(), raw(lambda _, __: 1), config=Config(stop_grace=5)) as board:
        stream = board.stream([ToolCall("1", "raw"), ToolCall("2", "held")])
        await anext(stream)
        await held.started.wait()
        closing = asyncio.create_task(stream.aclose())
        await until(lambda: held.left)
        waits = not closing.done()
        held.released.set()
        await closing
        left = board.running

    assert (waits, left, held.left) == (True, (), ["cancelled", "ended"])


async def test_a_reader_that_is_cancelled_twice_still_leaves_nothing() -> None:
    held = Held(ends="goes on")
    async with board_with(held.tool(), config=Config(stop_grace=5)) as board:

        async def reading() -> None:
            async with aclosing(board.stream(calls("1", tool="held"))) as stream:
                await anext(stream)

        task = asyncio.create_task(reading())
        await held.started.wait()
        task.cancel()
        await until(lambda: held.left)
        task.cancel()
        await turns(5)
        waits = not task.done()
        held.released.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        left = (board.running, batch_tasks())

    assert (waits, left) == (True, ((), []))


def told(event: Any) -> str:
    """An event in short."""
    match event:
        case Started(call_id=call_id):
            return f"start {call_id}"
        case Progress(call_id=call_id, progress=progress):
            return f"progress {call_id} {progress}"
        case ApprovalAsked(request=request):
            return f"asked {request.call_id}"
        case _:
            return f"{kind(event)} {event.call_id}"


async def test_events_come_as_they_happen_and_outcomes_in_the_order_of_the_calls() -> None:
    gated = Gated()

    async def body(arguments: Any, context: RunContext) -> Any:
        context.report(1)
        return await gated.run(arguments, context)

    read: list[str] = []
    async with board_with(raw(body, name="free", concurrency_safe=True)) as board:
        async for event in board.events(calls("12")):
            read.append(told(event))
            if read[-1] == "progress 2 1":
                gated.let("2")
                await gated.started("2")
            if len(read) == 4:
                gated.let("1")

    begun = ["start 1", "progress 1 1", "start 2", "progress 2 1"]
    assert read == [*begun, "ok 1", "ok 2"]


async def test_progress_is_read_while_the_body_runs_and_the_callers_own_hears_it_too() -> None:
    gated, heard = Gated(), []

    async def body(arguments: Any, context: RunContext) -> Any:
        context.report(0.5)
        return await gated.run(arguments, context)

    async with board_with(raw(body)) as board:
        events = board.events(calls("1", tool="raw"), on_progress=heard.append)
        async with aclosing(events):
            read = [told(await anext(events)), told(await anext(events))]
            running = gated.running
            gated.let("1")
            read.append(told(await anext(events)))

    assert read == ["start 1", "progress 1 0.5", "ok 1"]
    assert (running, [told(each) for each in heard]) == ({"1"}, ["progress 1 0.5"])


async def test_an_async_on_progress_is_awaited_by_the_call_that_reports() -> None:
    heard: list[Progress] = []

    async def hear(progress: Progress) -> None:
        await asyncio.sleep(0)
        heard.append(progress)

    async with board_with(raw(lambda _, context: context.report(1))) as board:
        read = [told(each) async for each in board.events(calls("1", tool="raw"), on_progress=hear)]

    assert read == ["start 1", "progress 1 1", "ok 1"]
    assert len(heard) == 1


async def test_a_request_for_approval_is_an_event_and_no_body_starts_before_its_answer() -> None:
    gated, answer = Gated(is_open=True), asyncio.get_running_loop().create_future()

    async def approve() -> Any:
        return await answer

    def before(execution: Execution) -> Ask | None:
        return Ask("may it") if execution.call_id == "1" else None

    read: list[str] = []
    async with standing(gated.free()) as (host, board):
        host.hook(before_call=before, approve=approve)
        async for event in board.events(calls("12")):
            read.append(told(event))
            if isinstance(event, ApprovalAsked):
                assert event.request.reason == "may it"
            if read[-1] == "start 2":
                answer.set_result("once")

    assert read == ["asked 1", "start 2", "start 1", "ok 1", "ok 2"]


async def test_a_call_that_never_runs_has_an_outcome_and_no_start() -> None:
    gated = Gated(is_open=True)
    mixed = [ToolCall("1", "none"), ToolCall("2", "free", "[]"), *calls("33")]
    async with board_with(gated.free()) as board:
        read = [told(each) async for each in board.events(mixed)]

    assert read == ["unknown_tool 1", "invalid_arguments 2", "start 3", "ok 3", "invalid_call 3"]

"""The cases of section Cancellation: signals, boards, threads, and a body's own limits."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from pegboard import (
    JSON,
    Code,
    Config,
    Failure,
    Outcome,
    Progress,
    RunContext,
    Signal,
    ToolCall,
)
from pegboard_cases import raw, says
from pegboard_policies import PATIENCE, Held, Work, failed, kind, standing, turns, until


async def test_p_161_a_body_that_swallows_every_cancelling_does_not_keep_who_awaits() -> None:
    held = Held("goes on")
    async with standing(held.tool(), config=Config(stop_grace=0.05)) as (host, board):
        task = asyncio.create_task(board.call("held"))
        await held.started.wait()
        task.cancel()
        await turns(3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, PATIENCE)
        assert [each.abandoned for each in host.running] == [True]
        held.released.set()
        await until(lambda: not host.running)


def test_p_162_the_first_reason_stays() -> None:
    signal = Signal()

    signal.cancel("first")
    signal.cancel("second")

    assert (signal.cancelled, signal.reason) == (True, "first")


async def test_p_163_everybody_who_waits_is_woken() -> None:
    signal = Signal()
    tasks = [asyncio.create_task(signal.wait()) for _ in range(2)]
    await turns(2)

    signal.cancel("enough")

    assert await asyncio.wait_for(asyncio.gather(*tasks, signal.wait()), PATIENCE) == ["enough"] * 3


async def test_p_164_one_signal_ends_two_calls_and_each_has_its_outcome() -> None:
    signal, first, second = Signal(), Held(), Held()
    tools = (raw(first.run, name="first"), raw(second.run, name="second"))
    async with standing(*tools) as (_, board):
        tasks = [
            asyncio.create_task(board.call(name, id=name, signal=signal))
            for name in ("first", "second")
        ]
        await asyncio.gather(first.started.wait(), second.started.wait())
        signal.cancel("enough")
        outcomes = await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)

    assert [each.call_id for each in outcomes] == ["first", "second"]
    assert [failed(each, Code.ABORTED).message for each in outcomes] == ["enough"] * 2


class Deps:
    """Something that a call holds."""


async def test_p_165_the_signal_of_a_call_that_has_ended_holds_nothing_and_does_nothing() -> None:
    signal, deps = Signal(), Deps()
    alive = weakref.ref(deps)
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=lambda execution: None)
        outcome = await board.call("work", signal=signal, deps=deps)
        await board.run([ToolCall("1", "work")], signal=signal, deps=deps)
        del deps
        gc.collect()
        assert alive() is None
        signal.cancel("late")
        await turns(2)
        assert host.running == ()

    assert kind(outcome) == "ok"


async def limit_of_asyncio() -> None:
    """Let a time-out of one's own pass."""
    async with asyncio.timeout(0.01):
        await asyncio.sleep(60)


async def limit_that_has_passed() -> None:
    """Enter a time-out that has passed."""
    async with asyncio.timeout(0):
        await asyncio.sleep(60)


async def failing_group() -> None:
    """Have a task of a group fail."""

    async def fail() -> None:
        raise LookupError("inner")

    async with asyncio.TaskGroup() as group:
        group.create_task(fail())
        await asyncio.sleep(60)


async def limit_of_anyio() -> None:
    """Let a time-out of anyio pass."""
    with anyio.fail_after(0.01):
        await anyio.sleep(60)


async def waited_for() -> None:
    """Let `wait_for` pass."""
    await asyncio.wait_for(asyncio.sleep(60), 0.01)


OWN: dict[str, tuple[Callable[[], Awaitable[None]], str]] = {
    "asyncio.timeout": (limit_of_asyncio, "TimeoutError"),
    "asyncio.timeout(0)": (limit_that_has_passed, "TimeoutError"),
    "TaskGroup": (failing_group, "inner"),
    "anyio.fail_after": (limit_of_anyio, "TimeoutError"),
    "wait_for": (waited_for, "TimeoutError"),
}


class NotingTasks:
    """A body that notes in which task each of its steps is."""

    def __init__(self, own: Callable[[], Awaitable[None]], *, is_first: bool) -> None:
        self.own = own
        self.is_first = is_first
        self.tasks: list[Any] = []

    async def run(self, arguments: JSON, context: RunContext) -> None:
        """Note."""
        self.tasks.append(asyncio.current_task())
        if not self.is_first:
            await asyncio.sleep(0)
        self.tasks.append(asyncio.current_task())
        try:
            await self.own()
        finally:
            self.tasks.append(asyncio.current_task())


@pytest.mark.parametrize("is_first", [True, False], ids=["at once", "after a suspension"])
@pytest.mark.parametrize("way", OWN)
async def test_p_371_a_bodys_own_limit_is_its_own_error_and_its_callers_task_is_not_touched(
    way: str, is_first: bool
) -> None:
    own, words = OWN[way]
    noting = NotingTasks(own, is_first=is_first)
    async with standing(raw(noting.run)) as (_, board):
        outcome = await asyncio.wait_for(board.call("raw"), PATIENCE)

    caller = asyncio.current_task()
    assert caller is not None
    assert says(failed(outcome, Code.CRASHED).message, words)
    assert (len(set(noting.tasks)), caller in noting.tasks) == (1, False)
    assert caller.cancelling() == 0


@pytest.mark.parametrize("way", OWN)
async def test_p_371_a_body_that_catches_its_own_limit_goes_on(way: str) -> None:
    own, _ = OWN[way]

    async def body(arguments: JSON, context: RunContext) -> str:
        try:
            await own()
        except (TimeoutError, ExceptionGroup):
            await asyncio.sleep(0)
            return "went on"
        return "late"

    async with standing(raw(body)) as (_, board):
        outcome = await asyncio.wait_for(board.call("raw"), PATIENCE)

    assert outcome.unwrap() == "went on"


async def test_p_371_a_body_that_never_suspends_is_not_in_its_callers_task_either() -> None:
    tasks: list[Any] = []

    async def body(arguments: JSON, context: RunContext) -> None:
        tasks.append(asyncio.current_task())

    async with standing(raw(body)) as (_, board):
        await board.call("raw")

    assert tasks[0] is not None
    assert tasks[0] is not asyncio.current_task()


async def test_p_372_what_runs_on_a_board_and_below_it_stops_and_the_board_stays_open() -> None:
    held = Held()
    tool = raw(held.run, name="held", concurrency_safe=True)
    async with standing(tool, Work().tool()) as (host, board):
        child = await host.board("child", parent=board)
        sibling = await host.board("sibling")
        tasks = [asyncio.create_task(each.call("held")) for each in (board, child, sibling)]
        await until(lambda: [each.stage for each in host.running] == ["body"] * 3)

        await board.cancel("stop")
        outcomes = await asyncio.wait_for(asyncio.gather(*tasks[:2]), PATIENCE)
        left = [each.board for each in host.running]
        after = [kind(await each.call("work")) for each in (board, child)]
        held.released.set()
        others = await tasks[2]

    assert [failed(each, Code.ABORTED).message for each in outcomes] == ["stop", "stop"]
    assert (left, after, kind(others)) == (["sibling"], ["ok", "ok"], "ok")


async def test_p_372_a_batch_that_is_cancelled_with_its_board_starts_nothing_more() -> None:
    held, work = Held(), Work()
    async with standing(held.tool(), work.tool()) as (_, board):
        calls = [ToolCall("1", "held"), ToolCall("2", "work")]
        batch = asyncio.create_task(board.run(calls))
        await held.started.wait()
        await board.cancel("stop")
        outcomes = await asyncio.wait_for(batch, PATIENCE)
        again = await board.run([ToolCall("3", "work")])

    assert [kind(each) for each in outcomes] == ["aborted", "aborted_before_start"]
    assert ([kind(each) for each in again], work.ran) == (["ok"], ["3"])


class Told:
    """A body that reports, defers and cancels from its thread, and who is told.

    Attributes:
        reports: what was told, and in which thread.
        kept: the context of the body.
    """

    def __init__(self, signal: Signal) -> None:
        self.signal = signal
        self.reports: list[tuple[str, float | None, str]] = []
        self.kept: list[RunContext] = []

    def tell(self, progress: Progress) -> None:
        """Note a report."""
        name = threading.current_thread().name
        self.reports.append((progress.call_id, progress.progress, name))

    def run(self, arguments: JSON, context: RunContext) -> None:
        """Report, defer, cancel."""
        self.kept.append(context)
        for number in range(3):
            context.report(number)
            context.defer(number)
        self.signal.cancel("from a thread")


async def test_p_373_report_defer_and_cancel_are_safe_in_a_thread() -> None:
    told = Told(Signal())
    async with standing(raw(told.run)) as (_, board):
        outcome = await board.call("raw", id="c1", signal=told.signal, on_progress=told.tell)
        await asyncio.to_thread(told.kept[0].report, 9)
        told.kept[0].report(10)
        await turns(3)

    main = threading.main_thread().name
    assert failed(outcome, Code.ABORTED).message == "from a thread"
    assert outcome.contexts == (0, 1, 2)
    assert told.reports == [("c1", each, main) for each in range(3)]


async def test_p_373_many_threads_of_one_body_lose_nothing() -> None:
    def body(arguments: JSON, context: RunContext) -> None:
        threads = [threading.Thread(target=context.defer, args=(each,)) for each in range(50)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    async with standing(raw(body)) as (_, board):
        outcome = await board.call("raw")

    assert not isinstance(outcome, Failure)
    assert sorted(outcome.contexts) == list(range(50))


async def test_p_373_a_signal_that_is_cancelled_in_a_thread_wakes_the_loop() -> None:
    signal, held = Signal(), Held()
    outcome: Outcome
    async with standing(held.tool()) as (_, board):
        task = asyncio.create_task(board.call("held", signal=signal))
        await held.started.wait()
        await asyncio.to_thread(signal.cancel, "from a thread")
        outcome = await asyncio.wait_for(task, PATIENCE)

    assert failed(outcome, Code.ABORTED).message == "from a thread"

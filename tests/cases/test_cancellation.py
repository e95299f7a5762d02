"""The cases of section Cancellation: what a cancelled call ends in."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import (
    JSON,
    Allow,
    Code,
    Config,
    Decision,
    Execution,
    Outcome,
    RunContext,
    Signal,
    ToolCall,
    ToolError,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw
from pegboard_policies import (
    PATIENCE,
    Held,
    Work,
    failed,
    kind,
    made,
    plugin_with,
    shown,
    standing,
    turns,
    until,
)

BRIEF = Config(stop_grace=0.05)


class Waiting:
    """A hook that waits, and does something when its waiting is cancelled.

    Attributes:
        then: what it gives, or raises, when it is cancelled; None: it lets itself be cancelled.
    """

    def __init__(self, then: Any = None) -> None:
        self.then = then
        self.asked = asyncio.Event()

    async def hook(self) -> Any:
        """Wait."""
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if self.then is None:
                raise
        if isinstance(self.then, BaseException):
            raise self.then
        return self.then


async def cancelled_at(board: Any, name: str, reached: asyncio.Event) -> Outcome:
    """The outcome of a call that is cancelled once something is reached."""
    signal = Signal()
    task = asyncio.create_task(board.call(name, signal=signal))
    await asyncio.wait_for(reached.wait(), PATIENCE)
    signal.cancel("enough")
    outcome: Outcome = await asyncio.wait_for(task, PATIENCE)
    return outcome


@pytest.mark.parametrize("decision", [None, Allow()], ids=shown)
async def test_p_149_cancelling_ends_a_waiting_before_hook_whatever_it_says_then(
    decision: Decision | None,
) -> None:
    work, waiting = Work(), Waiting(decision)
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=waiting.hook)
        outcome = await cancelled_at(board, "work", waiting.asked)

    assert failed(outcome, Code.ABORTED_BEFORE_START).message == "enough"
    assert work.ran == []


async def test_p_149_cancelling_ends_a_waiting_guard() -> None:
    work, waiting = Work(), Waiting()
    async with standing(work.tool()) as (host, board):
        host.guard(lambda execution: waiting.hook())
        outcome = await cancelled_at(board, "work", waiting.asked)

    assert failed(outcome, Code.ABORTED_BEFORE_START).message == "enough"
    assert work.ran == []


async def test_p_150_what_a_cancelled_before_hook_raises_stays() -> None:
    work, waiting = Work(), Waiting(RuntimeError("gate down"))
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=waiting.hook)
        outcome = await cancelled_at(board, "work", waiting.asked)

    assert failed(outcome, Code.POLICY_FAILED)
    assert work.ran == []


async def test_p_151_no_body_starts_under_a_signal_that_is_cancelled_already() -> None:
    work, dead = Work(), Signal()
    dead.cancel("over")

    async def around(call_next: Callable[..., Any]) -> Outcome:
        outcome: Outcome = await call_next(signal=dead)
        return outcome

    async with standing(work.tool()) as (host, board):
        host.hook(around_call=around)
        outcome = await board.call("work", signal=Signal())

    assert failed(outcome, Code.ABORTED_BEFORE_START)
    assert work.ran == []


async def test_p_152_a_wrapper_cannot_answer_for_a_caller_who_has_cancelled() -> None:
    signal = Signal()

    async def around(execution: Execution, call_next: Callable[..., Any]) -> Outcome:
        signal.cancel("enough")
        return made(execution, "made")

    async with standing(Work().tool()) as (host, board):
        host.hook(around_call=around)
        outcome = await board.call("work", signal=signal)

    assert failed(outcome, Code.ABORTED_BEFORE_START).message == "enough"


async def test_p_153_the_body_is_interrupted_at_its_await_and_has_left_when_the_outcome_comes() -> (
    None
):
    left: list[str] = []
    asleep = asyncio.Event()

    async def body(arguments: JSON, context: RunContext) -> None:
        asleep.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            left.append("cancelled")
            raise
        finally:
            await asyncio.sleep(0)
            left.append("left")

    async with standing(raw(body)) as (_, board):
        outcome = await cancelled_at(board, "raw", asleep)

    assert failed(outcome, Code.ABORTED).message == "enough"
    assert left == ["cancelled", "left"]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_p_154_a_success_of_a_body_that_saw_the_cancelling_is_replaced(
    is_async: bool,
) -> None:
    signal = Signal()

    def stop(arguments: JSON, context: RunContext) -> str:
        signal.cancel("enough")
        return "stopped" if context.signal.cancelled else "unseen"

    async def stop_on_the_loop(arguments: JSON, context: RunContext) -> str:
        return stop(arguments, context)

    async with standing(raw(stop_on_the_loop if is_async else stop)) as (_, board):
        failure = failed(await board.call("raw", signal=signal), Code.ABORTED)

    assert failure.message == "enough"
    assert "stopped" not in repr(failure)


async def test_p_154_a_failure_of_such_a_body_stays() -> None:
    signal = Signal()

    async def body(arguments: JSON, context: RunContext) -> None:
        signal.cancel("enough")
        raise ToolError("half written")

    async with standing(raw(body)) as (_, board):
        failure = failed(await board.call("raw", signal=signal), Code.TOOL_ERROR)

    assert failure.message == "half written"


async def test_p_155_a_body_that_swallows_the_cancelling_and_ends_soon_is_waited_for() -> None:
    asleep, log = asyncio.Event(), []

    async def body(arguments: JSON, context: RunContext) -> str:
        context.defer("n1")
        asleep.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
        log.append("ended")
        return "late"

    async with standing(raw(body)) as (host, board):
        failure = failed(await cancelled_at(board, "raw", asleep), Code.ABORTED)
        assert (log, host.running) == (["ended"], ())

    assert failure.contexts == ("n1",)
    assert "still_running" not in (failure.details or {})


async def test_p_156_a_body_that_goes_on_is_listed_until_it_ends_and_its_value_is_dropped() -> None:
    held, recorder = Held("goes on"), RecordingPlugin()
    async with standing(held.tool(), config=BRIEF) as (host, board):
        await host.load(recorder)
        outcome = await cancelled_at(board, "held", held.started)
        listed = [(each.call_id, each.stage, each.abandoned) for each in host.running]
        held.released.set()
        await until(lambda: not host.running)

    assert failed(outcome, Code.ABORTED).details == {"still_running": True}
    assert listed == [(outcome.call_id, "body", True)]
    assert held.left == ["cancelled", "ended"]
    assert [seen for _, seen, _ in recorder.finished] == [outcome]


async def test_p_156_it_keeps_its_lease_until_it_ends() -> None:
    held = Held("goes on")
    async with standing(config=BRIEF) as (host, board):
        await host.load(plugin_with(held.tool()), name="p")
        outcome = await cancelled_at(board, "held", held.started)
        report = await host.unload("p", grace=0.0)
        held.released.set()
        await until(lambda: not host.running)

    assert report.still_running == (outcome.call_id,)


async def test_p_157_a_sync_tool_that_polls_the_signal_stops() -> None:
    signal, reports = Signal(), []

    def poll(arguments: JSON, context: RunContext) -> str:
        context.report(1)
        while not context.signal.cancelled:
            continue
        reports.append(context.signal.reason)
        return "stopped"

    def cancel() -> None:
        signal.cancel("enough")

    async with standing(raw(poll)) as (host, board):
        call = board.call("raw", signal=signal, on_progress=lambda _: cancel())
        outcome = await asyncio.wait_for(call, PATIENCE)
        assert host.running == ()

    assert failed(outcome, Code.ABORTED).details is None
    assert reports == ["enough"]


async def test_p_157_raising_at_a_cancelled_signal_is_an_abort_too() -> None:
    signal = Signal()

    def poll(arguments: JSON, context: RunContext) -> None:
        signal.cancel("enough")
        context.signal.raise_if_cancelled()

    async with standing(raw(poll)) as (_, board):
        outcome = await board.call("raw", signal=signal)

    assert failed(outcome, Code.ABORTED).message == "enough"


@pytest.mark.parametrize("is_sync", [False, True], ids=["async", "sync"])
async def test_p_158_a_cancelled_error_of_a_tools_own_is_a_crash_of_this_call_only(
    is_sync: bool,
) -> None:
    async def own(arguments: JSON, context: RunContext) -> None:
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    def own_in_a_thread(arguments: JSON, context: RunContext) -> None:
        raise asyncio.CancelledError

    given = raw(own_in_a_thread if is_sync else own, concurrency_safe=True)
    async with standing(given, Work().tool(concurrency_safe=True)) as (_, board):
        outcomes = await board.run([ToolCall("1", "raw"), ToolCall("2", "work")])

    task = asyncio.current_task()
    assert task is not None
    assert [kind(each) for each in outcomes] == ["crashed", "ok"]
    assert task.cancelling() == 0


async def test_p_159_what_a_cancelled_after_hook_raises_stays() -> None:
    waiting = Waiting(RuntimeError("gate down"))
    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=waiting.hook)

        assert failed(await cancelled_at(board, "work", waiting.asked), Code.POLICY_FAILED)


async def test_p_159_a_cancelled_after_hook_that_raises_nothing_leaves_an_aborted_call() -> None:
    waiting = Waiting()
    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=waiting.hook)
        outcome = await cancelled_at(board, "work", waiting.asked)

    assert failed(outcome, Code.ABORTED).message == "enough"


@pytest.mark.parametrize("ends", ["stops", "goes on"])
async def test_p_160_p_161_cancelling_who_awaits_reaches_them_after_body_and_observers(
    ends: str,
) -> None:
    held, recorder = Held(ends), RecordingPlugin()
    async with standing(held.tool(), config=BRIEF) as (host, board):
        await host.load(recorder)
        task = asyncio.create_task(board.call("held"))
        await held.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, PATIENCE)
        (seen,) = [outcome for _, outcome, _ in recorder.finished]
        held.released.set()
        await until(lambda: not host.running)

    assert failed(seen, Code.ABORTED)
    assert held.left[0] == "cancelled"
    assert (seen.details or {}) == ({} if ends == "stops" else {"still_running": True})
    await turns(1)

"""The cases of section Cancellation: wherever a call is when its caller goes away."""

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from pegboard import (
    JSON,
    Ask,
    Board,
    Code,
    Config,
    Execution,
    Host,
    Outcome,
    PegboardError,
    RunContext,
    Signal,
    Tool,
    ToolCall,
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
    noting,
    standing,
    succeeded,
    turns,
    until,
)

Next = Callable[..., Any]


class Stop:
    """A place where a call waits until it is interrupted."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.left: list[str] = []

    async def wait(self) -> Any:
        """Wait."""
        self.reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.left.append("left")

    async def inwards(self, call_next: Next) -> Any:
        """Wait before what is inside."""
        await self.wait()
        return await call_next()

    async def outwards(self, call_next: Next) -> Any:
        """Wait after it."""
        outcome = await call_next()
        await self.wait()
        return outcome

    async def run(self, arguments: JSON, context: RunContext) -> Any:
        """Wait in the body."""
        return await self.wait()

    def stand(self, stage: str, host: Host) -> Tool:
        """Put this place into a stage of the calls of a tool."""
        if stage == "approve":
            host.hook(before_call=noting([], "", Ask("sure?")), approve=self.wait)
        elif stage == "guard":
            host.guard(lambda execution: self.wait())
        elif stage == "elsewhere":
            host.hook(run_body=lambda: self.run)
        elif stage in {"inwards", "outwards"}:
            host.hook(around_call=getattr(self, stage))
        elif stage != "body":
            host.hook(**{stage: self.wait})
        return raw(self.run if stage == "body" else Work().run)


EARLY = ["before_call", "approve", "guard", "inwards"]
LATE = ["body", "elsewhere", "outwards", "after_call"]


@pytest.mark.parametrize("way", ["signal", "task"])
@pytest.mark.parametrize("stage", [*EARLY, *LATE])
async def test_p_160_wherever_a_call_is_cancelled_it_ends_at_once_with_one_observed_outcome(
    stage: str, way: str
) -> None:
    stop, recorder, signal = Stop(), RecordingPlugin(), Signal()
    async with standing() as (host, board):
        await host.load(recorder)
        host.register(stop.stand(stage, host))
        task = asyncio.create_task(board.call("raw", id="c1", signal=signal))
        await asyncio.wait_for(stop.reached.wait(), PATIENCE)
        task.cancel() if way == "task" else signal.cancel("enough")
        (ended,) = await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), PATIENCE)
        assert (host.running, stop.left) == ((), ["left"])

    ((_, seen, _),) = recorder.finished
    assert kind(seen) == ("aborted_before_start" if stage in EARLY else "aborted")
    assert isinstance(ended, asyncio.CancelledError) if way == "task" else ended == seen


async def test_p_160_a_caller_who_goes_away_while_observers_look_is_told_after_them() -> None:
    looking, log = asyncio.Event(), []

    async def look() -> None:
        looking.set()
        await turns(5)
        log.append("seen")

    async with standing(Work().tool()) as (host, board):
        host.hook(call_finished=look)
        board.hook(call_finished=noting(log, "seen too"))
        task = asyncio.create_task(board.call("work"))
        await looking.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert log[-1] == "seen too"


@pytest.mark.parametrize("ends", ["stops", "goes on"])
async def test_p_161_a_time_out_around_a_call_is_the_callers_own(ends: str) -> None:
    held = Held(ends)
    async with standing(held.tool(), config=Config(stop_grace=0.02)) as (host, board):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await board.call("held")
        held.released.set()
        await until(lambda: not host.running)

    task = asyncio.current_task()
    assert task is not None
    assert (task.cancelling(), held.left[0]) == (0, "cancelled")


async def by_batch(board: Board) -> object:
    """Make the call in a batch."""
    return await board.run([ToolCall("1", "raw"), ToolCall("2", "raw")])


async def by_stream(board: Board) -> object:
    """Make it in a stream."""
    return [each async for each in board.stream([ToolCall("1", "raw")])]


DOORS: dict[str, Callable[[Board], Any]] = {
    "call": lambda board: board.call("raw"),
    "batch": by_batch,
    "stream": by_stream,
    "nested": lambda board: board.call("scoped"),
}


async def scoped(arguments: JSON, context: RunContext) -> bool:
    """Cancel a nested call with a scope of the body's own."""
    with anyio.move_on_after(0.02) as scope:
        await context.call("raw")
    return scope.cancelled_caught


@pytest.mark.parametrize("door", DOORS)
async def test_p_161_a_cancel_scope_around_a_call_is_its_callers_own(door: str) -> None:
    stop = Stop()
    async with standing(raw(stop.run), raw(scoped, name="scoped")) as (host, board):
        with anyio.move_on_after(0.5 if door == "nested" else 0.02) as scope:
            outcome = await DOORS[door](board)
        assert host.running == ()

    task = asyncio.current_task()
    assert task is not None
    assert (stop.left, task.cancelling()) == (["left"], 0)
    assert outcome.unwrap() is True if door == "nested" else scope.cancelled_caught


async def test_p_151_a_wrapper_may_put_a_time_out_of_its_own_around_what_is_inside() -> None:
    stop, waited = Stop(), []

    async def around(execution: Execution, call_next: Next) -> Outcome:
        try:
            async with asyncio.timeout(0.02):
                await call_next()
        except TimeoutError:
            waited.append(list(stop.left))
        return made(execution, "instead")

    async with standing(raw(stop.run)) as (host, board):
        host.hook(around_call=around)
        outcome = succeeded(await asyncio.wait_for(board.call("raw"), PATIENCE))
        assert host.running == ()

    assert (outcome.value, waited) == ("instead", [["left"]])


async def test_p_151_and_try_again_after_it() -> None:
    stop, tries = Stop(), []

    async def body(arguments: JSON, context: RunContext) -> str:
        tries.append(1)
        if len(tries) == 1:
            await stop.wait()
        return "second"

    async def around(call_next: Next) -> Outcome:
        try:
            async with asyncio.timeout(0.02):
                first: Outcome = await call_next()
                return first
        except TimeoutError:
            second: Outcome = await call_next()
            return second

    async with standing(raw(body)) as (host, board):
        host.hook(around_call=around)

        assert succeeded(await board.call("raw")).value == "second"


async def test_p_151_what_is_inside_cannot_happen_after_its_wrapper_has_ended() -> None:
    kept: list[Next] = []
    work = Work()

    async def around(call_next: Next) -> Outcome:
        kept.append(call_next)
        outcome: Outcome = await call_next()
        return outcome

    async with standing(work.tool()) as (host, board):
        host.hook(around_call=around)
        await board.call("work", id="c1")
        with pytest.raises(PegboardError):
            await kept[0]()

    assert work.ran == ["c1"]


def calling(name: str) -> Tool:
    """A tool `outer` that calls another and says how that ended."""

    async def outer(arguments: JSON, context: RunContext) -> str:
        return kind(await context.call(name))

    return raw(outer, name="outer")


@pytest.mark.parametrize("way", ["signal", "task", "board", "limit"])
async def test_p_153_what_ends_an_outer_call_ends_the_inner_one_first(way: str) -> None:
    held, recorder, signal = Held(), RecordingPlugin(), Signal()
    outer = calling("held")
    if way == "limit":
        outer = raw(outer.run, name="outer", timeout=0.05)
    async with standing(held.tool(), outer) as (host, board):
        await host.load(recorder)
        task = asyncio.create_task(board.call("outer", id="q", signal=signal))
        await held.started.wait()
        await ended_by(way, task, signal, board)
        await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), PATIENCE)
        assert host.running == ()

    codes = [(seen.call_id, kind(seen)) for _, seen, _ in recorder.finished]
    assert codes == [("q:1", "aborted"), ("q", "timed_out" if way == "limit" else "aborted")]


async def ended_by(way: str, task: "asyncio.Task[Any]", signal: Signal, board: Board) -> None:
    """End a call in one of the ways that there are."""
    match way:
        case "signal":
            signal.cancel("enough")
        case "task":
            task.cancel()
        case "board":
            await board.cancel("stop")


async def test_p_164_a_signal_ends_the_waiting_of_a_batch_for_an_answer() -> None:
    stop, held, signal = Stop(), Held(), Signal()

    def ask(execution: Execution) -> Ask | None:
        return Ask("sure?") if execution.call_id == "1" else None

    async with standing(held.tool(concurrency_safe=True)) as (host, board):
        host.hook(before_call=ask, approve=stop.wait)
        calls = [ToolCall(each, "held") for each in "123"]
        batch = asyncio.create_task(board.run(calls, signal=signal, max_parallel=2))
        await asyncio.gather(stop.reached.wait(), held.started.wait())
        signal.cancel("enough")
        outcomes = await asyncio.wait_for(batch, PATIENCE)
        assert host.running == ()

    assert [each.call_id for each in outcomes] == ["1", "2", "3"]
    assert kind(outcomes[0]) == "aborted_before_start"
    assert failed(outcomes[1], Code.ABORTED).message == "enough"

"""At most so many bodies of a tool run at once, and the others wait their turn."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import (
    Board,
    Code,
    Config,
    Host,
    Outcome,
    RunContext,
    Signal,
    Timing,
    Tool,
    ToolConfig,
    tool,
)
from pegboard_batches import Gated, calls, ids
from pegboard_cases import raw
from pegboard_policies import Held, failed, gate, plugin_with, standing, succeeded, until


def at_most(most: int, *names: str, **others: Any) -> Config:
    """A configuration with a figure for these tools."""
    said = {name: ToolConfig(max_running=most) for name in names or ("free",)}
    return Config(tools=said, **{"stop_grace": 0.05} | others)


@attrs.define
class Going:
    """Calls that go on beside the test.

    Attributes:
        gated: their bodies.
        tasks: the calls, by their ids.
    """

    gated: Gated = attrs.field(factory=Gated)
    tasks: dict[str, "asyncio.Task[Outcome]"] = attrs.field(factory=dict)

    def call(self, board: Board, *call_ids: str, name: str = "free", **options: Any) -> None:
        """Make calls."""
        for call_id in call_ids:
            making = board.call(name, id=call_id, **options)
            self.tasks[call_id] = asyncio.ensure_future(making)

    async def settled(self) -> str:
        """Let what can start do so; the calls whose bodies run."""
        for _ in range(30):
            await asyncio.sleep(0)
        return "".join(sorted(self.gated.running))

    async def outcome(self, call_id: str) -> Outcome:
        """How a call ended."""
        return await self.tasks[call_id]

    async def end(self) -> None:
        """Let everything end."""
        self.gated.is_open = True
        self.gated.let(*self.tasks, *self.gated.gates)
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


@asynccontextmanager
async def going(
    most: int = 1, *, config: Config | None = None, make: Callable[[Gated], Tool] = Gated.free
) -> AsyncIterator[tuple[Going, Host, Board]]:
    """A host with a limited tool, a board of it, and calls that all end with the block."""
    calls = Going()
    async with standing(make(calls.gated), config=config or at_most(most)) as (host, board):
        try:
            yield calls, host, board
        finally:
            await calls.end()


async def test_no_more_calls_of_a_tool_run_than_the_operator_says_on_all_boards() -> None:
    async with going(2) as (calls, host, board):
        other = await host.board("other")

        calls.call(board, "1", "2")
        calls.call(other, "3")

        assert await calls.settled() == "12"


async def test_those_that_wait_run_in_the_order_in_which_they_came() -> None:
    async with going() as (calls, _, board):
        calls.call(board, *"1234")
        calls.gated.is_open = True

        await calls.settled()
        calls.gated.let("1")
        await calls.outcome("4")

        assert calls.gated.log == ["+1", "-1", "+2", "-2", "+3", "-3", "+4", "-4"]


async def test_every_call_of_a_batch_has_its_outcome() -> None:
    gated = Gated(is_open=True)
    async with standing(gated.free(), config=at_most(2)) as (_, board):
        outcomes = await board.run(calls("abcdef"))

    assert ids(outcomes) == "abcdef"
    assert not [each for each in outcomes if each.is_error]


async def test_tools_of_which_nothing_is_said_have_no_limit() -> None:
    async with going(config=at_most(1, "another")) as (calls, _, board):
        calls.call(board, *"123")

        assert await calls.settled() == "123"


async def test_a_pattern_means_each_of_its_tools_by_itself() -> None:
    async with going(config=at_most(1, "*")) as (calls, host, board):
        host.register(calls.gated.free("other"))

        calls.call(board, "1", "2")
        calls.call(board, "3", "4", name="other")

        assert await calls.settled() == "13"


async def test_two_tools_of_one_name_share_the_figure() -> None:
    async with going() as (calls, host, board):
        other = await host.board("other")
        other.register(calls.gated.free())

        calls.call(board, "1")
        calls.call(other, "2")

        assert await calls.settled() == "1"


async def test_a_call_that_was_stopped_while_it_waited_has_never_run() -> None:
    signal = Signal()
    async with going() as (calls, _, board):
        calls.call(board, "1")
        calls.call(board, "2", signal=signal)
        calls.call(board, "3")
        await calls.settled()

        signal.cancel("no more")
        stopped = failed(await calls.outcome("2"), Code.ABORTED_BEFORE_START)
        calls.gated.let("1")

        assert stopped.message == "no more"
        assert await calls.settled() == "3"


async def test_a_caller_that_is_cancelled_leaves_the_queue() -> None:
    async with going() as (calls, _, board):
        calls.call(board, *"123")
        await calls.settled()

        calls.tasks["2"].cancel()
        await asyncio.gather(calls.tasks["2"], return_exceptions=True)
        calls.gated.let("1")

        assert calls.tasks["2"].cancelled()
        assert await calls.settled() == "3"


async def test_a_call_that_is_stopped_as_its_turn_comes_hands_the_turn_on() -> None:
    signal = Signal()
    async with going() as (calls, _, board):
        calls.call(board, "1")
        calls.call(board, "2", signal=signal)
        calls.call(board, "3")
        await calls.settled()

        calls.gated.let("1")
        await asyncio.sleep(0)
        signal.cancel()
        await calls.settled()

        assert (await calls.outcome("2")).is_error
        assert await calls.settled() == "3"


async def test_a_call_that_was_cancelled_before_its_turn_was_asked_for_doesn_t_wait() -> None:
    signal = Signal()

    async def stop(execution: Any, call_next: Any) -> Outcome:
        if execution.call_id == "2":
            signal.cancel("late")
        outcome: Outcome = await call_next()
        return outcome

    async with going() as (calls, host, board):
        host.hook(around_call=stop)
        calls.call(board, "1")
        calls.call(board, "2", signal=signal)

        failed(await calls.outcome("2"), Code.ABORTED_BEFORE_START)


async def test_waiting_counts_for_the_time_limit_of_the_tool() -> None:
    config = Config(tools={"free": ToolConfig(max_running=1, timeout=0.05)}, stop_grace=5)
    async with going(config=config) as (calls, _, board):
        first = Held("goes on")
        board.register(raw(first.run, name="free", concurrency_safe=True))
        calls.call(board, "1", "2")

        second = failed(await calls.outcome("2"), Code.TIMED_OUT)
        first.released.set()

        assert second.message == "tool 'free' had not started within its time limit of 0.05 s"
        assert calls.gated.log == []


async def test_no_limit_of_hooks_reaches_a_call_that_waits() -> None:
    async with going(config=at_most(1, hook_timeout=0.02)) as (calls, _, board):
        calls.call(board, "1", "2")
        await asyncio.sleep(0.1)
        calls.gated.let("1", "2")

        assert succeeded(await calls.outcome("2")).value == "2"


async def test_observers_are_told_how_long_a_call_has_waited() -> None:
    timings: dict[str, Timing] = {}

    def note(execution: Any, timing: Timing) -> None:
        timings[execution.call_id] = timing

    async with going() as (calls, host, board):
        host.hook(call_finished=note)
        calls.call(board, "1", "2")
        await asyncio.sleep(0.05)
        calls.gated.let("1", "2")
        await calls.outcome("2")

    assert timings["1"].waited < 0.01
    assert timings["2"].waited >= 0.04
    assert timings["2"].body < 0.04


@pytest.mark.parametrize(
    "error", [ValueError(), SystemExit(), asyncio.CancelledError(), KeyboardInterrupt()], ids=repr
)
async def test_a_body_that_fails_gives_its_place_back(error: BaseException) -> None:
    async def fail(arguments: Any, context: RunContext) -> None:
        raise error

    failing = raw(fail, name="free")
    async with standing(failing, config=at_most(1)) as (_, board):
        for _ in range(3):
            failed(await board.call("free"), Code.CRASHED)


async def test_a_body_that_doesn_t_stop_keeps_its_place_until_it_ends() -> None:
    held, signal = Held("goes on"), Signal()
    async with standing(held.tool(), config=at_most(1, "held")) as (_, board):
        first = asyncio.ensure_future(board.call("held", signal=signal))
        await held.started.wait()
        held.started.clear()
        signal.cancel()
        assert failed(await first, Code.ABORTED).details == {"still_running": True}

        second = asyncio.ensure_future(board.call("held"))
        await asyncio.sleep(0.05)
        assert not held.started.is_set()
        held.released.set()

        assert succeeded(await second).value == "late"


async def test_a_thread_that_doesn_t_stop_keeps_its_place_until_it_ends() -> None:
    signal, ran = Signal(), []
    with gate() as let:

        def stay(arguments: Any, context: RunContext) -> str:
            ran.append(context.call_id)
            let.wait(30)
            return "done"

        async with standing(raw(stay, name="free"), config=at_most(1)) as (_, board):
            first = asyncio.ensure_future(board.call("free", id="1", signal=signal))
            await until(lambda: ran)
            signal.cancel()
            failed(await first, Code.ABORTED)
            second = asyncio.ensure_future(board.call("free", id="2"))
            await asyncio.sleep(0.05)
            assert ran == ["1"]
            let.set()
            assert succeeded(await second).value == "done"


async def test_a_retry_waits_for_the_body_of_the_attempt_before() -> None:
    held = Held("goes on")

    async def retry(call_next: Any) -> Outcome:
        front = Signal()
        asyncio.get_running_loop().call_later(0.02, front.cancel)
        await call_next(signal=front)
        asyncio.get_running_loop().call_later(0.05, held.released.set)
        outcome: Outcome = await call_next()
        return outcome

    async with standing(held.tool(), config=at_most(1, "held")) as (host, board):
        host.hook(around_call=retry)

        assert succeeded(await board.call("held")).value == "late"

    assert held.left == ["cancelled", "ended", "ended"]


async def test_a_new_load_of_a_plugin_shares_the_figure_with_the_old_one() -> None:
    async with going(config=at_most(1, "brought")) as (calls, host, board):
        await host.load(plugin_with(calls.gated.free("brought")), name="it")
        calls.call(board, "1", name="brought")
        await calls.settled()
        unloading = asyncio.ensure_future(host.unload("it"))
        await until(lambda: "brought" not in board.tools)
        await host.load(plugin_with(calls.gated.free("brought")), name="again")

        calls.call(board, "2", name="brought")

        assert await calls.settled() == "1"
        calls.gated.let("1")
        await unloading
        assert await calls.settled() == "2"


@tool
async def again(context: RunContext, depth: int) -> str:
    """Call itself that often."""
    if not depth:
        return "there"
    return str((await context.call("again", {"depth": depth - 1})).unwrap())


async def test_a_tool_that_calls_itself_is_refused_rather_than_left_waiting_for_itself() -> None:
    async with standing(again, config=at_most(2, "again")) as (_, board):
        assert succeeded(await board.call("again", {"depth": 1})).value == "there"

        refused = failed(await board.call("again", {"depth": 2}), Code.CRASHED)

        assert 'raise max_running in [tools."again"]' in refused.message


async def test_tools_that_call_each_other_are_never_left_waiting_for_each_other() -> None:
    meet = asyncio.Barrier(2)

    def calling(other: str) -> Any:
        async def body(arguments: Any, context: RunContext) -> str:
            if context.call_id.count(":"):
                return "inner"
            await meet.wait()
            outcome = await context.call(other, {})
            return str(getattr(outcome, "code", "ok"))

        return body

    made = [raw(calling(other), name=name) for name, other in (("a", "b"), ("b", "a"))]
    async with standing(*made, config=at_most(1, "a", "b")) as (_, board):
        outcomes = await asyncio.gather(board.call("a"), board.call("b"))

    assert sorted(each.unwrap() for each in outcomes) == ["busy", "ok"]


async def test_a_tool_that_isn_t_limited_has_nothing_of_it_in_its_chain() -> None:
    async with going() as (calls, host, board):
        host.register(calls.gated.free("other"))
        scope = board._scope
        found = [scope.find(name) for name in ("free", "other")]
        epoch = scope.epoch.number

        chains = [scope.chains().of(each, epoch=epoch).around for each in found if each]

        assert [len(each) for each in chains] == [1, 0]


async def test_the_turn_stands_inside_the_time_limit() -> None:
    config = Config(tools={"free": ToolConfig(max_running=1, timeout=9)})
    async with going(config=config) as (_, _, board):
        scope = board._scope
        entry = scope.find("free")
        assert entry is not None

        around = scope.chains().of(entry, epoch=scope.epoch.number).around

        assert [each.generation.owner.plugin for each in around] == ["deadline", "max_running"]


@attrs.define
class Crowd:
    """Calls of a tool whose bodies end when a test says so.

    Attributes:
        running: lets the bodies that run end.
        peak: how many ran at once.
    """

    running: "list[asyncio.Future[str]]" = attrs.field(factory=list)
    peak: int = 0
    signals: list[Signal] = attrs.field(factory=list)
    tasks: "list[asyncio.Task[Outcome]]" = attrs.field(factory=list)

    async def body(self, arguments: Any, context: RunContext) -> str:
        """Run until it is let go."""
        let: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.running.append(let)
        self.peak = max(self.peak, len(self.running))
        try:
            return await let
        finally:
            self.running.remove(let)

    async def act(self, act: str, number: int, board: Board) -> None:
        """Make a call, or have something happen to one."""
        going = [each for each in self.running if not each.done()]
        match act:
            case "call":
                self.signals.append(Signal())
                making = board.call("free", signal=self.signals[-1])
                self.tasks.append(asyncio.ensure_future(making))
            case "cancel" if self.signals:
                self.signals[number % len(self.signals)].cancel()
            case "end" if going:
                going[number % len(going)].set_result("done")
            case "crash" if going:
                going[number % len(going)].set_exception(ValueError("no"))
            case _:
                await asyncio.sleep(0)

    async def end(self) -> None:
        """Let bodies go until every call has ended."""
        async with asyncio.timeout(5):
            while not all(each.done() for each in self.tasks):
                for each in self.running:
                    each.done() or each.set_result("done")
                await asyncio.sleep(0)


Acts = st.lists(st.sampled_from(["call", "cancel", "end", "crash", "turn"]), max_size=30)


@settings(max_examples=60)
@given(Acts, st.integers(1, 3))
async def test_whatever_happens_the_figure_holds_and_every_call_ends(
    acts: list[str], most: int
) -> None:
    crowd = Crowd()

    async with standing(raw(crowd.body, name="free"), config=at_most(most)) as (_, board):
        for number, act in enumerate(acts):
            await crowd.act(act, number, board)
        await crowd.end()

    assert crowd.peak <= most
    assert len([each.result() for each in crowd.tasks]) == acts.count("call")

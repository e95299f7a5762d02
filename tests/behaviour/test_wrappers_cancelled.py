"""A call is cancelled while a wrapper waits by itself, after what was inside it has ended."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import attrs
import pytest
from pegboard import Board, Config, Host, Outcome, Signal, ToolCall
from pegboard.testing import RecordingPlugin
from pegboard_policies import PATIENCE, kind, plugin, standing
from pegboard_wrappers import CHAINS, Next, inside, passing_on, wrapping

SLOW = Config(stop_grace=60.0)
CODES = {"before": "aborted_before_start", "around": "aborted", "after": "aborted"}
WAYS = ("signal", "task", "board.cancel", "board.close", "unload")


@attrs.define
class Lingering:
    """A wrapper that waits once what is inside it has ended.

    Attributes:
        reached: set when it waits.
        left: how often its waiting was interrupted.
    """

    reached: asyncio.Event = attrs.field(factory=asyncio.Event)
    left: int = 0

    async def wrap(self, call_next: Next) -> Any:
        """Wait."""
        found = await call_next()
        self.reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.left += 1
        return found


async def by_call(board: Board, signal: Signal) -> Outcome:
    """The outcome of a call."""
    return await board.call("inner", signal=signal)


async def by_batch(board: Board, signal: Signal) -> Outcome:
    """The outcome of a batch of one call."""
    (outcome,) = await board.run([ToolCall("1", "inner")], signal=signal)
    return outcome


async def end(
    way: str, host: Host, board: Board, *, task: "asyncio.Task[Outcome]", signal: Signal
) -> None:
    """End a call in one of the ways that there are."""
    match way:
        case "signal":
            signal.cancel("enough")
        case "task":
            task.cancel()
        case "board.cancel":
            await board.cancel("enough")
        case "board.close":
            await board.close(grace=0)
        case "unload":
            report = await host.unload("policy", grace=0)
            assert (report.cancelled, report.still_running) == (1, ())


DOORS: dict[str, Callable[[Board, Signal], Coroutine[Any, Any, Outcome]]]
DOORS = {"call": by_call, "batch": by_batch}


@pytest.mark.parametrize("suspends", [False, True], ids=["nothing suspends", "the inside suspends"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("chain", CHAINS)
async def test_a_wrapper_that_waits_after_its_inside_is_interrupted_at_once(
    chain: str, way: str, door: str, suspends: bool
) -> None:
    wrapper, recorder, signal = Lingering(), RecordingPlugin(), Signal()
    tool, hooks = inside(chain, lambda: asyncio.sleep(0) if suspends else nothing())
    async with standing(tool, config=SLOW) as (host, board):
        await host.load(recorder)
        await host.load(plugin(**{f"{chain}_call": wrapping(chain, wrapper.wrap)}), name="policy")
        if hooks:
            board.hook(**hooks)
        task = asyncio.create_task(DOORS[door](board, signal))
        async with asyncio.timeout(PATIENCE):
            await wrapper.reached.wait()
            await end(way, host, board, task=task, signal=signal)
            (ended,) = await asyncio.gather(task, return_exceptions=True)
        assert (host.running, wrapper.left) == ((), 1)

    ((_, seen, _),) = recorder.finished
    assert kind(seen) == CODES[chain]
    assert isinstance(ended, asyncio.CancelledError) if way == "task" else ended == seen


async def nothing() -> None:
    """End without suspending."""


@pytest.mark.parametrize("way", ["signal", "task", "board.cancel"])
@pytest.mark.parametrize("chain", CHAINS)
async def test_wrappers_that_pass_on_around_it_and_inside_it_change_nothing(
    chain: str, way: str
) -> None:
    wrapper, signal = Lingering(), Signal()
    tool, hooks = inside(chain, nothing)
    async with standing(tool, config=SLOW) as (host, board):
        for wrap in (passing_on, passing_on, wrapper.wrap, passing_on):
            host.hook(**{f"{chain}_call": wrapping(chain, wrap)})
        if hooks:
            board.hook(**hooks)
        task = asyncio.create_task(board.call("inner", signal=signal))
        async with asyncio.timeout(PATIENCE):
            await wrapper.reached.wait()
            await end(way, host, board, task=task, signal=signal)
            await asyncio.wait([task])
        assert (host.running, wrapper.left) == ((), 1)


async def test_a_wrapper_that_sees_an_inside_stopped_has_its_time_to_stop_and_no_more() -> None:
    outer, wrapper, signal = Lingering(), Lingering(), Signal()
    tool, _ = inside("around", nothing)
    async with standing(tool, config=Config(stop_grace=0.02)) as (host, board):
        for each in (outer, wrapper):
            host.hook(around_call=wrapping("around", each.wrap))
        task = asyncio.create_task(board.call("inner", signal=signal))
        async with asyncio.timeout(PATIENCE):
            await wrapper.reached.wait()
            signal.cancel("enough")
            outcome = await task
        assert host.running == ()

    assert (outcome.is_error, outer.left, wrapper.left) == (True, 1, 1)


@pytest.mark.parametrize("chain", CHAINS)
async def test_a_time_out_of_the_caller_around_it_stays_the_callers_own(chain: str) -> None:
    wrapper = Lingering()
    tool, hooks = inside(chain, nothing)
    async with standing(tool, config=SLOW) as (host, board):
        host.hook(**{f"{chain}_call": wrapping(chain, wrapper.wrap)})
        if hooks:
            board.hook(**hooks)

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await board.call("inner")

        assert (host.running, wrapper.left) == ((), 1)

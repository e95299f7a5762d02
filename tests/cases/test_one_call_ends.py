"""The cases of section One call: every way in which one ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pegboard import JSON, Ask, Board, Code, Host, Outcome, RunContext, Signal, ToolCall
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw
from pegboard_policies import (
    PATIENCE,
    Held,
    Work,
    failed,
    kind,
    noting,
    plugin_with,
    raising,
    standing,
    turns,
)

Ending = Callable[[Host, Board], Awaitable[tuple[Outcome, str]]]


async def _call(
    board: Board, name: str, arguments: JSON = None, **rest: Any
) -> tuple[Outcome, str]:
    return await board.call(ToolCall("c-1", name, arguments), **rest), name


def hooked(**hooks: Callable[..., Any]) -> Ending:
    async def end(host: Host, board: Board) -> tuple[Outcome, str]:
        host.hook(**hooks)
        return await _call(board, "work")

    return end


def with_tool(run: Callable[..., Any], **options: Any) -> Ending:
    async def end(host: Host, board: Board) -> tuple[Outcome, str]:
        host.register(raw(run, **options))
        return await _call(board, "raw")

    return end


async def guarded(host: Host, board: Board) -> tuple[Outcome, str]:
    host.guard(lambda execution: raising(SystemExit(3))())
    return await _call(board, "work")


async def cancelled_before(host: Host, board: Board) -> tuple[Outcome, str]:
    signal = Signal()
    signal.cancel("enough")
    return await _call(board, "work", signal=signal)


async def cancelled_while_running(host: Host, board: Board) -> tuple[Outcome, str]:
    held, signal = Held(), Signal()
    host.register(held.tool())
    task = asyncio.create_task(_call(board, "held", signal=signal))
    await held.started.wait()
    signal.cancel("enough")
    return await task


async def unloaded(host: Host, board: Board) -> tuple[Outcome, str]:
    held = Held()
    await host.load(plugin_with(held.tool()), name="p")
    task = asyncio.create_task(_call(board, "held"))
    await held.started.wait()
    report = await host.unload("p", grace=0.0)
    assert report.cancelled == 1
    return await task


def exits(arguments: JSON, context: RunContext) -> None:
    """Do what no tool should."""
    raise SystemExit(3)


def crashes(arguments: JSON, context: RunContext) -> None:
    """Fail."""
    raise ValueError("kettle")


FAULT = RuntimeError("gate down")
ENDINGS: dict[str, tuple[Ending, Code]] = {
    "text that isn't JSON": (lambda _, board: _call(board, "work", "{bad"), Code.INVALID_ARGUMENTS),
    "a value that isn't JSON": (
        lambda _, board: _call(board, "work", {"x": object()}),
        Code.INVALID_ARGUMENTS,
    ),
    "an unknown name": (lambda _, board: _call(board, "wrok"), Code.UNKNOWN_TOOL),
    "a before hook that raises": (hooked(before_call=raising(FAULT)), Code.POLICY_FAILED),
    "a guard that exits": (guarded, Code.POLICY_FAILED),
    "an around hook that raises": (hooked(around_call=raising(FAULT)), Code.POLICY_FAILED),
    "an after hook that raises": (hooked(after_call=raising(FAULT)), Code.POLICY_FAILED),
    "a run_body hook that raises": (hooked(run_body=raising(FAULT)), Code.POLICY_FAILED),
    "a finalizer that raises": (
        with_tool(lambda arguments, context: 1, finalize=lambda *_: raising(FAULT)()),
        Code.POLICY_FAILED,
    ),
    "a tool that raises": (with_tool(crashes), Code.CRASHED),
    "a tool that exits": (with_tool(exits), Code.CRASHED),
    "a caller that has cancelled": (cancelled_before, Code.ABORTED_BEFORE_START),
    "a caller that cancels": (cancelled_while_running, Code.ABORTED),
    "an unload": (unloaded, Code.ABORTED),
}


@pytest.mark.parametrize("way", ENDINGS)
async def test_p_010_whatever_happens_there_is_one_outcome_and_it_is_observed_once(
    way: str,
) -> None:
    end, code = ENDINGS[way]
    recorder = RecordingPlugin()
    async with standing(Work().tool()) as (host, board):
        await host.load(recorder)
        outcome, name = await end(host, board)
        await turns(3)
        assert host.running == ()

    assert failed(outcome, code).call_id == "c-1"
    assert outcome.tool == name
    observed = [(execution.call_id, seen) for execution, seen, _ in recorder.finished]
    assert observed == [("c-1", outcome)]


class Reached:
    """A place in a call, and what happens to a plugin once it is reached."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    async def wait(self, *_: object) -> None:
        """Wait there."""
        self.event.set()
        await asyncio.Event().wait()

    async def hook(self) -> None:
        """Wait in a hook."""
        await self.wait()

    async def around(self, call_next: Callable[..., Any]) -> None:
        """Wait in a wrapper, before the body."""
        await self.wait()


UNLOADED = {
    "before_call": "aborted_before_start",
    "approve": "denied",
    "around_call": "aborted_before_start",
    "run": "aborted",
    "after_call": "aborted",
}


@pytest.mark.parametrize("stage", UNLOADED)
async def test_p_010_a_plugin_unloaded_while_its_tool_is_in_a_stage_ends_the_call_once(
    stage: str,
) -> None:
    reached, recorder = Reached(), RecordingPlugin()
    tool = raw(reached.wait, name="held") if stage == "run" else raw(Work().run, name="held")
    async with standing() as (host, board):
        await host.load(recorder)
        await host.load(plugin_with(tool), name="p")
        if stage != "run":
            host.hook(**{stage: reached.around if stage == "around_call" else reached.hook})
        if stage == "approve":
            host.hook(before_call=noting([], "", Ask("sure?")))
        task = asyncio.create_task(_call(board, "held"))
        await asyncio.wait_for(reached.event.wait(), PATIENCE)
        report = await asyncio.wait_for(host.unload("p", grace=0.0), PATIENCE)
        outcome, _ = await asyncio.wait_for(task, PATIENCE)

    assert (kind(outcome), report.still_running) == (UNLOADED[stage], ())
    assert [seen for _, seen, _ in recorder.finished] == [outcome]

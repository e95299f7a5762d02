"""Which calls wait for an upgrade, and what ends their waiting."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
from pegboard import Board, Failure, Host, Outcome, Signal, Tool, ToolCall, hookimpl
from pegboard.calls import Pipeline
from pegboard.calls.parking import Parking
from pegboard.registry import Generation
from pegboard_cases import named, raw


def _same(arguments: Any, context: Any) -> Any:
    return arguments


class Own:
    """A plugin with one tool, and with an observer if it is told what to keep."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give a tool that may overlap others."""
        return [raw(_same, name="own", concurrency_safe=True, extra="keep")]


class Observing(Own):
    """The same with an observer."""

    def __init__(self) -> None:
        self.seen: list[Outcome] = []

    @hookimpl
    def pegboard_call_finished(self, outcome: Outcome) -> None:
        """Keep the outcome."""
        self.seen.append(outcome)


@attrs.frozen
class Stand:
    """A board, and the upgrade of a plugin that its calls wait for."""

    host: Host
    board: Board
    pipeline: Pipeline
    generation: Generation
    parking: Parking

    def end(self) -> None:
        """Let the calls go on."""
        self.pipeline.unpark(self.parking)

    @property
    def stages(self) -> list[str]:
        """Where the calls are that have not ended."""
        return [each.stage for each in self.host.running]


@asynccontextmanager
async def standing(plugin: Any = None) -> AsyncIterator[Stand]:
    """A plugin whose calls are parked."""
    async with Host(discover=False) as host:
        await host.load(plugin or Own(), name="own")
        host.register(named("other"))
        generation = host._loader._loaded["own"].generation
        pipeline = host._engine.pipeline
        parking = pipeline.parkings.begin([generation])
        stand = Stand(host, await host.board("case"), pipeline, generation, parking)
        try:
            yield stand
        finally:
            stand.end()


async def turned(times: int = 5) -> None:
    """Let everything happen that can."""
    for _ in range(times):
        await asyncio.sleep(0)


async def test_a_call_of_the_plugin_waits_and_goes_on_when_the_upgrade_is_over() -> None:
    async with standing() as stand:
        call = asyncio.create_task(stand.board.call("own", {"n": 1}))
        await turned()
        stages, leases = stand.stages, stand.generation.leases
        stand.end()

        assert (stages, leases) == (["parked"], 0)
        assert (await call).unwrap() == {"n": 1}


async def test_a_call_that_has_nothing_of_the_plugin_does_not_wait() -> None:
    async with standing() as stand:
        assert (await stand.board.call("other")).unwrap() == "other"


async def test_a_call_of_another_tool_waits_where_it_would_pass_a_hook_of_the_plugin() -> None:
    plugin = Observing()
    async with standing(plugin) as stand:
        call = asyncio.create_task(stand.board.call("other"))
        await turned()
        stages = stand.stages
        stand.end()

        assert (stages, (await call).unwrap()) == (["parked"], "other")
        assert len(plugin.seen) == 1


async def test_the_time_that_a_call_waits_counts_as_waited() -> None:
    waited: list[float] = []
    async with standing() as stand:
        stand.host.hook(call_finished=lambda timing: waited.append(timing.waited))
        call = asyncio.create_task(stand.board.call("own"))
        await asyncio.sleep(0.02)
        stand.end()
        await call

    assert waited[0] >= 0.02


async def test_arguments_are_taken_before_a_call_waits() -> None:
    given = {"n": 1}
    async with standing() as stand:
        call = asyncio.create_task(stand.board.call("own", given))
        await turned()
        given["n"] = 2
        stand.end()

        assert (await call).unwrap() == {"n": 1}


async def test_a_call_with_invalid_arguments_is_told_so_when_it_goes_on() -> None:
    async with standing() as stand:
        call = asyncio.create_task(stand.board.call("own", "no json"))
        await turned()
        stand.end()
        outcome = await call

        assert isinstance(outcome, Failure)
        assert outcome.code == "invalid_arguments"


@pytest.mark.parametrize("is_switching", [False, True], ids=["draining", "switching"])
async def test_cancelling_ends_the_waiting_at_once_and_is_observed_once(
    is_switching: bool,
) -> None:
    plugin, signal = Observing(), Signal()
    async with standing(plugin) as stand:
        stand.parking.is_switching = is_switching
        call = asyncio.create_task(stand.board.call("own", signal=signal))
        await turned()
        signal.cancel("enough")
        outcome = await call
        seen = list(plugin.seen)
        stand.end()
        await turned()

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == ("aborted_before_start", "enough")
    assert seen == ([] if is_switching else [outcome])
    assert plugin.seen == [outcome]


async def test_a_caller_that_is_cancelled_while_it_waits_is_cancelled() -> None:
    plugin = Observing()
    async with standing(plugin) as stand:
        call = asyncio.create_task(stand.board.call("own"))
        await turned()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        assert [each.code for each in plugin.seen] == ["aborted_before_start"]
        assert stand.stages == []


async def test_a_call_that_is_cancelled_already_does_not_wait() -> None:
    signal = Signal()
    signal.cancel("before")
    async with standing() as stand:
        outcome = await stand.board.call("own", signal=signal)

    assert isinstance(outcome, Failure)
    assert outcome.code == "aborted_before_start"


async def test_a_call_inside_one_that_uses_the_old_load_does_not_wait() -> None:
    async def outer(arguments: Any, context: Any) -> Any:
        parking = pipelines[0].parkings.begin(pipelines[1:])
        outcome = await context.call("own", {"n": 2})
        pipelines[0].unpark(parking)
        return outcome.unwrap()

    class Outer(Own):
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            return [*super().pegboard_tools(), raw(outer, name="outer")]

    pipelines: list[Any] = []
    async with standing(Outer()) as stand:
        pipelines += [stand.pipeline, stand.generation]
        stand.end()

        assert (await stand.board.call("outer")).unwrap() == {"n": 2}


async def test_a_batch_lands_what_runs_while_its_next_call_waits() -> None:
    calls = [ToolCall("1", "other"), ToolCall("2", "own"), ToolCall("3", "other")]
    landed = []
    async with standing() as stand:
        stream = stand.board.stream(calls)
        landed.append(await anext(stream))
        rest = asyncio.create_task(_rest(stream))
        await turned()
        stages = stand.stages
        stand.end()
        landed += await rest

    assert stages == ["parked"]
    assert [(each.call_id, each.is_error) for each in landed] == [(n, False) for n in "123"]


async def _rest(stream: Any) -> list[Outcome]:
    return [each async for each in stream]


async def test_cancelling_a_batch_ends_the_waiting_of_its_next_call() -> None:
    calls = [ToolCall(str(number), "own") for number in range(3)]
    async with standing() as stand:
        batch = asyncio.create_task(stand.board.run(calls))
        await turned()
        await stand.board.cancel("enough")
        outcomes = await batch

    assert [each.call_id for each in outcomes] == ["0", "1", "2"]
    assert {each.code for each in outcomes} == {"aborted_before_start"}


async def test_a_batch_whose_caller_is_cancelled_while_it_waits_is_cancelled() -> None:
    async with standing(Observing()) as stand:
        batch = asyncio.create_task(stand.board.run([ToolCall("1", "own"), ToolCall("2", "own")]))
        await turned()
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch

        assert stand.stages == []

"""Hooks that outlive their limit: listed until they end, and told of when their plugin goes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Ask, Config, Execution, Host, Signal
from pegboard_policies import PATIENCE, Work, kind, noting, plugin, standing, until
from pegboard_wrappers import Next, Stubborn, wrapping

LIMITS = Config(hook_timeout=0.03, stop_grace=0.03)


def hanging(stubborn: Stubborn, place: str) -> dict[str, Callable[..., Any]]:
    """The hooks of a plugin that hangs in one place."""

    async def on_the_way_in(call_next: Next) -> Any:
        await stubborn.run()
        return await call_next()

    async def on_the_way_out(call_next: Next) -> Any:
        found = await call_next()
        await stubborn.run()
        return found

    async def hang() -> None:
        await stubborn.run()

    async def guard(execution: Execution) -> None:
        await stubborn.run()

    chain, _, way = place.partition(" ")
    if way:
        wrap = on_the_way_in if way == "in" else on_the_way_out
        return {f"{chain}_call": wrapping(chain, wrap)}
    if place == "guards":
        return {"guards": lambda: [guard]}
    if place == "approve":
        return {"before_call": noting([], "", Ask("sure?")), "approve": hang}
    return {f"call_{place}" if place == "finished" else f"{place}_call": hang}


ENDS = {
    "before": "policy_failed",
    "before in": "policy_failed",
    "before out": "policy_failed",
    "approve": "aborted_before_start",
    "guards": "policy_failed",
    "around in": "policy_failed",
    "around out": "policy_failed",
    "after": "policy_failed",
    "after in": "policy_failed",
    "after out": "policy_failed",
    "finished": "ok",
}


async def outlived(host: Host, stubborn: Stubborn, place: str) -> str:
    """How a call ends whose hook outlives its limit; an approval has none but the signal's."""
    await host.load(plugin(**hanging(stubborn, place)), name="slow")
    board, signal = await host.board("case"), Signal()
    task = asyncio.create_task(board.call("work", id="c1", signal=signal))
    await stubborn.started.wait()
    if place == "approve":
        signal.cancel("enough")
    return kind(await asyncio.wait_for(task, PATIENCE))


@pytest.mark.parametrize("place", ENDS)
async def test_a_hook_that_outlives_its_limit_is_listed_until_it_ends(place: str) -> None:
    stubborn = Stubborn()
    async with standing(Work().tool(), config=LIMITS) as (host, _):
        ended = await outlived(host, stubborn, place)
        (listed,) = host.running
        stubborn.released.set()
        await until(lambda: not host.running)

    assert ended == ENDS[place]
    assert (listed.call_id, listed.tool, listed.abandoned) == ("c1", "work", True)
    assert listed.stage == place.partition(" ")[0]


@pytest.mark.parametrize("place", ENDS)
async def test_unloading_its_plugin_tells_of_it(place: str) -> None:
    stubborn = Stubborn()
    async with standing(Work().tool(), config=LIMITS) as (host, _):
        await outlived(host, stubborn, place)

        report = await host.unload("slow", grace=0)

        stubborn.released.set()
        await until(lambda: not host.running)
    assert report.still_running == ("c1",)


@pytest.mark.parametrize("place", ENDS)
async def test_once_it_has_ended_nothing_of_it_is_left(place: str) -> None:
    stubborn = Stubborn()
    async with standing(Work().tool(), config=LIMITS) as (host, board):
        await outlived(host, stubborn, place)
        stubborn.released.set()
        await until(lambda: not host.running)

        report = await asyncio.wait_for(host.unload("slow", grace=60), PATIENCE)

        assert not (await board.call("work")).is_error
    assert (report.drained, report.cancelled, report.still_running) == (0, 0, ())


@pytest.mark.parametrize("place", ENDS)
async def test_calls_that_come_meanwhile_are_not_held_up(place: str) -> None:
    stubborn, work = Stubborn(), Work()
    async with standing(work.tool(), config=LIMITS) as (host, board):
        await outlived(host, stubborn, place)
        await host.unload("slow", grace=0)

        outcome = await asyncio.wait_for(board.call("work", id="c2"), PATIENCE)

        assert [each.call_id for each in host.running] == ["c1"]
        stubborn.released.set()
        await until(lambda: not host.running)
    assert (outcome.is_error, work.ran[-1]) == (False, "c2")

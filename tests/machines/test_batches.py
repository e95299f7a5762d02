"""Batches keep their promises for every mix of calls, however long each of them takes."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from typing import Any

import attrs
import pytest
from batch_model import EXCLUSIVE, SHARED, Plan, Running, planned, plans, suspend
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pegboard import (
    Board,
    Host,
    Outcome,
    Signal,
    ToolCall,
)
from pegboard_house import searched
from pegboard_policies import kind

LIMIT = 30.0


async def ran(running: Running, most: int, door: Callable[..., Any]) -> list[Outcome]:
    """The outcomes of the batch."""
    calls = [ToolCall(each, "raw", {"id": each}) for each in running.plans]
    async with Host(discover=False) as host:
        running.watch(host)
        board = await host.board("a")
        async with asyncio.timeout(LIMIT):
            outcomes: list[Outcome] = await door(board, calls, most)
        assert host.running == ()
    return outcomes


async def run(board: Board, calls: list[ToolCall], most: int) -> list[Outcome]:
    """All at once."""
    return await board.run(calls, max_parallel=most)


async def stream(board: Board, calls: list[ToolCall], most: int) -> list[Outcome]:
    """One after the other."""
    return [each async for each in board.stream(calls, max_parallel=most)]


def check_order(running: Running, outcomes: list[Outcome]) -> None:
    """See that policies, outcomes and contexts keep the order of the calls."""
    ids = list(running.plans)
    assert [each.call_id for each in outcomes] == ids
    assert [kind(each) for each in outcomes] == [each.code for each in running.plans.values()]
    contexts = [context for each in outcomes for context in each.contexts]
    assert contexts == [each for each in ids if running.plans[each].runs]
    assert running.order("before") == running.order("decided") == ids
    assert running.order("after") == running.order("judged") == ids
    assert running.order("finished") == ids
    check_one_at_a_time(running, "before", "decided")
    check_one_at_a_time(running, "after", "judged")


def check_one_at_a_time(running: Running, opening: str, closing: str) -> None:
    """See that what opens is closed before the next one opens."""
    words = [each for each, _ in running.log if each in {opening, closing}]
    assert words == [opening, closing] * (len(words) // 2)


def check_bodies(running: Running, most: int) -> None:
    """See that nothing overlapped what it must not, and that exclusive calls kept their place."""
    assert running.broken == []
    assert running.peak <= most
    places = {each: place for place, each in enumerate(running.log)}
    ids = [each for each in running.plans if running.plans[each].runs]
    for place, first in enumerate(ids):
        for second in ids[place + 1 :]:
            if not running.plans[first].overlaps(running.plans[second]):
                assert places["end", first] < places["start", second]


LONG = Plan(SHARED, body=30)
AWAITED = Plan(SHARED, policy="once", asked=6)


@settings(
    max_examples=searched(thorough=200, short=30),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(plans, max_size=12), st.integers(1, 5), st.sampled_from([run, stream]))
@example([LONG, Plan("a"), Plan("a"), Plan(EXCLUSIVE), LONG], 2, run)
@example([AWAITED, LONG, Plan(EXCLUSIVE), AWAITED, Plan(EXCLUSIVE)], 3, stream)
@example([Plan("a", policy="once", asked=6), Plan("b"), Plan("a"), Plan(SHARED)], 2, run)
async def test_whatever_a_batch_is_made_of_it_keeps_order_and_never_overlaps_what_it_must_not(
    plans: list[Plan], most: int, door: Callable[..., Any]
) -> None:
    running = planned(plans)

    outcomes = await ran(running, most, door)

    check_order(running, outcomes)
    check_bodies(running, most)


@attrs.frozen
class Leaving:
    """How a caller goes away.

    Attributes:
        way: by its signal, by cancelling its task, or by listening no more.
        after: how often the loop turns before that, or how many outcomes it waits for.
    """

    way: str
    after: int

    async def leave(
        self, running: Running, board: Board, calls: list[ToolCall], most: int
    ) -> list[Outcome]:
        """The outcomes that the caller still gets."""
        if self.way == "listens no more":
            return await self._listen(running, board, calls, most)
        signal = Signal()
        task = asyncio.create_task(board.run(calls, max_parallel=most, signal=signal))
        await suspend(self.after)
        running.note("left", "")
        if self.way == "cancels its task":
            task.cancel()
        else:
            signal.cancel("enough")
        try:
            return await task
        except asyncio.CancelledError:
            return []

    async def _listen(
        self, running: Running, board: Board, calls: list[ToolCall], most: int
    ) -> list[Outcome]:
        heard: list[Outcome] = []
        async with aclosing(board.stream(calls, max_parallel=most)) as outcomes:
            while len(heard) < min(self.after, len(calls)):
                heard.append(await anext(outcomes))
            running.note("left", "")
        return heard


ways = st.sampled_from(["cancels its signal", "cancels its task", "listens no more"])
leavings = st.builds(Leaving, ways, st.integers(1, 60))
STOPPED = {"aborted", "aborted_before_start"}


def check_left(running: Running, heard: list[Outcome]) -> None:
    """See that every call has ended, once, and that none began after the caller had left."""
    ids = list(running.plans)
    assert running.order("finished") == ids
    assert [each.call_id for each in heard] == ids[: len(heard)]
    for each in heard:
        assert kind(each) in {running.plans[each.call_id].code, *STOPPED}
    started = running.order("start")
    assert sorted(started) == sorted(running.order("end"))
    assert len(set(started)) == len(started)
    left = running.log.index(("left", ""))
    assert "start" not in {word for word, _ in running.log[left:]}


@settings(
    max_examples=searched(thorough=200, short=30),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(plans, max_size=8), st.integers(1, 4), leavings)
async def test_a_caller_who_goes_away_leaves_every_call_with_one_outcome_and_nothing_running(
    plans: list[Plan], most: int, leaving: Leaving
) -> None:
    running = planned(plans)

    heard = await ran(running, most, partial(leaving.leave, running))
    await suspend(3)

    check_left(running, heard)
    assert running.broken == []
    assert running.peak <= most
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("door", [run, stream])
async def test_a_batch_of_a_thousand_calls_half_of_them_exclusive_keeps_order(
    door: Callable[..., Any],
) -> None:
    running = planned([Plan((SHARED, EXCLUSIVE)[each // 5 % 2], body=20) for each in range(1_000)])

    outcomes = await ran(running, 10, door)

    check_order(running, outcomes)
    check_bodies(running, 10)
    assert running.peak == 5


async def test_as_many_bodies_run_at_once_as_may() -> None:
    running = planned([Plan(SHARED, body=20) for _ in range(40)])

    await ran(running, 7, run)

    assert running.peak == 7

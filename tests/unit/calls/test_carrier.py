"""Bodies start at once, and see one task and one context from their first step to their last."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.calls.carrier import Carriers
from pegboard.calls.settle import guarded
from pegboard.calls.threads import Ended, Raised, Returned, Running

marked: ContextVar[int] = ContextVar("marked", default=0)


async def run(body: Callable[[], Awaitable[object]]) -> Ended:
    """How a body ends."""
    carriers = Carriers()
    try:
        started = carriers.start(guarded(body))
        return await started.future if isinstance(started, Running) else started
    finally:
        await carriers.close()
        await asyncio.sleep(0)


async def test_a_body_that_never_suspends_has_ended_when_it_was_started() -> None:
    async def body() -> str:
        return "done"

    carriers = Carriers()
    started = carriers.start(guarded(body))
    await carriers.close()
    await asyncio.sleep(0)

    assert started == Returned("done")


@pytest.mark.parametrize("suspensions", [0, 1, 5])
async def test_a_body_sees_one_task_that_is_not_its_callers(suspensions: int) -> None:
    seen = []

    async def body() -> None:
        for _ in range(suspensions):
            seen.append(asyncio.current_task())
            await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    await run(body)

    assert len(set(seen)) == 1
    assert asyncio.current_task() not in seen


@pytest.mark.parametrize("suspends", [False, True])
async def test_changes_to_the_context_stay_in_the_body(suspends: bool) -> None:
    marked.set(1)

    async def body() -> list[int]:
        seen = [marked.get()]
        marked.set(2)
        if suspends:
            await asyncio.sleep(0)
        return [*seen, marked.get()]

    ended = await run(body)

    assert ended == Returned([1, 2])
    assert marked.get() == 1


async def test_time_limits_of_a_body_are_its_own_and_never_cancel_the_caller() -> None:
    async def body() -> str:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(5)
        except TimeoutError:
            return "in time"
        return "late"

    assert await run(body) == Returned("in time")
    assert_is_not_cancelled()


async def test_a_task_group_of_a_body_that_fails_is_the_bodys_own_failure() -> None:
    async def fail() -> None:
        raise ValueError("inner")

    async def body() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            await asyncio.sleep(5)

    ended = await run(body)

    assert isinstance(ended, Raised)
    assert isinstance(ended.error, ExceptionGroup)
    assert_is_not_cancelled()


@pytest.mark.parametrize("before", [0, 1])
async def test_a_body_that_cancels_its_own_task_reaches_nobody_else(before: int) -> None:
    async def body() -> None:
        for _ in range(before):
            await asyncio.sleep(0)
        task = asyncio.current_task()
        if task is not None:
            task.cancel()
        await asyncio.sleep(5)

    ended = await asyncio.wait_for(run(body), 2)

    assert isinstance(ended, Raised)
    assert isinstance(ended.error, asyncio.CancelledError)
    assert_is_not_cancelled()


@pytest.mark.parametrize(
    "error",
    [SystemExit(1), KeyboardInterrupt(), GeneratorExit(), StopAsyncIteration(), MemoryError()],
)
@pytest.mark.parametrize("suspends", [False, True])
async def test_whatever_a_body_raises_is_a_value(error: BaseException, suspends: bool) -> None:
    async def body() -> None:
        if suspends:
            await asyncio.sleep(0)
        raise error

    ended = await run(body)

    assert ended == Raised(error)


async def test_an_interrupted_body_runs_its_finally_with_awaits() -> None:
    left = []

    async def body() -> None:
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0.01)
            left.append("finally")

    carriers = Carriers()
    started = carriers.start(guarded(body))
    assert isinstance(started, Running)
    started.interrupt()
    ended = await started.future
    await carriers.close()
    await asyncio.sleep(0)

    assert (type(ended), left) == (Raised, ["finally"])


@given(st.lists(st.integers(0, 3), max_size=30))
async def test_every_body_gives_its_own_value_however_they_interleave(waits: list[int]) -> None:
    carriers = Carriers()

    async def one(number: int, suspensions: int) -> int:
        async def body() -> int:
            task = asyncio.current_task()
            for _ in range(suspensions):
                await asyncio.sleep(0)
                assert asyncio.current_task() is task
            return number

        started = carriers.start(guarded(body))
        ended = await started.future if isinstance(started, Running) else started
        assert isinstance(ended, Returned)
        return int(ended.value)

    found = await asyncio.gather(*(one(number, wait) for number, wait in enumerate(waits)))
    await carriers.close()
    await asyncio.sleep(0)

    assert found == list(range(len(waits)))


def assert_is_not_cancelled() -> None:
    """The caller's own task was not told to stop."""
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_interrupting_a_body_that_has_ended_does_not_reach_the_next_one() -> None:
    carriers, seen = Carriers(), []

    async def body() -> None:
        await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    first = carriers.start(guarded(body))
    assert isinstance(first, Running)
    await first.future
    second = carriers.start(guarded(body))
    assert isinstance(second, Running)
    first.interrupt()
    ended = await second.future
    await carriers.close()

    assert ended == Returned(None)

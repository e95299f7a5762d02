"""How much the calls of one program may hold of the host's memory while they are open."""

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pegboard import CodeConfig, Config, ToolCallError, tool
from pegboard_cases import says
from pegboard_policies import succeeded
from pegboard_programs import Inside, coded, running

MEMORY = 1000
CONFIG = Config(code=CodeConfig(memory=MEMORY))


@tool
async def measure(text: str) -> int:
    """Give the length of a text."""
    await asyncio.sleep(0)
    return len(text)


async def given_by(body: Any) -> Any:
    """What a program gives whose open calls may hold `MEMORY`."""
    async with coded(body, measure, config=CONFIG) as (_, board):
        return succeeded(await running(board)).value["result"]


def at_once(it: Inside, *sizes: int) -> Any:
    """The values of calls that are all open at once, and the errors of those that failed."""
    calls = [it.make("measure", text="x" * size) for size in sizes]
    return asyncio.gather(*calls, return_exceptions=True)


async def test_calls_at_once_that_hold_more_than_the_memory_fail_and_say_the_way_out() -> None:
    async def body(it: Inside) -> Any:
        first, second, third = await at_once(it, 600, 600, 60)
        assert isinstance(second, ToolCallError)
        return [first, str(second), third]

    first, second, third = await given_by(body)

    assert (first, third) == (600, 60)
    assert says(second, "1 calls", "1000 bytes", "await")


async def test_one_call_alone_may_hold_more_than_the_memory() -> None:
    async def body(it: Inside) -> Any:
        return await it.make("measure", text="x" * 3 * MEMORY)

    assert await given_by(body) == 3 * MEMORY


async def test_calls_one_after_the_other_hold_nothing_of_those_before() -> None:
    async def body(it: Inside) -> Any:
        return [await it.make("measure", text="x" * 900) for _ in range(20)]

    assert await given_by(body) == [900] * 20


async def test_calls_that_failed_hold_nothing_any_more() -> None:
    async def body(it: Inside) -> Any:
        for _ in range(20):
            (refused,) = await asyncio.gather(
                it.make("measure", text=["x" * 900]), return_exceptions=True
            )
            assert isinstance(refused, ToolCallError)
        return await it.make("measure", text="x" * 900)

    assert await given_by(body) == 900


@given(st.lists(st.lists(st.integers(0, 700), max_size=5), max_size=5))
def test_what_is_open_never_holds_more_and_every_call_is_made_or_refused(
    rounds: list[list[int]],
) -> None:
    async def body(it: Inside) -> None:
        for sizes in rounds:
            for size, value in zip(sizes, await at_once(it, *sizes), strict=True):
                assert value == size or isinstance(value, ToolCallError)
            kept, held = [], 0
            for index, size in enumerate(sizes):
                text = size + len('{"text":""}')
                if not index or held + text <= MEMORY:
                    held += text
                    kept.append(size)
            values = await at_once(it, *sizes)
            assert [each for each in values if type(each) is int] == kept

    asyncio.run(given_by(body))

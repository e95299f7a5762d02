"""Calls of one message that may not overlap wait for each other."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pegboard import Tool, ToolAnnotations
from pegboard.frameworks._turns import Overlap, Turn, overlap

READ_ONLY = ToolAnnotations(read_only=True)


def a_tool(**fields: Any) -> Tool:
    return Tool(name="t", parameters={"type": "object"}, run=print, **fields)


def by_path(arguments: Any) -> str:
    return str(arguments["path"])


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (a_tool(), {}, False),
        (a_tool(annotations=READ_ONLY), {}, True),
        (a_tool(annotations=READ_ONLY, concurrency_safe=False), {}, False),
        (a_tool(concurrency_safe=True), {}, True),
        (a_tool(concurrency_safe=by_path), {"path": "a"}, "a"),
        (a_tool(concurrency_safe=by_path), '{"path": "a"}', "a"),
        (a_tool(concurrency_safe=by_path), {}, False),
        (a_tool(concurrency_safe=by_path), "{", False),
        (a_tool(concurrency_safe=lambda arguments: 1), {}, False),
        (None, {}, True),
    ],
)
def test_a_tool_says_how_its_calls_overlap(
    tool: Tool | None, arguments: Any, expected: Overlap
) -> None:
    assert overlap(tool, arguments) == expected


async def most_at_once(*places: Overlap) -> tuple[int, list[int]]:
    """How many calls held a place at once, and the order in which they got it."""
    turn, running, most, order = Turn(), 0, 0, []

    async def call(number: int, mine: Overlap) -> None:
        nonlocal running, most
        async with turn.place(mine):
            order.append(number)
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1

    await asyncio.gather(*(call(number, mine) for number, mine in enumerate(places)))
    return most, order


@pytest.mark.parametrize(
    ("places", "most"),
    [
        ((True, True, True), 3),
        ((False, False), 1),
        (("a", "a"), 1),
        (("a", "b", True), 3),
        ((True, False, True), 1),
        ((True, True, False, "a", "a"), 2),
    ],
)
async def test_calls_hold_their_places_beside_those_that_they_may_overlap(
    places: tuple[Overlap, ...], most: int
) -> None:
    found, order = await most_at_once(*places)

    assert (found, order) == (most, sorted(order))


async def test_who_stops_waiting_or_fails_leaves_the_place_to_the_next() -> None:
    turn, seen = Turn(), []

    async def call(name: str, body: Callable[[], Any]) -> None:
        async with turn.place(False):
            seen.append(name)
            await body()

    held = asyncio.Event()
    first = asyncio.create_task(call("first", held.wait))
    second = asyncio.create_task(call("second", held.wait))
    third = asyncio.create_task(call("third", held.wait))
    await asyncio.sleep(0)
    second.cancel()
    held.set()
    with suppress(asyncio.CancelledError):
        await second
    await asyncio.gather(first, third)

    assert seen == ["first", "third"]

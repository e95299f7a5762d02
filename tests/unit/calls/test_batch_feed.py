"""A feed: one reader of what happens, who stops it by going away."""

import asyncio
from contextlib import aclosing

import pytest
from pegboard.calls.feed import Feed


def nothing(_: str) -> None:
    """Cancel nothing."""


async def test_what_was_put_is_read_in_order_until_the_driving_ends() -> None:
    feed: Feed[int] = Feed()

    async def drive() -> None:
        for number in range(3):
            feed.put(number)
            await asyncio.sleep(0)

    assert [each async for each in feed.read(drive, nothing)] == [0, 1, 2]


async def test_an_error_of_what_drives_reaches_the_reader_after_what_was_put() -> None:
    feed: Feed[int] = Feed()

    async def drive() -> None:
        feed.put(1)
        raise ZeroDivisionError

    reading = feed.read(drive, nothing)
    read = await anext(reading)

    with pytest.raises(ZeroDivisionError):
        await anext(reading)
    assert read == 1


async def test_a_reader_who_goes_away_cancels_and_waits_for_the_end() -> None:
    feed: Feed[int] = Feed()
    cancelled, log = asyncio.Event(), list[str]()

    async def drive() -> None:
        feed.put(1)
        await cancelled.wait()
        log.append("ended")

    def cancel(reason: str) -> None:
        log.append("cancelled")
        cancelled.set()

    async with aclosing(feed.read(drive, cancel)) as reading:
        await anext(reading)

    assert log == ["cancelled", "ended"]


async def test_a_feed_that_is_never_read_drives_nothing() -> None:
    feed: Feed[int] = Feed()
    begun: list[int] = []

    async def drive() -> None:
        begun.append(1)

    await feed.read(drive, nothing).aclose()

    assert begun == []

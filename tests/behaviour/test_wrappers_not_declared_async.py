"""Sync functions that give something to await are asked once, as async hooks are."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Block, Deny, Host
from pegboard_policies import Work, kind, noting, standing

MOST = 20
PLACES = ("before", "guards", "after", "finished")
REFUSALS: dict[str, Any] = {"before": Deny("no"), "guards": "no", "after": Block()}


def put(host: Host, place: str, ask: Callable[[], Any]) -> None:
    """Have something asked at one place of every call."""
    if place == "guards":
        host.guard(lambda execution: ask())
    else:
        host.hook(**{"call_finished" if place == "finished" else f"{place}_call": ask})


def awaited(log: list[str], word: str, *, suspends: bool) -> Callable[[], Any]:
    """A sync function that gives a coroutine that has no opinion."""

    async def quiet() -> None:
        if suspends:
            await asyncio.sleep(0)

    def ask() -> Any:
        log.append(word)
        if len(log) > MOST:
            raise RuntimeError("asked over and over")
        return quiet()

    return ask


@pytest.mark.parametrize("suspends", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize("others", [(), ("before",), ("guards",), ("after",), PLACES])
@pytest.mark.parametrize("place", PLACES)
async def test_each_is_asked_once_for_a_call(
    place: str, others: tuple[str, ...], suspends: bool
) -> None:
    log: list[str] = []

    async def elsewhere() -> None:
        await asyncio.sleep(0)

    async def guard(_: object) -> None:
        await asyncio.sleep(0)

    async with standing(Work().tool()) as (host, board):
        put(host, place, awaited(log, "first", suspends=suspends))
        put(host, place, awaited(log, "second", suspends=suspends))
        for each in others:
            if each == "guards":
                board.guard(guard)
            else:
                put_async = {"call_finished" if each == "finished" else f"{each}_call": elsewhere}
                board.hook(**put_async)

        outcome = await board.call("work")

    assert (kind(outcome), sorted(log)) == ("ok", ["first", "second"])


@pytest.mark.parametrize("suspends", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("place", REFUSALS)
async def test_one_without_an_opinion_does_not_hide_a_refusal_beside_it(
    place: str, count: int, suspends: bool
) -> None:
    for at in range(count + 1):
        log: list[str] = []
        async with standing(Work().tool()) as (host, board):
            for number in itertools.count():
                if number == at:
                    put(host, place, noting(log, "refused", REFUSALS[place]))
                if number == count:
                    break
                put(host, place, awaited(log, str(number), suspends=suspends))

            outcome = await board.call("work")

        assert outcome.is_error, f"the refusal at place {at} wasn't heard"

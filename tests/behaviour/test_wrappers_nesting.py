"""Calls inside calls, as deep as they may go, through every kind of hook."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import JSON, Code, Config, Host, RunContext, Tool
from pegboard_cases import raw
from pegboard_policies import failed, standing, succeeded
from pegboard_wrappers import CHAINS, passing_on, wrapping

DEEPEST = 64


async def quiet() -> None:
    """Have no opinion, without suspending."""


async def quiet_guard(_: object) -> None:
    """Refuse nothing, without suspending."""


def observing(**hooks: Callable[..., Any]) -> Callable[[Host], None]:
    """Puts one hook on a host."""
    return lambda host: void(host.hook(**hooks))


def void(_: object) -> None:
    """Nothing is done with it."""


def wrapped(chain: str, count: int) -> Callable[[Host], None]:
    """Puts wrappers of one chain on a host."""

    def put(host: Host) -> None:
        for _ in range(count):
            host.hook(**{f"{chain}_call": wrapping(chain, passing_on)})

    return put


PLAIN: dict[str, Callable[[Host], None]] = {
    "a sync before hook": observing(before_call=lambda: None),
    "a before hook": observing(before_call=quiet),
    "a guard": lambda host: void(host.guard(quiet_guard)),
    "an after hook": observing(after_call=quiet),
    "an observer": observing(call_finished=quiet),
}
WRAPPED = {
    f"{count} around {chain}": wrapped(chain, count) for chain in CHAINS for count in (1, 2, 3)
}


def everything(host: Host) -> None:
    """Puts every kind of hook on a host, three wrappers of each chain."""
    for chain in CHAINS:
        wrapped(chain, 3)(host)
    for put in PLAIN.values():
        put(host)


SURROUNDINGS = {"nothing": void, **PLAIN, **WRAPPED, "everything": everything}


def descending(timeout: float | None) -> Tool:
    """A tool `deep` that calls itself `n` times over, without suspending before."""

    async def run(arguments: JSON, context: RunContext) -> Any:
        if arguments["n"] == 0:
            return "bottom"
        return (await context.call("deep", {"n": arguments["n"] - 1})).unwrap()

    return raw(run, name="deep", timeout=timeout, extra="keep")


@pytest.mark.parametrize("timeout", [None, 60.0], ids=["no limit", "a limit"])
@pytest.mark.parametrize("surroundings", SURROUNDINGS)
async def test_calls_nest_as_deep_as_they_may_whatever_they_pass(
    surroundings: str, timeout: float | None
) -> None:
    async with standing(descending(timeout)) as (host, board):
        SURROUNDINGS[surroundings](host)

        outcome = await board.call("deep", {"n": DEEPEST})

        assert host.running == ()
    assert succeeded(outcome).value == "bottom"


@pytest.mark.parametrize("most", [0, 1, 7, DEEPEST])
@pytest.mark.parametrize("surroundings", ["nothing", "everything"])
async def test_one_level_more_is_an_invalid_call_that_names_the_limit(
    surroundings: str, most: int
) -> None:
    ends: list[Any] = []

    async def run(arguments: JSON, context: RunContext) -> None:
        ends.append(await context.call("deep"))

    async with standing(raw(run, name="deep"), config=Config(max_nesting=most)) as (host, board):
        SURROUNDINGS[surroundings](host)

        outcome = await board.call("deep")

    assert not outcome.is_error
    assert len(ends) == most + 1
    assert f"{most} levels" in failed(ends[0], Code.INVALID_CALL).message
    assert not any(each.is_error for each in ends[1:])

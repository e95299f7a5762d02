"""Waiting until no call uses some loads of plugins any more."""

import asyncio
from collections.abc import Collection

import attrs

from pegboard.calls import Flight, Flights
from pegboard.registry import Generation

_TO_GIVE_UP = 0.05
"""Seconds in which a call that is given up notes what outlives it."""


@attrs.frozen
class Drained:
    """How calls have left.

    Attributes:
        ended: how many have ended by themselves.
        cancelled: how many were cancelled, here or by somebody else.
    """

    ended: int
    cancelled: int


async def drain(
    generations: Collection[Generation],
    flights: Flights,
    *,
    grace: float,
    stop_grace: float,
    reason: str,
) -> Drained:
    """Wait for the calls that use any of these loads.

    Args:
        generations: the loads.
        flights: the calls of the host.
        grace: seconds after which the calls are cancelled.
        stop_grace: seconds that they have to stop then.
        reason: why they are cancelled; models read it.
    """
    begun = users(generations, flights)
    running = {each for each in begun if not each.is_abandoned}
    held: list[Flight] = []
    if not await _is_over(generations, grace):
        held = users(generations, flights)
        left = [each for each in held if not each.is_abandoned]
        running.update(left)
        for flight in left:
            flight.cancel(reason)
        if left:
            await _is_over(generations, stop_grace + _TO_GIVE_UP)
    cancelled = {each for each in running if each.outer_signal.cancelled}
    return Drained(len(set(begun).difference(held, cancelled)), len(cancelled))


def users(generations: Collection[Generation], flights: Flights) -> list[Flight]:
    """The calls that use any of these loads."""
    return flights.of(lambda each: any(each.holds(one) for one in generations))


async def _is_over(generations: Collection[Generation], limit: float) -> bool:
    try:
        async with asyncio.timeout(limit):
            while held := [each for each in generations if each.leases]:
                await held[0].drained()
    except TimeoutError:
        return False
    return True

"""Taking one plugin down, in the order of the contract."""

import asyncio
from collections.abc import Iterable

import attrs

from pegboard.calls import Flight, Flights, Pipeline
from pegboard.config import Config
from pegboard.plugins.loading import Loaded
from pegboard.plugins.modules import Ground
from pegboard.registry import Generation
from pegboard.reports import UnloadReport

_TO_GIVE_UP = 0.05
"""Seconds in which a call that is given up notes what outlives it."""


@attrs.frozen(eq=False)
class Unloading:
    """One unloading on its way.

    Attributes:
        name: the plugin.
        grace: seconds that running calls have before they are cancelled.
        inside: the calls that asked for it; they aren't waited for before it answers.
        first: what whoever asked waits for.
    """

    name: str
    config: Config
    flights: Flights
    pipeline: Pipeline
    grace: float
    inside: list[Flight]
    first: "asyncio.Future[UnloadReport]"

    async def run(self, loaded: Loaded, others: Iterable[Ground]) -> UnloadReport:
        """Withdraw, drain, leave, and tell what is left.

        Args:
            loaded: the plugin.
            others: the grounds of the plugins that stay.
        """
        loaded.registration.close()
        generation = loaded.generation
        self.pipeline.void(generation, f"plugin {self.name!r} is unloaded")
        held = tuple(each.call.id for each in self.inside if each.holds(generation))
        number = generation.owner.generation
        if held:
            self.first.set_result(UnloadReport(self.name, number, 0, 0, held))
            await generation.drained()
        drained, cancelled = await self._drain(generation)
        still = self.flights.of(lambda each: each.holds(generation))
        loaded.holding.others = tuple(others)
        await loaded.stack.aclose()
        threads = (f"thread {each}" for each in self.pipeline.drop_threads(self.name))
        return UnloadReport(
            self.name,
            number,
            drained,
            cancelled,
            tuple(each.call.id for each in still),
            tuple(loaded.leaving.errors),
            (*loaded.leaving.leaked, *loaded.plan.leaks.alive, *threads),
        )

    async def _drain(self, generation: Generation) -> tuple[int, int]:
        running = len(self.flights.of(lambda each: each.holds(generation)))
        if await _is_drained(generation, self.grace):
            return running, 0
        held = self.flights.of(lambda each: each.holds(generation))
        left = [each for each in held if not each.is_abandoned]
        for flight in left:
            flight.cancel(f"plugin {self.name!r} is unloaded")
        if left:
            await _is_drained(generation, self.config.stop_grace + _TO_GIVE_UP)
        return running - len(held), len(left)


async def _is_drained(generation: Generation, limit: float) -> bool:
    if generation.leases == 0:
        return True
    try:
        async with asyncio.timeout(limit):
            await generation.drained()
    except TimeoutError:
        return False
    return True

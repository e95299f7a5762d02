"""Taking one plugin down, in the order of the contract."""

import asyncio

import attrs

from pegboard.calls import Flight, Flights, Pipeline
from pegboard.config import Config
from pegboard.plugins.draining import drain
from pegboard.plugins.loads import Loaded
from pegboard.reports import UnloadReport


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

    async def run(self, loaded: Loaded) -> UnloadReport:
        """Withdraw, drain, leave, and tell what is left."""
        loaded.registration.close()
        generation = loaded.generation
        self.pipeline.void(generation, f"plugin {self.name!r} is unloaded")
        held = tuple(each.call.id for each in self.inside if each.holds(generation))
        number = generation.owner.generation
        if held:
            self.first.set_result(UnloadReport(self.name, number, 0, 0, held))
            await generation.drained()
        drained = await drain(
            [generation],
            self.flights,
            grace=self.grace,
            stop_grace=self.config.stop_grace,
            reason=f"plugin {self.name!r} is unloaded",
        )
        still = self.flights.of(lambda each: each.holds(generation))
        await loaded.stack.aclose()
        threads = (f"thread {each}" for each in self.pipeline.drop_threads(self.name))
        return UnloadReport(
            self.name,
            number,
            drained.ended,
            drained.cancelled,
            tuple(each.call.id for each in still),
            tuple(loaded.leaving.errors),
            (
                *loaded.leaving.leaked,
                *loaded.plan.leaks.alive,
                *threads,
                *loaded.holding.folders_left(),
            ),
        )

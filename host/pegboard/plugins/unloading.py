"""Taking one plugin down, in the order of the contract."""

import asyncio

import attrs

from pegboard.calls import Flight, Flights, Pipeline
from pegboard.config import Config
from pegboard.plugins.draining import drain, users
from pegboard.plugins.loads import Loaded
from pegboard.plugins.outgoing import Outgoing
from pegboard.reports import UnloadReport


@attrs.frozen(eq=False)
class Unloading:
    """One unloading on its way.

    Attributes:
        name: the plugin.
        grace: seconds that running calls have before they are cancelled.
        inside: the calls that asked for it; they aren't waited for before it answers.
        first: what whoever asked waits for.
        outgoing: earlier loads that calls still use; they go with it.
    """

    name: str
    config: Config
    flights: Flights
    pipeline: Pipeline
    grace: float
    inside: list[Flight]
    first: "asyncio.Future[UnloadReport]"
    outgoing: Outgoing

    async def run(self, loaded: Loaded) -> UnloadReport:
        """Withdraw, drain, leave, and tell what is left."""
        loaded.registration.close()
        uses = (loaded.generation, *self.outgoing.of(self.name))
        for each in uses:
            self.pipeline.void(each, f"plugin {self.name!r} is unloaded")
        held = tuple(each.call.id for each in self.inside if any(map(each.holds, uses)))
        number = loaded.generation.owner.generation
        if held:
            self.first.set_result(UnloadReport(self.name, number, 0, 0, held))
            await self.flights.gone(self.inside)
        drained = await drain(
            uses,
            self.flights,
            grace=self.grace,
            stop_grace=self.config.stop_grace,
            reason=f"plugin {self.name!r} is unloaded",
        )
        still = users(uses, self.flights)
        await loaded.stack.aclose()
        left = (loaded, *await self.outgoing.end(self.name))
        threads = (f"thread {each}" for each in self.pipeline.drop_threads(self.name))
        return UnloadReport(
            self.name,
            number,
            drained.ended,
            drained.cancelled,
            tuple(each.call.id for each in still),
            tuple(error for each in left for error in each.leaving.errors),
            (
                *(leaked for each in left for leaked in each.leaving.leaked),
                *(alive for each in left for alive in each.plan.leaks.alive),
                *threads,
                *loaded.holding.folders_left(),
            ),
        )

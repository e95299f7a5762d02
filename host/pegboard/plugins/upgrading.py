"""Exchanging loads of plugins for new ones, so that no call runs code of two and none is lost."""

import logging
from collections.abc import Callable, Iterator
from functools import partial

import attrs

from pegboard.calls import Flights, Pipeline
from pegboard.config import Config
from pegboard.errors import PluginLoadError
from pegboard.plugins.aside import set_aside
from pegboard.plugins.draining import drain, users
from pegboard.plugins.extensions import check_extensions
from pegboard.plugins.forgetting import forget_bytecode
from pegboard.plugins.holding import grounds_held
from pegboard.plugins.kept import KeptFinder
from pegboard.plugins.loading import prepare
from pegboard.plugins.loads import Loaded, Plan, Prepared
from pegboard.plugins.loadthread import in_load_thread, shown
from pegboard.plugins.modules import Ground
from pegboard.plugins.perboard import PerBoard
from pegboard.plugins.rehearsal import try_out
from pegboard.registry import Contributions, Generation, Registry, Scope

_log = logging.getLogger("pegboard.plugins")
_LONG = 3600.0
"""Seconds; what is done within it has limits of its own."""


@attrs.frozen(eq=False)
class Exchange:
    """What takes the place of one load.

    Attributes:
        old: the load.
        plan: what to load instead; None where it isn't installed any more.
    """

    old: Loaded
    plan: Plan | None

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.old.plan.name


@attrs.frozen(eq=False)
class Upgrade:
    """One upgrade on its way: all loads that share their code, together.

    Attributes:
        exchanges: what takes whose place.
        left: by name, what of the old loads goes on or could not be left, once this has run.
    """

    exchanges: tuple[Exchange, ...]
    config: Config
    registry: Registry
    pipeline: Pipeline
    flights: Flights
    boards: PerBoard
    finder: KeptFinder
    left: dict[str, tuple[str, ...]] = attrs.field(factory=dict, init=False)

    @property
    def names(self) -> str:
        """The plugins, for people."""
        return ", ".join(repr(each.name) for each in self.exchanges)

    @property
    def old(self) -> frozenset[Generation]:
        """The loads that go."""
        return frozenset(each.old.generation for each in self.exchanges)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """What is loaded in their place."""
        return tuple(each.plan for each in self.exchanges if each.plan is not None)

    @property
    def is_beside(self) -> bool:
        """Whether old and new loads may stand side by side: their code comes with the host."""
        return all(each.old.plan.source.is_built_in for each in self.exchanges)

    async def rehearse(self) -> None:
        """Try the code on disk in another process; nothing that runs is touched.

        Raises:
            PegboardError: it isn't what was accepted, or could not be loaded.
        """
        holdings = [each.old.holding for each in self.exchanges]
        sources = {path for each in holdings for path in each.sources}
        await self._aside(partial(forget_bytecode, sources), f"looking at {self.names}")
        for each in holdings:
            check_extensions(each)
            self.finder.check(each.ground, but=holdings)
        for plan in self.plans:
            if plan.source.check is not None:
                await self._aside(plan.source.check, f"checking the files of {plan.name!r}")
            if plan.source.ground != Ground():
                await self._aside(partial(try_out, plan, self.config), f"rehearsing {plan.name!r}")

    async def _aside(self, function: Callable[[], None], what: str) -> None:
        """Do in a thread what has limits of its own."""
        plan = next(iter(self.plans), self.exchanges[0].old.plan)
        await in_load_thread(function, what=what, limit=_LONG, leaks=plan.leaks)

    async def run(self, *, grace: float) -> dict[str, Loaded]:
        """Park the calls of these plugins, drain, exchange the code, and let the calls go on.

        Args:
            grace: seconds that running calls have before they are cancelled.

        Returns:
            the new loads by name.

        Raises:
            PegboardError: the new code failed after all; everything is as it was.
        """
        reason = f"plugin {self.names} is upgraded"
        parking = self.pipeline.parkings.begin(self.old)
        try:
            for each in self.old:
                self.pipeline.void(each, f"{reason}, and the approval was for another digest")
            stop_grace = self.config.stop_grace
            await drain(self.old, self.flights, grace=grace, stop_grace=stop_grace, reason=reason)
            left = [each.call.id for each in users(self.old, self.flights)]
            if left:
                _log.warning("calls go on while %s: %s", reason, ", ".join(map(repr, left)))
            parking.is_switching = True
            new = await self._exchanged()
            await self._leave()
        finally:
            self.pipeline.unpark(parking)
        return new

    async def run_beside(self) -> dict[str, Loaded]:
        """Put new loads in the place of the old ones, which go on for the calls that use them.

        No call waits, and whoever has asked leaves the old ones.

        Returns:
            the new loads by name.

        Raises:
            PegboardError: the new ones failed; everything is as it was.
        """
        return await self._brought_up()

    async def _exchanged(self) -> dict[str, Loaded]:
        holdings = [each.old.holding for each in self.exchanges]
        for holding in holdings:
            self.finder.drop(holding)
        new_grounds = (each.source.ground for each in self.plans)
        grounds = [*(each.ground for each in holdings), *new_grounds]
        aside = set_aside(grounds, others=grounds_held())
        try:
            new = await self._brought_up()
        except BaseException:
            aside.put_back()
            for holding in holdings:
                self.finder.hold(holding)
            raise
        aside.let_go()
        return new

    async def _brought_up(self) -> dict[str, Loaded]:
        prepared: list[Prepared] = []
        try:
            for plan in self.plans:
                made = await self._prepared(plan)
                prepared.append(made)
            return self._swap(prepared)
        except BaseException:
            for each in reversed(prepared):
                await each.stack.aclose()
            raise

    async def _prepared(self, plan: Plan) -> Prepared:
        """One new load, entered and collected.

        Raises:
            PluginLoadError: `restart needed`, where only this process can't import it.
        """
        refused: list[BaseException] = []

        def get() -> object:
            try:
                return plan.source.get()
            except BaseException as error:
                refused.append(error)
                raise

        tried = attrs.evolve(plan, source=attrs.evolve(plan.source, get=get))
        try:
            made = await prepare(tried, config=self.config, boards=self.boards, replaces=self.old)
        except PluginLoadError as error:
            if not refused:
                raise
            raise PluginLoadError(
                f"restart needed: {plan.owner} can be imported in a new process, and not again in "
                f"this one ({shown(refused[0])})"
            ) from error
        return attrs.evolve(made, plan=plan)

    def _swap(self, prepared: list[Prepared]) -> dict[str, Loaded]:
        """Put the new contributions in the place of the old ones, on every board in one step.

        Raises:
            PegboardError: a name is taken by now; nothing has changed.
        """
        self.registry.check_together(self._placed(prepared))
        for each in self.exchanges:
            each.old.registration.close()
        new = [each.publish(self.registry, self.boards) for each in prepared]
        self.registry.forget_stale()
        return {each.plan.name: each for each in new}

    def _placed(self, prepared: list[Prepared]) -> Iterator[tuple[Scope, Contributions]]:
        for each in prepared:
            yield from each.placed(self.boards, self.registry)

    async def _leave(self) -> None:
        """Leave the old loads, the last one first; what they leave behind is logged."""
        for each in reversed(self.exchanges):
            old = each.old
            old.holding.is_handed_over = True
            await old.stack.aclose()
            calls = users([old.generation], self.flights)
            running = (f"call {call.call.id!r}" for call in calls)
            leaving, alive = old.leaving, old.plan.leaks.alive
            self.left[each.name] = (*running, *leaving.errors, *leaving.leaked, *alive)
            if self.left[each.name]:
                _log.warning(
                    "%s was left with: %s", old.plan.owner, "; ".join(self.left[each.name])
                )

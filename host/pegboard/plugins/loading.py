"""Bringing one plugin up: all or nothing, on one exit stack."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config, PluginConfig
from pegboard.errors import NotReady, PluginLoadError
from pegboard.hooks import COLLECTED, Implementation
from pegboard.plugins.collecting import contributions
from pegboard.plugins.extensions import note_extensions
from pegboard.plugins.hookbook import HookBook
from pegboard.plugins.kept import KeptFinder, sources_to_keep
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.leaving import Leaving
from pegboard.plugins.loadthread import in_load_thread
from pegboard.plugins.modules import Ground, Holding
from pegboard.plugins.offers import Offers
from pegboard.plugins.perboard import PerBoard, User
from pegboard.plugins.plugin import PluginContext
from pegboard.plugins.refreshing import Refreshing
from pegboard.plugins.settings import made_settings
from pegboard.plugins.sources import Source
from pegboard.plugins.standing import Standing
from pegboard.registry import Contributions, Generation, Owner, Registration, Registry, Scope

_BOARD = "pegboard_board"
Loads = frozenset[Generation]


@attrs.define(eq=False)
class Loaded:
    """One generation of a plugin that is up, and everything that it owns.

    Attributes:
        generation: who it is.
        scope: where its contributions stand.
        registration: takes its contributions from their layer, in one step.
        stack: takes everything else back, in reverse order.
        leaving: what it raised while it was left.
        plan: what was loaded, and how.
        holding: its modules.
        standing: what it has put on its layer.
        refreshing: asks it for its tools again.
    """

    generation: Generation
    scope: Scope
    registration: Registration
    stack: AsyncExitStack
    leaving: Leaving
    plan: "Plan"
    holding: Holding
    standing: Standing
    refreshing: Refreshing

    @property
    def contributions(self) -> Contributions:
        """What stands on its layer now."""
        return self.standing.contributions

    @property
    def ground(self) -> Ground:
        """Where its modules come from."""
        return self.holding.ground


@attrs.frozen
class Plan:
    """What to load, and how.

    Attributes:
        owner: who it will be.
        source: where it comes from.
        scope: where its contributions will stand.
        settings: its table, or an instance of its settings class.
        options: the operator's own options for it.
        others: the grounds of the other loaded plugins.
        leaks: what of it goes on though nobody waits for it.
        finder: finds the sources that are kept of it; None where none are.
    """

    owner: Owner
    source: Source
    scope: Scope
    settings: Any
    options: PluginConfig
    others: tuple[Ground, ...] = ()
    leaks: Leaks = attrs.field(factory=Leaks)
    finder: KeptFinder | None = None

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.owner.plugin or ""


@attrs.frozen(eq=False)
class Prepared:
    """One generation of a plugin that is entered and collected, and of which nothing shows yet.

    Attributes:
        plan: what was loaded, and how.
        generation: who it is.
        stack: takes everything back, in reverse order.
        leaving: what it raises while it is left.
        holding: its modules.
        contributions: what it will put on its layer.
        refreshing: asks it for its tools again.
    """

    plan: Plan
    generation: Generation
    stack: AsyncExitStack
    leaving: Leaving
    holding: Holding
    contributions: Contributions
    refreshing: Refreshing

    def publish(self, registry: Registry, boards: PerBoard) -> Loaded:
        """Put everything on its layers in one step.

        Raises:
            PegboardError: a name is taken by now; nothing stands there.
        """
        scope, generation = self.plan.scope, self.generation
        standing = Standing(registry, scope, self.contributions)
        registration = _published(standing, boards, generation)
        self.stack.callback(registration.close)
        if self.refreshing.open(standing):
            generation.context.create_task(self.refreshing.refresh())
        generation.replaces = frozenset()
        return Loaded(
            generation,
            scope,
            registration,
            self.stack,
            self.leaving,
            self.plan,
            self.holding,
            standing,
            self.refreshing,
        )


async def bring_up(plan: Plan, *, config: Config, registry: Registry, boards: PerBoard) -> Loaded:
    """Import, check, enter and collect a plugin, then put everything on its layer in one step.

    Raises:
        PegboardError: something failed; everything of the plugin was taken back, in reverse order.
    """
    prepared = await prepare(plan, config=config, boards=boards)
    try:
        return prepared.publish(registry, boards)
    except BaseException:
        await prepared.stack.aclose()
        raise


async def prepare(
    plan: Plan, *, config: Config, boards: PerBoard, replaces: Loads = frozenset()
) -> Prepared:
    """Import, check, enter and collect a plugin, for the place of others; nothing shows yet.

    Raises:
        PegboardError: something failed; everything of the plugin was taken back, in reverse order.
    """
    if plan.source.check is not None:
        await _threaded(plan.source.check, f"checking the files of {plan.name!r}", plan, config)
    leaving = Leaving(plan.name, limit=config.stop_grace, leaks=plan.leaks)
    holding = Holding(plan.source.ground, plan.others)
    async with AsyncExitStack() as stack:
        stack.callback(holding.release)
        stack.callback(leaving.close)
        read = await _read(plan, config)
        await _keep_sources(plan, holding, stack, config)
        pins = plan.source.pins
        generation = Generation(plan.owner, limits=config.limits, replaces=replaces, pins=pins)
        stack.callback(generation.forget)
        offers = await _offers(read, generation, plan, config)
        refreshing = _refreshing(offers, generation, plan, config)
        stack.push_async_callback(leaving.stop, offers.context)
        await _enter_lifespan(offers, stack, leaving, config)
        own = read.hooks[_BOARD]
        users = [User(each.function, generation, plan.scope, leaving) for each in own]
        for user in users:
            stack.push_async_callback(boards.remove_user, user)
        stack.push_async_callback(refreshing.stop, limit=config.stop_grace)
        stack.push_async_callback(leaving.stop, offers.context)
        contributed = _contributed(await offers.all(), read.called, generation, plan, config)
        for user in users:
            await boards.add_user(user)
        kept = stack.pop_all()
    return Prepared(plan, generation, kept, leaving, holding, contributed, refreshing)


@attrs.frozen(eq=False)
class _Read:
    """A plugin's object, and its implementations."""

    plugin: object
    implementations: tuple[Implementation, ...]

    @property
    def hooks(self) -> Mapping[str, list[Implementation]]:
        """The implementations by hook; those of collecting hooks are there in any case."""
        found: dict[str, list[Implementation]] = {name: [] for name in COLLECTED}
        for each in self.implementations:
            found.setdefault(each.hook, []).append(each)
        return found

    @property
    def called(self) -> list[Implementation]:
        """The implementations that calls pass."""
        return [each for each in self.implementations if each.hook not in COLLECTED]


async def _read(plan: Plan, config: Config) -> _Read:
    plugin = await _threaded(plan.source.get, f"importing {plan.name!r}", plan, config)
    register = partial(HookBook().register, plugin, plan.name)
    return _Read(plugin, await _threaded(register, f"checking {plan.name!r}", plan, config))


async def _keep_sources(
    plan: Plan, holding: Holding, stack: AsyncExitStack, config: Config
) -> None:
    """Keep what the plugin may yet import as it is now, as long as it is there."""
    if plan.finder is not None and plan.source.ground != Ground():
        read = partial(sources_to_keep, plan.source)
        kept = await _threaded(read, f"reading {plan.name!r}", plan, config)
        stack.callback(plan.finder.remove, holding)
        plan.finder.add(holding, kept)
        note_extensions(holding)


async def _offers(read: _Read, generation: Generation, plan: Plan, config: Config) -> Offers:
    """What asks the plugin for what it offers, once its settings are made."""
    threaded = partial(_threaded, plan=plan, config=config)
    settings = await made_settings(
        read.hooks["pegboard_settings"],
        plan.settings,
        plugin=plan.name,
        config=config,
        converter=generation.converter,
        threaded=threaded,
    )
    context = PluginContext(plan.name, version=plan.owner.version, settings=settings)
    generation.context = context
    return Offers(read.plugin, read.hooks, context, threaded)


def _contributed(
    given: Mapping[str, list[Any]],
    called: Iterable[Implementation],
    generation: Generation,
    plan: Plan,
    config: Config,
) -> Contributions:
    return contributions(
        given,
        called,
        generation=generation,
        layer=plan.scope.layer.name,
        options=plan.options,
        config=config,
    )


def _refreshing(offers: Offers, generation: Generation, plan: Plan, config: Config) -> Refreshing:
    async def ask() -> Contributions:
        return _contributed(await offers.tools(), (), generation, plan, config)

    refreshing = Refreshing(str(plan.owner), ask=ask, leaks=plan.leaks)
    offers.context.refreshes_with(refreshing.refresh)
    return refreshing


async def rehearse(plan: Plan, *, config: Config) -> None:
    """Import a plugin and check what can be checked before it is entered; takes nothing back.

    That is its hooks and settings, and its contributions where no lifespan comes before them.

    Raises:
        PegboardError: something failed.
    """
    read = await _read(plan, config)
    generation = Generation(plan.owner)
    offers = await _offers(read, generation, plan, config)
    if not read.hooks["pegboard_lifespan"]:
        _contributed(await offers.all(), read.called, generation, plan, config)


def _published(standing: Standing, boards: PerBoard, generation: Generation) -> Registration:
    """Show what is for boards too, in the same step; what is given takes all of it back in one."""

    def take_back() -> None:
        standing.close()
        boards.withdraw(generation)

    try:
        boards.publish(generation)
    except BaseException:
        take_back()
        raise
    return Registration(take_back)


async def _threaded(function: Callable[[], Any], what: str, plan: Plan, config: Config) -> Any:
    return await in_load_thread(function, what=what, limit=config.load_timeout, leaks=plan.leaks)


async def _enter_lifespan(
    offers: Offers, stack: AsyncExitStack, leaving: Leaving, config: Config
) -> None:
    context = offers.context
    for each in offers.hooks["pegboard_lifespan"]:
        what = f"pegboard_lifespan of {context.name!r}"
        keeper = leaving.keeper(what, limit=config.load_timeout)
        try:
            context.resource = await keeper.enter(partial(each.function, context))
        except PluginLoadError as error:
            if isinstance(error.__cause__, NotReady):
                raise error.__cause__ from error.__cause__.__cause__
            raise
        stack.push_async_callback(leaving.leave, keeper)

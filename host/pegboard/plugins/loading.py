"""Bringing one plugin up: all or nothing, on one exit stack."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config
from pegboard.errors import NotReady, PluginLoadError
from pegboard.hooks import COLLECTED, Implementation
from pegboard.plugins.collecting import contributions
from pegboard.plugins.extensions import note_extensions
from pegboard.plugins.holding import Holding
from pegboard.plugins.hookbook import HookBook
from pegboard.plugins.kept import sources_to_keep
from pegboard.plugins.leaving import Leaving
from pegboard.plugins.loads import Instead, Loaded, Loads, Plan, Prepared
from pegboard.plugins.loadthread import in_load_thread
from pegboard.plugins.modules import Ground
from pegboard.plugins.offers import Offers
from pegboard.plugins.perboard import PerBoard, User
from pegboard.plugins.plugin import PluginContext
from pegboard.plugins.refreshing import Refreshing
from pegboard.plugins.settings import made_settings, settings_folder
from pegboard.registry import Contributions, Generation, Registry

_BOARD = "pegboard_board"


async def bring_up(
    plan: Plan,
    *,
    config: Config,
    registry: Registry,
    boards: PerBoard,
    instead: Instead | None = None,
) -> Loaded:
    """Import, check, enter and collect a plugin, then put everything on its layer in one step.

    Args:
        plan: what to load, and how.
        config: what the operator decided.
        registry: where it will stand.
        boards: what plugins keep for boards.
        instead: what has stood there for it, and goes in the same step.

    Raises:
        PegboardError: something failed; everything of the plugin was taken back, in reverse order.
    """
    replaces = frozenset() if instead is None else frozenset([instead.generation])
    prepared = await prepare(plan, config=config, boards=boards, replaces=replaces)
    try:
        if instead is not None:
            registry.check_together(prepared.placed(boards, registry))
            instead.registration.close()
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
    leaving = Leaving(plan.name, limit=lambda: boards.config.stop_grace, leaks=plan.leaks)
    async with AsyncExitStack() as stack:
        holding = _held(plan, stack)
        stack.callback(leaving.close)
        read = await _read(plan, config)
        await _keep_sources(plan, holding, config)
        pins = plan.source.pins
        generation = Generation(plan.owner, limits=config.limits, replaces=replaces, pins=pins)
        stack.callback(generation.forget)
        offers = await _offers(read, generation, plan, config, lambda: boards.config)
        refreshing = _refreshing(offers, read, generation, plan, boards)
        stack.push_async_callback(leaving.stop, offers.context)
        await _enter_lifespan(offers, stack, leaving, config)
        own = read.hooks[_BOARD]
        users = [User(each.function, generation, plan.scope, leaving, plan.options) for each in own]
        for user in users:
            stack.push_async_callback(boards.remove_user, user)
        stack.push_async_callback(refreshing.stop, limit=lambda: boards.config.stop_grace)
        stack.push_async_callback(leaving.stop, offers.context)
        given = await offers.all()
        contributed = _contributed(given, read, generation, plan, config, called=read.called)
        for user in users:
            await boards.add_user(user)
        kept = stack.pop_all()
    return Prepared(plan, generation, kept, leaving, holding, contributed, refreshing, read.names)


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
    def names(self) -> tuple[str, ...]:
        """The hooks that it implements."""
        return tuple(sorted({each.hook for each in self.implementations}))

    @property
    def called(self) -> list[Implementation]:
        """The implementations that calls pass."""
        return [each for each in self.implementations if each.hook not in COLLECTED]


async def _read(plan: Plan, config: Config) -> _Read:
    plugin = await _threaded(plan.source.get, f"importing {plan.name!r}", plan, config)
    register = partial(HookBook().register, plugin, plan.name)
    return _Read(plugin, await _threaded(register, f"checking {plan.name!r}", plan, config))


def _held(plan: Plan, stack: AsyncExitStack) -> Holding:
    """What holds the modules that are about to be imported, until the stack is left.

    Raises:
        PluginLoadError: they are imported already, and are not what is on disk now.
    """
    finder, ground = plan.finder, plan.source.ground
    if ground != Ground():
        finder.check(ground)
    holding = Holding(ground, str(plan.owner))
    stack.callback(finder.release, holding)
    if ground != Ground():
        stack.callback(note_extensions, holding)
        finder.hold(holding)
    return holding


async def _keep_sources(plan: Plan, holding: Holding, config: Config) -> None:
    """Keep what the plugin may yet import as it is now, as long as it is there."""
    if plan.source.ground != Ground():

        def read() -> None:
            holding.note(sources_to_keep(plan.source))
            note_extensions(holding)

        await _threaded(read, f"reading {plan.name!r}", plan, config)


async def _offers(
    read: _Read, generation: Generation, plan: Plan, config: Config, newest: Callable[[], Config]
) -> Offers:
    """What asks the plugin for what it offers, once its settings are made."""

    async def threaded(function: Callable[[], Any], what: str) -> Any:
        return await _threaded(function, what, plan, newest())

    settings = await made_settings(
        read.hooks["pegboard_settings"],
        plan.settings,
        plugin=plan.name,
        config=config,
        converter=generation.converter,
        threaded=threaded,
    )
    context = PluginContext(
        plan.name,
        version=plan.owner.version,
        settings=settings,
        folder=settings_folder(plan.name, plan.settings, config),
        status=plan.status,
    )
    generation.context = context
    return Offers(read.plugin, read.hooks, context, threaded)


def _contributed(
    given: Mapping[str, list[Any]],
    read: _Read,
    generation: Generation,
    plan: Plan,
    config: Config,
    *,
    called: Iterable[Implementation] = (),
) -> Contributions:
    return contributions(
        given,
        called,
        generation=generation,
        layer=plan.scope.layer.name,
        options=plan.options,
        config=config,
        fills_boards=_BOARD in read.names,
    )


def _refreshing(
    offers: Offers, read: _Read, generation: Generation, plan: Plan, boards: PerBoard
) -> Refreshing:
    async def ask() -> Contributions:
        return _contributed(await offers.tools(), read, generation, plan, boards.config)

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
    offers = await _offers(read, generation, plan, config, lambda: config)
    if not read.hooks["pegboard_lifespan"]:
        _contributed(await offers.all(), read, generation, plan, config, called=read.called)


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

"""Bringing one plugin up: all or nothing, on one exit stack."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from types import ModuleType
from typing import Any

import attrs

from pegboard.config import Config, PluginConfig
from pegboard.errors import ConfigError, PluginLoadError
from pegboard.hooks import COLLECTED, Implementation
from pegboard.plugins.collecting import contributions, tools_of_module
from pegboard.plugins.hookbook import HookBook
from pegboard.plugins.leaving import Leaving
from pegboard.plugins.loadthread import in_load_thread
from pegboard.plugins.modules import Ground, purge
from pegboard.plugins.perboard import PerBoard, User
from pegboard.plugins.plugin import PluginContext
from pegboard.registry import Contributions, Generation, Owner, Registration, Registry, Scope
from pegboard.tools import StructureError, structure

_BOARD = "pegboard_board"


@attrs.define(eq=False)
class Loaded:
    """One generation of a plugin that is up, and everything that it owns.

    Attributes:
        generation: who it is.
        scope: where its contributions stand.
        registration: takes its contributions from their layer, in one step.
        stack: takes everything else back, in reverse order.
        leaving: what it raised while it was left.
        ground: where its modules come from.
    """

    generation: Generation
    scope: Scope
    registration: Registration
    stack: AsyncExitStack
    leaving: Leaving
    ground: Ground
    contributions: Contributions


@attrs.frozen
class Plan:
    """What to load, and how.

    Attributes:
        owner: who it will be.
        source: gives the plugin's object; runs in the load thread.
        ground: where its modules come from.
        scope: where its contributions will stand.
        settings: its table, or an instance of its settings class.
        options: the operator's own options for it.
        others: the grounds of the other loaded plugins.
    """

    owner: Owner
    source: Callable[[], object]
    ground: Ground
    scope: Scope
    settings: Any
    options: PluginConfig
    others: tuple[Ground, ...] = ()

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.owner.plugin or ""


async def bring_up(plan: Plan, *, config: Config, registry: Registry, boards: PerBoard) -> Loaded:
    """Import, check, enter and collect a plugin, then put everything on its layer in one step.

    Raises:
        PegboardError: something failed; everything of the plugin was taken back, in reverse order.
    """
    leaving = Leaving(plan.name, limit=config.stop_grace)
    async with AsyncExitStack() as stack:
        stack.callback(purge, plan.ground, others=plan.others)
        stack.callback(leaving.close)
        plugin = await _threaded(plan.source, f"importing {plan.name!r}", config)
        register = partial(HookBook().register, plugin, plan.name)
        implementations = await _threaded(register, f"checking {plan.name!r}", config)
        hooks = _by_hook(implementations)
        generation = Generation(plan.owner, limits=config.limits)
        stack.callback(generation.forget)
        settings = await _settings(plan, hooks, generation, config)
        context = PluginContext(plan.name, version=plan.owner.version, settings=settings)
        generation.context = context
        await _enter_lifespan(hooks, context, stack, leaving, config)
        users = [User(each.function, generation, plan.scope, leaving) for each in hooks[_BOARD]]
        for user in users:
            stack.push_async_callback(boards.remove_user, user)
        stack.push_async_callback(leaving.stop, context)
        given = await _collect(plugin, hooks, context, config)
        contributed = contributions(
            given,
            [each for each in implementations if each.hook not in COLLECTED],
            generation=generation,
            layer=plan.scope.layer.name,
            options=plan.options,
            config=config,
        )
        for user in users:
            await boards.add_user(user)
        registration = _published(registry, boards, plan.scope, contributed, generation)
        stack.callback(registration.close)
        kept = stack.pop_all()
    return Loaded(generation, plan.scope, registration, kept, leaving, plan.ground, contributed)


def _published(
    registry: Registry,
    boards: PerBoard,
    scope: Scope,
    contributed: Contributions,
    generation: Generation,
) -> Registration:
    """Put everything on its layers in one step; what is given takes all of it back in one."""
    standing = registry.put(scope, contributed)

    def take_back() -> None:
        standing.close()
        boards.withdraw(generation)

    try:
        boards.publish(generation)
    except BaseException:
        take_back()
        raise
    return Registration(take_back)


async def _threaded(function: Callable[[], Any], what: str, config: Config) -> Any:
    return await in_load_thread(function, what=what, limit=config.load_timeout)


def _by_hook(implementations: tuple[Implementation, ...]) -> Mapping[str, list[Implementation]]:
    found: dict[str, list[Implementation]] = {name: [] for name in COLLECTED}
    for each in implementations:
        found.setdefault(each.hook, []).append(each)
    return found


async def _settings(
    plan: Plan,
    hooks: Mapping[str, list[Implementation]],
    generation: Generation,
    config: Config,
) -> object | None:
    asked = hooks["pegboard_settings"]
    if not asked:
        if plan.settings:
            raise ConfigError([f"plugin {plan.name!r} takes no settings, and some were given"])
        return None
    cls = await _threaded(asked[0].function, f"pegboard_settings of {plan.name!r}", config)
    if not isinstance(cls, type):
        raise PluginLoadError(f"pegboard_settings of {plan.name!r} gave no class")
    given = {} if plan.settings is None else plan.settings
    if type(given) is cls:
        return given
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        text = f"settings of plugin {plan.name!r} are a table or a {cls.__name__}, not {kind}"
        raise ConfigError([text])
    made: object = await _threaded(
        partial(_structured, plan.name, dict(given), cls, generation, config),
        f"the settings of {plan.name!r}",
        config,
    )
    return made


def _structured(
    plugin: str, table: dict[str, Any], cls: type, generation: Generation, config: Config
) -> object:
    try:
        return structure(table, cls, converter=generation.converter)
    except StructureError as error:
        raise ConfigError(_mistakes(plugin, error, config)) from error


def _mistakes(plugin: str, error: StructureError, config: Config) -> list[str]:
    lines = []
    for fault in error.faults:
        place = config.place("plugins", plugin, *map(str, fault.keys))
        where = f"{place}: " if place else ""
        lines.append(f"{where}settings of plugin {plugin!r}: {fault}")
    return lines


async def _enter_lifespan(
    hooks: Mapping[str, list[Implementation]],
    context: PluginContext,
    stack: AsyncExitStack,
    leaving: Leaving,
    config: Config,
) -> None:
    for each in hooks["pegboard_lifespan"]:
        what = f"pegboard_lifespan of {context.name!r}"
        keeper = leaving.keeper(what, limit=config.load_timeout)
        context.resource = await keeper.enter(partial(each.function, context))
        stack.push_async_callback(leaving.leave, keeper)


async def _collect(
    plugin: object,
    hooks: Mapping[str, list[Implementation]],
    context: PluginContext,
    config: Config,
) -> Mapping[str, list[Any]]:
    given: dict[str, list[Any]] = {}
    for hook in ("pegboard_tools", "pegboard_guards", "pegboard_reserved_names"):
        what = f"{hook} of {context.name!r}"
        given[hook] = [
            await _threaded(partial(_exhausted, each.function, context), what, config)
            for each in hooks[hook]
        ]
    if not hooks["pegboard_tools"]:
        what = f"the tools of {context.name!r}"
        given["pegboard_tools"] = [await _threaded(partial(tools_of_module, plugin), what, config)]
    if not any(hooks.values()) and not given["pegboard_tools"][0]:
        kind = "module" if issubclass(type(plugin), ModuleType) else type(plugin).__name__
        raise PluginLoadError(f"{context.name!r} is a {kind} without hooks and without tools")
    return given


def _exhausted(function: Callable[..., Any], context: PluginContext) -> Any:
    """What a hook gives, copied here, in the load thread: iterating may run code of the plugin."""
    given = function(context)
    if isinstance(given, Mapping):
        return dict(given)
    is_many = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
    return list(given) if is_many else given

"""The plugins of one host: found, loaded, unloaded."""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import attrs

from pegboard.calls import Flights, Pipeline, enclosing
from pegboard.config import Config
from pegboard.errors import PegboardError, PluginLoadError, UnknownNameError
from pegboard.names import check_name
from pegboard.plugins.attempts import Attempts
from pegboard.plugins.builtin import ON_REQUEST, STANDING
from pegboard.plugins.catalogue import Deferrals, Upkeep
from pegboard.plugins.condition import Condition
from pegboard.plugins.departures import Departures
from pegboard.plugins.discovery import Discovery
from pegboard.plugins.hookbook import HookBook
from pegboard.plugins.loads import Loaded
from pegboard.plugins.looking import Sources
from pegboard.plugins.observers import Observers
from pegboard.plugins.opening import Opening, check_admitted, check_attached
from pegboard.plugins.perboard import PerBoard
from pegboard.plugins.pluginboard import Side
from pegboard.plugins.remains import Leftovers, alive_modules, code_of, remains_of
from pegboard.plugins.retrying import Retries
from pegboard.plugins.sources import DISTRIBUTION, installed
from pegboard.plugins.states import States, emptied
from pegboard.plugins.stuck import Stuck
from pegboard.plugins.syncing import Syncing
from pegboard.plugins.trust import Trust
from pegboard.plugins.underway import Underway
from pegboard.plugins.unloading import Unloading
from pegboard.plugins.upgrades import Upgrades
from pegboard.registry import Contributions, Generation, Owner, Registry, Scope, hook_entry
from pegboard.reports import (
    CloseReport,
    LockReport,
    PluginInfo,
    UnloadReport,
)
from pegboard.values import JSON

_log = logging.getLogger("pegboard.plugins")


class Loader:
    """Finds, loads and unloads the plugins of one host."""

    def __init__(
        self,
        config: Config,
        registry: Registry,
        pipeline: Pipeline,
        flights: Flights,
        observers: Observers,
    ) -> None:
        check_attached(config)
        self._config = config
        self._registry = registry
        self._pipeline = pipeline
        self._flights = flights
        self._observers = observers
        self.known = States(config, observers, pipeline)
        self._infos, self._now = self.known.known, self.known.note
        self._loaded: dict[str, Loaded] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.condition = Condition(pipeline, flights, self.known)
        self._retries, self._stuck = Retries(config), Stuck()
        self._leftovers, self._underway = Leftovers(), Underway()
        self._departures = Departures(self.known, flights)
        self.boards = PerBoard(registry, config)
        self.upkeep = Upkeep(config)
        self._sources = Sources(config, self._infos, self.upkeep)
        self.trust = Trust(config)
        self._attempts = Attempts(
            config,
            registry,
            self.boards,
            self.known,
            self.trust,
            self._loaded,
            self._lock,
            self._retries,
            self._stuck,
            self.condition.status,
        )
        self.upgrades = Upgrades(
            config,
            registry,
            pipeline,
            flights,
            self.boards,
            self._attempts,
            self._lock,
            self.upkeep.find,
            self._tasks,
        )
        self.deferrals = Deferrals(
            config, pipeline, self._attempts, self.upkeep.find, self._tasks, self.save
        )
        self.opening = Opening(config, self.known, self.upkeep, self.deferrals, self.load)
        self.syncing = Syncing(
            self.upgrades,
            self.deferrals,
            self.upkeep,
            self._load_found,
            partial(self.unload, grace=10.0, force=True),
        )
        self._put_builtins()

    def _put_builtins(self) -> None:
        for name, make in STANDING.items():
            self.put_builtin(name, make())
        for name in ON_REQUEST:
            self._infos[name] = PluginInfo(name, DISTRIBUTION)
        self.known.note_required()

    @property
    def discovery(self) -> Discovery:
        """What is installed, as it was read last."""
        return self.upkeep.discovery

    def put_builtin(self, name: str, plugin: object) -> None:
        """Have a built-in plugin stand on the global layer for the life of the host."""
        owner = Owner(name, DISTRIBUTION, None, 1)
        hooks = HookBook().register(plugin, name)
        entries = tuple(hook_entry(each, Generation(owner)) for each in hooks)
        self._registry.put(self._registry.root, Contributions(hooks=entries))
        self._infos[name] = PluginInfo(name, DISTRIBUTION, state="loaded", generation=1)

    @property
    def infos(self) -> Mapping[str, PluginInfo]:
        """Every plugin that is known, by name."""
        return self.known.infos

    def lock(self, *, write: bool, is_all: bool) -> LockReport:
        """Accept what is loaded; see `Trust.report`."""
        found = (each.generation.pins for each in self._loaded.values())
        pins = [each for each in found if each is not None]
        known = {*self._infos, *self.discovery.found}
        return self.trust.report(pins, known, write=write, is_all=is_all)

    async def load(
        self,
        what: object,
        *,
        name: str | None = None,
        scope: Scope | None = None,
        settings: Any = None,
    ) -> PluginInfo:
        """Load one plugin.

        Raises:
            PluginLoadError: it could not be loaded; it is listed as `failed`.
            UnknownNameError: no installed plugin has that name.
            HostClosedError: the host was closed meanwhile.
        """
        return await self._underway.run(self._load(what, name, scope, settings))

    async def _load(
        self, what: object, name: str | None, scope: Scope | None, settings: Any
    ) -> PluginInfo:
        if isinstance(what, str) and what in self.deferrals and not (name or scope or settings):
            return await asyncio.shield(self.deferrals.wake(what))
        source = self.trust.sealed(self._sources.find(what), name)
        check_admitted(source, self._config)
        where = scope or self._registry.root
        suffix = "" if where.name is None else f"@{where.name}"
        own = f"{source.name}{suffix}" if name is None else name
        chosen = check_name(own, kind="plugin")
        self._departures.check_not_waiting(chosen)
        await self._retries.end(chosen)
        async with self._lock(source.key), self._lock(chosen):
            if chosen in STANDING:
                raise PluginLoadError(f"plugin {chosen!r} is built in; load it under another name")
            if chosen in self._loaded:
                raise PluginLoadError(f"plugin {chosen!r} is loaded already; unload it first")
            self.deferrals.drop(chosen)
            return await self._attempts.load(chosen, source, where, settings)

    async def unload(self, name: str, *, grace: float, force: bool = False) -> UnloadReport:
        """Take everything of a plugin back; see `plugins.md`, Unloading.

        Raises:
            UnknownNameError: there is no such plugin.
            PegboardError: it is required, and `force` isn't given.
        """
        if name not in self._infos:
            raise UnknownNameError("plugin", name, self._infos)
        if name in STANDING:
            raise PegboardError(f"plugin {name!r} is built in, and goes with the host only")
        if name in self._config.required and not force:
            raise PegboardError(f"plugin {name!r} is required; unload it with force=True")
        first: asyncio.Future[UnloadReport] = asyncio.get_running_loop().create_future()
        parts = (self._config, self._flights, self._pipeline)
        unloading = Unloading(name, *parts, grace, enclosing(), first, self.upgrades.outgoing)
        task = asyncio.create_task(self._unload(unloading))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(first)

    async def _unload(self, unloading: Unloading) -> None:
        first = unloading.first
        try:
            await self._retries.end(unloading.name)
            name, inside, grace = unloading.name, unloading.inside, unloading.grace
            await self._departures.hasten(name, inside, grace=grace)
            async with self._lock(name):
                with self._departures.of(name, inside):
                    report = await self._take_down(unloading)
        except Exception as error:  # noqa: BLE001 - whoever asked is told, in whatever task
            _log.exception("unloading plugin %r failed", unloading.name)
            if not first.done():
                first.set_exception(error)
            return
        if not first.done():
            first.set_result(report)

    async def _take_down(self, unloading: Unloading) -> UnloadReport:
        name = unloading.name
        info = self._infos[name]
        loaded = self._loaded.pop(name, None)
        if loaded is None:
            if self.deferrals.drop(name) or info.state == "retrying":
                at_rest = attrs.evolve(info, state=self._rest(name), tools=(), error=None)
                self._now(at_rest, self.known.scope(name))
            return UnloadReport(name, info.generation, 0, 0, leaked=self._stuck.alive(name))
        scope, code, ground = loaded.scope, code_of(loaded), loaded.ground
        self._now(emptied(info, "draining"), scope)
        report = await unloading.run(loaded)
        remains = remains_of(loaded)
        del loaded
        self._registry.forget_stale()
        self._now(emptied(info, self._rest(name)), scope)
        self._offer_again()
        held = () if report.still_running else await remains.alive()
        left = (*self._leftovers.of(name, code), *alive_modules(ground))
        return attrs.evolve(report, leaked=(*report.leaked, *left, *held))

    def _rest(self, name: str) -> str:
        """The state of a plugin that isn't loaded."""
        return "blocked" if self._config.keeps_out(name) else "unloaded"

    def _offer_again(self) -> None:
        """Have plugins asked again whose tools were left out since somebody had their names."""
        for loaded in self._loaded.values():
            context = loaded.generation.context
            if context and any(each.is_taken for each in loaded.contributions.refused):
                context.create_task(loaded.refreshing.refresh())

    async def open(self) -> None:
        """Read the lock file, and load what the configuration itself asks for."""
        self.trust.read()
        await self.opening.load_builtin()
        await self.opening.load_attached()

    async def save(self) -> None:
        """Have the catalogue hold what plugins show now."""
        await self.upkeep.save(self._loaded, self._infos, self._attempts.tried)

    def states(self) -> tuple[tuple[str, str], ...] | None:
        """The files on which depends what plugins show; None where it depends on more."""
        return self.upkeep.states(self._loaded, self._infos)

    async def reload(self, name: str, *, grace: float) -> PluginInfo:
        """Exchange a plugin for the code on disk; see `Upgrades.reload`."""
        if name in self.deferrals:
            return await self.load(name)
        return await self.upgrades.reload(name, grace=grace)

    def configure(self, config: Config) -> None:
        """Follow another configuration, and from `require` on what it requires anew."""
        known = {*self._config.required, *self._loaded}
        self._config = self.opening.config = config
        self.upgrades.config = self._attempts.config = config
        self.deferrals.config = self.upkeep.config = self._sources.config = config
        self.boards.configure(config)
        self._retries.configure(config)
        self.known.require(tuple(each for each in config.required if each in known))

    def require(self) -> None:
        """Let no call run without what the configuration requires."""
        self.known.require(self._config.required)

    async def close(self, *, grace: float) -> list[UnloadReport]:
        """Unload everything, the last one first; what is being loaded ends before."""
        await self._underway.close()
        names = dict.fromkeys((*self._stuck, *self._retries, *self.deferrals, *self._loaded))
        return [await self.unload(name, grace=grace, force=True) for name in list(names)[::-1]]

    async def closed(self) -> None:
        """Wait until all that was unloaded is gone."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.boards.closed()
        await self.upgrades.outgoing.close()
        self._underway.open()

    async def enter(self, scope: Scope, deps: Any, labels: Mapping[str, JSON]) -> None:
        """Enter what plugins keep for a new board.

        Raises:
            PegboardError: one of them raised; nothing is left entered.
        """
        await self.boards.add_board(Side(scope, deps, labels))

    async def leave(self, scope: Scope, *, grace: float) -> CloseReport:
        """Unload what was loaded on one board, and leave what plugins keep for it."""
        names = [name for name, each in self._loaded.items() if each.scope is scope]
        names += self._retries.on(scope)
        reports = [await self.unload(name, grace=grace, force=True) for name in names[::-1]]
        self._departures.board_closed(scope)
        inside = [each for each in enclosing() if scope in each.scope.ancestry]
        errors: tuple[str, ...] = ()
        if inside:
            self.boards.remove_board_after(scope, self._flights.gone(inside))
        else:
            errors = await self.boards.remove_board(scope)
        return CloseReport(scope.name or "", tuple(reports), errors)

    async def _load_found(self, name: str) -> PluginInfo:
        """Load an installed plugin as it was found last."""
        found = None if name in self._config.mcp else self.discovery.found.get(name)
        return await self.load(name if found is None else installed(found))

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())

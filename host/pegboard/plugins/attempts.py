"""Loading one plugin, noting how that went, and trying again what wasn't ready."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config
from pegboard.errors import NotReady, PegboardError, PluginLoadError, QuarantinedError
from pegboard.plugins.kept import KeptFinder
from pegboard.plugins.loading import bring_up
from pegboard.plugins.loads import Instead, Loaded, Plan
from pegboard.plugins.loadthread import shown
from pegboard.plugins.marks import Tried
from pegboard.plugins.perboard import PerBoard
from pegboard.plugins.retrying import Retries
from pegboard.plugins.sources import Source
from pegboard.plugins.states import States
from pegboard.plugins.stuck import Stuck
from pegboard.plugins.trust import Trust, quarantined_info, told_of_tools
from pegboard.registry import Contributions, Owner, Registry, Scope
from pegboard.reports import HostStatus, PluginInfo

_log = logging.getLogger("pegboard.plugins")


@attrs.define(eq=False)
class Attempts:
    """Loads the plugins of one host, one attempt at a time.

    Attributes:
        loaded: what is up, by name.
        lock: held for a name while something of that name is loaded or unloaded.
        retries: what is tried again.
        stuck: what was given up and goes on.
        tried: what was last loaded under each name, or was to be.
        followed: what is up under each name that was loaded, or was last.
        finder: finds the sources that are kept of what is loaded.
        status: how the host is, for plugins that ask.
    """

    config: Config
    registry: Registry
    boards: PerBoard
    states: States
    trust: Trust
    loaded: dict[str, Loaded]
    lock: Callable[[str], AbstractAsyncContextManager[object]]
    retries: Retries
    stuck: Stuck
    status: Callable[[], HostStatus]
    tried: dict[str, Tried] = attrs.field(factory=dict)
    followed: dict[str, Tried] = attrs.field(factory=dict)
    finder: KeptFinder = attrs.field(factory=KeptFinder)

    async def load(
        self,
        name: str,
        source: Source,
        scope: Scope,
        settings: Any,
        *,
        instead: Instead | None = None,
    ) -> PluginInfo:
        """Load one plugin, for the holder of its lock.

        Args:
            name: its name.
            source: where it comes from.
            scope: where its contributions will stand.
            settings: its table or an instance of its class; None for the configuration's.
            instead: what stands there for it so far.

        Raises:
            PluginLoadError: it could not be loaded; its state says whether it is tried again.
        """
        self.stuck.check(name, source)
        info = self._begun(name, source, scope)
        plan = self._plan(info, source, scope, settings)
        try:
            loaded = await bring_up(
                plan,
                config=self.config,
                registry=self.registry,
                boards=self.boards,
                instead=instead,
            )
        except QuarantinedError as error:
            promised = self.trust.promised(source)
            self.states.note(quarantined_info(info, error, promised, plan.options), scope)
            raise
        except NotReady as error:
            raise self._not_ready(info, plan, settings, error) from error
        except BaseException as error:
            self._note_failure(info, plan, error)
            if not isinstance(error, Exception):
                raise
            why = error if isinstance(error, PegboardError) else shown(error)
            raise PluginLoadError(f"{plan.owner} could not be loaded: {why}") from error
        return self.take(info, loaded)

    def take(self, info: PluginInfo, loaded: Loaded) -> PluginInfo:
        """Have a plugin count as loaded; gives what is known of it then."""
        name = info.name
        self.loaded[name] = loaded
        self.followed[name] = self.tried[name]
        loaded.refreshing.on_change = partial(self._refreshed, name)
        return self._note_tools(info, loaded.contributions, loaded.scope)

    def _begun(self, name: str, source: Source, scope: Scope) -> PluginInfo:
        """What is known of a plugin that is about to be loaded; while it is retried, that shows."""
        before = self.states.known.get(name)
        if before is not None and name in self.retries:
            return source.info(name, generation=before.generation)
        info = source.info(name, generation=before.generation + 1 if before else 1)
        self.states.note(attrs.evolve(info, state="loading"), scope)
        return info

    def _plan(self, info: PluginInfo, source: Source, scope: Scope, settings: Any) -> Plan:
        options = self.config.plugin(info.name)
        self.tried[info.name] = Tried.of(source, options)
        return Plan(
            owner=Owner(info.name, info.distribution, info.version, info.generation),
            source=source,
            scope=scope,
            settings=options.settings if settings is None else settings,
            options=options,
            finder=self.finder,
            status=self.status,
        )

    def _note_failure(self, info: PluginInfo, plan: Plan, error: BaseException) -> None:
        self.stuck.watch(info.name, plan.source, plan.leaks)
        if isinstance(error, asyncio.CancelledError) and info.name in self.retries:
            return  # whoever ends the attempts notes what comes of it
        self.states.note(attrs.evolve(info, state="failed", error=shown(error)), plan.scope)
        _log.info("%s could not be loaded", plan.owner, exc_info=error)

    def _not_ready(
        self, info: PluginInfo, plan: Plan, settings: Any, error: NotReady
    ) -> PluginLoadError:
        """Have a plugin tried again until it is unloaded; gives what to raise."""
        reason = str(error) or "it gives no reason"
        now = attrs.evolve(info, state="retrying", error=f"not ready: {reason}")
        if self.states.known[info.name] != now:
            self.states.note(now, plan.scope)
        again = partial(self._again, info.name, plan.source, plan.scope, settings)
        self.retries.start(info.name, plan.scope, again)
        return PluginLoadError(
            f"{plan.owner} is not ready: {reason}; it is tried again until it is unloaded"
        )

    async def _again(self, name: str, source: Source, scope: Scope, settings: Any) -> bool:
        """Load a plugin that wasn't ready; whether that was the last time."""
        async with self.lock(source.key), self.lock(name):
            if self.states.known[name].state == "retrying":
                with suppress(PegboardError):
                    await self.load(name, source, scope, settings)
            return self.states.known[name].state != "retrying"

    def _refreshed(self, name: str, given: Contributions) -> None:
        info = self.states.known[name]
        self.states.known[name] = attrs.evolve(info, **told_of_tools(given))

    def _note_tools(self, info: PluginInfo, given: Contributions, scope: Scope) -> PluginInfo:
        now = attrs.evolve(info, state="loaded", **told_of_tools(given))
        self.states.note(now, scope)
        return now

"""Reloading: which plugins go together, who waits for it, and what is told of it."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import attrs

from pegboard.calls import Flight, Flights, Pipeline, enclosing
from pegboard.config import Config, PluginConfig
from pegboard.errors import PegboardError, PluginLoadError, UnknownNameError
from pegboard.plugins.attempts import Attempts
from pegboard.plugins.discovery import Discovery, normalised
from pegboard.plugins.loads import Loaded, Plan
from pegboard.plugins.loadthread import shown
from pegboard.plugins.marks import Tried
from pegboard.plugins.modules import Ground, own_ground_of, owned
from pegboard.plugins.outgoing import Outgoing
from pegboard.plugins.perboard import PerBoard
from pegboard.plugins.sources import ATTACHING, Source, attached, by_name, from_file, installed
from pegboard.plugins.states import emptied
from pegboard.plugins.upgrading import Exchange, Upgrade
from pegboard.registry import Owner, Registry
from pegboard.reports import PluginInfo
from pegboard.tools.unstructuring import unstructure

_log = logging.getLogger("pegboard.plugins")


@attrs.define(eq=False)
class Upgrades:
    """Reloads the plugins of one host; one upgrade is under way at a time.

    Attributes:
        attempts: loads one at a time, and knows what is loaded.
        lock: the lock of a plugin, or of a distribution.
        find: reads anew what is installed.
        tasks: what runs for the host.
        outgoing: the loads that go while calls still use them.
    """

    config: Config
    registry: Registry
    pipeline: Pipeline
    flights: Flights
    boards: PerBoard
    attempts: Attempts
    lock: Callable[[str], asyncio.Lock]
    find: Callable[[], Discovery]
    tasks: set[asyncio.Task[Any]]
    outgoing: Outgoing = attrs.field(factory=Outgoing)
    _busy: asyncio.Lock = attrs.field(factory=asyncio.Lock)

    @property
    def loaded(self) -> dict[str, Loaded]:
        """What is loaded, by name."""
        return self.attempts.loaded

    @property
    def infos(self) -> dict[str, PluginInfo]:
        """What is told of each plugin."""
        return self.attempts.states.known

    @property
    def tried(self) -> dict[str, Tried]:
        """What was last loaded under each name, or was to be."""
        return self.attempts.tried

    async def reload(self, name: str, *, grace: float) -> PluginInfo:
        """Exchange a plugin for the code on disk; goes on if who awaits it is cancelled.

        Asked for inside a call that uses the plugin, it answers once the new code was rehearsed,
        and goes on when that call has ended.

        Raises:
            UnknownNameError: there is no such plugin.
            PluginLoadError: it could not be loaded, and the old one goes on.
        """
        if name not in self.infos:
            raise UnknownNameError("plugin", name, self.infos)
        self.check(name)
        first: asyncio.Future[PluginInfo] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._answered(name, grace, enclosing(), first))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return await asyncio.shield(first)

    async def _answered(
        self, name: str, grace: float, inside: list[Flight], first: "asyncio.Future[PluginInfo]"
    ) -> None:
        def answer() -> None:
            if not first.done():
                first.set_result(self.infos[name])

        try:
            await self.upgrade(name, grace=grace, inside=inside, answer=answer)
        except Exception as error:  # noqa: BLE001 - whoever asked is told, in whatever task
            if first.done():
                _log.exception("reloading plugin %r failed", name)
            else:
                first.set_exception(error)
        answer()

    def check(self, name: str) -> None:
        """Refuse what can't be reloaded.

        Raises:
            PluginLoadError: it isn't loaded, or was given as an object.
        """
        loaded, info = self.loaded.get(name), self.infos[name]
        if loaded is None:
            state = "built in" if info.state == "loaded" else info.state
            raise PluginLoadError(f"plugin {name!r} can't be reloaded: it is {state}; load it")
        source = loaded.plan.source
        if source.ground == Ground() and not source.is_configured:
            raise PluginLoadError(
                f"plugin {name!r} can't be reloaded: it was given as an object; "
                "unload it, and load another"
            )

    async def upgrade(
        self, name: str, *, grace: float, inside: list[Flight], answer: Callable[[], None]
    ) -> Upgrade:
        """Exchange a plugin, and those that share its code; gives what was exchanged.

        Args:
            name: the plugin.
            grace: seconds that running calls have before they are cancelled.
            inside: the calls that asked for it.
            answer: called if it can't end before those have.
        """
        while True:
            self.check(name)
            upgrade = self._planned(name)
            try:
                await upgrade.rehearse()
                if not upgrade.is_beside:
                    await self._outside(upgrade, inside, answer)
                async with AsyncExitStack() as locks:
                    if not upgrade.is_beside:
                        await locks.enter_async_context(self._busy)
                    for key in self._keys(upgrade):
                        await locks.enter_async_context(self.lock(key))
                    if self._is_still_so(upgrade):
                        await self._run(upgrade, grace)
                        return upgrade
            except Exception as error:
                self._failed(upgrade, error)
                why = error if isinstance(error, PegboardError) else shown(error)
                text = f"{upgrade.names} could not be upgraded, and goes on as it was: {why}"
                raise PluginLoadError(text) from error

    async def _outside(
        self, upgrade: Upgrade, inside: list[Flight], answer: Callable[[], None]
    ) -> None:
        """Answer those that the upgrade would wait for, and let them end before it begins."""
        held = {each for each in inside if any(each.holds(old) for old in upgrade.old)}
        if held:
            answer()
        while self.flights.of(lambda each: each in held):  # noqa: ASYNC110 - calls end untold
            await asyncio.sleep(0.01)

    async def _run(self, upgrade: Upgrade, grace: float) -> None:
        is_beside = upgrade.is_beside
        new = await (upgrade.run_beside() if is_beside else upgrade.run(grace=grace))
        for each in upgrade.exchanges:
            name = each.name
            if each.plan is not None:
                info = each.plan.source.info(name, generation=each.plan.owner.generation)
                left = upgrade.left.get(name, ())
                self.attempts.take(attrs.evolve(info, leaked=left), new[name])
                if is_beside:
                    self.outgoing.leave(each.old)
                continue
            del self.loaded[name]
            gone = emptied(self.infos[name], "unloaded")
            self.attempts.states.note(gone, each.old.scope)
            del self.infos[name]

    async def withdraw(self, name: str) -> bool:
        """Take a built-in plugin away, and leave it once no call uses it; whether it is one."""
        async with self.lock(name):
            loaded = self.loaded.get(name)
            if loaded is None or not loaded.plan.source.is_built_in:
                return False
            del self.loaded[name]
            loaded.registration.close()
            self.registry.forget_stale()
            self.outgoing.leave(loaded)
            state = "blocked" if self.config.keeps_out(name) else "unloaded"
            self.attempts.states.note(emptied(self.infos[name], state), loaded.scope)
            return True

    def _failed(self, upgrade: Upgrade, error: Exception) -> None:
        for each in upgrade.exchanges:
            info = self.infos.get(each.name)
            if info is not None and info.state == "loaded":
                told = f"its upgrade failed: {shown(error)}"
                self.attempts.states.note(attrs.evolve(info, error=told), each.old.scope)

    def _planned(self, name: str) -> Upgrade:
        """What has to be exchanged for a plugin to run the code on disk.

        Raises:
            PluginLoadError: it isn't installed any more, or can't be reloaded.
        """
        discovery = self.find()
        self.attempts.trust.read()
        names = self._together(name)
        exchanges = [
            Exchange(self.loaded[each], self._plan(self.loaded[each], discovery)) for each in names
        ]
        if any(each.plan is None and each.name == name for each in exchanges):
            raise PluginLoadError(f"plugin {name!r} isn't installed any more; unload it")
        return Upgrade(
            tuple(exchanges),
            self.config,
            self.registry,
            self.pipeline,
            self.flights,
            self.boards,
            self.attempts.finder,
        )

    def _plan(self, old: Loaded, discovery: Discovery) -> Plan | None:
        name, before = old.plan.name, old.plan
        source = renewed(before.source, discovery)
        if source is None:
            return None
        pinned_as = name if before.source.pins is None else before.source.pins.plugin
        source = self.attempts.trust.sealed(source, pinned_as)
        options = self.config.plugin(name)
        self.tried[name] = Tried.of(source, options)
        info = source.info(name, generation=before.owner.generation + 1)
        return Plan(
            owner=Owner(name, info.distribution, info.version, info.generation),
            source=source,
            scope=before.scope,
            settings=settings_again(before, options),
            options=options,
            finder=self.attempts.finder,
            status=self.attempts.status,
        )

    def _together(self, name: str) -> list[str]:
        """The plugins whose code can't be told apart from that of one, itself included."""
        names = [name]
        for one in names:
            loaded = self.loaded[one]
            names += [
                key
                for key, each in self.loaded.items()
                if key not in names and _go_together(loaded, each)
            ]
        return [key for key in self.loaded if key in names]

    def _keys(self, upgrade: Upgrade) -> list[str]:
        """The names of the locks to hold: of the distributions first, then of the plugins."""
        distributions = {each.old.plan.source.key for each in upgrade.exchanges}
        return [*sorted(distributions), *sorted(each.name for each in upgrade.exchanges)]

    def _is_still_so(self, upgrade: Upgrade) -> bool:
        """Whether nothing was loaded or unloaded meanwhile that bears on an upgrade."""
        planned = {each.name: each.old for each in upgrade.exchanges}
        if any(self.loaded.get(name) is not old for name, old in planned.items()):
            return False
        return set(self._together(next(iter(planned)))) == set(planned)


def _go_together(one: Loaded, other: Loaded) -> bool:
    """Whether two plugins share their code, or an adapter whose code has changed."""
    if share_code(one.plan.source, other.plan.source):
        return True
    adapter = one.plan.source.adapter
    if adapter is None or adapter != other.plan.source.adapter:
        return False
    return bool(one.holding.changed_on(own_ground_of(adapter)))


def share_code(one: Source, other: Source) -> bool:
    """Whether two plugins are of one distribution, or of the same modules."""
    if one.found is not None and other.found is not None:
        ours, theirs = one.found.distribution, other.found.distribution
        if normalised(ours) == normalised(theirs):
            return True
    return not owned(one.own_ground).keys().isdisjoint(owned(other.own_ground))


def renewed(source: Source, discovery: Discovery) -> Source | None:
    """Where a plugin with code of its own comes from now; None where it isn't installed any more.

    Raises:
        PluginLoadError: its file is gone.
    """
    if source.found is not None:
        found = discovery.found.get(source.found.name)
        return None if found is None else installed(found)
    if source.named is not None:
        return from_file(Path(source.named))
    if source.distribution == ATTACHING:
        return attached(source.name, lambda: True)
    if source.is_configured:
        return source
    return by_name(source.name)


def settings_again(before: Plan, options: PluginConfig) -> Any:
    """The settings of a plugin's next load: the configuration's now, or what the program gave."""
    given = before.settings
    if given is before.options.settings:
        return options.settings
    return given if given is None or isinstance(given, Mapping) else unstructure(given)

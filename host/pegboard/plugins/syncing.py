"""Making a running host agree with what is installed and configured now."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import attrs

from pegboard.calls import Flight, enclosing
from pegboard.config import Config, PluginConfig
from pegboard.errors import PegboardError, QuarantinedError
from pegboard.plugins.applying import Applied, Ask, Taking
from pegboard.plugins.builtin import ON_REQUEST
from pegboard.plugins.catalogue import Deferrals, Seen, Upkeep, look
from pegboard.plugins.differing import RETRIED, Differences, differences
from pegboard.plugins.discovery import Discovery
from pegboard.plugins.foreseeing import Foresight
from pegboard.plugins.requiring import Around
from pegboard.plugins.sources import ATTACHING, info_of
from pegboard.plugins.states import emptied
from pegboard.plugins.trust import Trust
from pegboard.plugins.upgrades import Upgrades
from pegboard.reports import PluginInfo, SyncReport

_log = logging.getLogger("pegboard.plugins")


@attrs.frozen(eq=False)
class _Plan:
    """What a sync will do; nothing has changed yet."""

    seen: Seen
    trust: Trust
    config: Config
    found: Differences
    taking: Taking
    behind: Mapping[str, Config]

    async def report(self, upgrades: Upgrades) -> SyncReport:
        """The same for who asked, with what can be known of plugins that would fail."""
        found = self.found
        foresight = Foresight(upgrades, self.config, self.seen.discovery)
        wrong = await foresight.mistakes((*found.load, *found.reload))
        coming, changing = (
            [name for name in names if name not in wrong] for names in (found.load, found.reload)
        )
        applied = Applied(coming, list(found.unload), changing, list(wrong))
        errors = (each for name in sorted(wrong) for each in wrong[name])
        return applied.report(self.taking, self.behind, errors)


@attrs.define(eq=False)
class Syncing:
    """Syncs the plugins of one host; one sync is under way at a time.

    Attributes:
        upgrades: reloads them.
        deferrals: imports those that are shown and not imported yet.
        upkeep: knows what is installed.
        load: loads one by its name.
        unload: unloads one by its name, a required one too.
        discovers: whether what is installed is loaded without being asked for.
        behind: what was configured when plugins followed it last that could not since, by name.
    """

    upgrades: Upgrades
    deferrals: Deferrals
    upkeep: Upkeep
    load: Callable[[str], Awaitable[object]]
    unload: Callable[[str], Awaitable[object]]
    discovers: bool = False
    behind: dict[str, Config] = attrs.field(factory=dict)
    _busy: asyncio.Lock = attrs.field(factory=asyncio.Lock)
    _inside: list[Flight] = attrs.field(factory=list)

    async def sync(self, ask: Ask, *, dry_run: bool) -> SyncReport:
        """Load, unload and reload what differs; goes on if who awaits it is cancelled.

        Asked for inside a call while another sync is under way, it tells what is to happen, and
        happens after that one, which may be waiting for the call.

        Args:
            ask: gives the configuration from now on.
            dry_run: whether nothing happens, and what would is told.

        Raises:
            PegboardError: the configuration can't be applied, and nothing has changed.
        """
        inside = enclosing()
        if any(each in self._inside for each in inside):
            raise PegboardError("this call has asked for a sync already, which ends after it")
        if dry_run:
            return await (await self._planned(ask)).report(self.upgrades)
        first: asyncio.Future[SyncReport] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._answered(ask, inside, first))
        self.upgrades.tasks.add(task)
        task.add_done_callback(self.upgrades.tasks.discard)
        return await asyncio.shield(first)

    async def _answered(
        self, ask: Ask, inside: list[Flight], first: "asyncio.Future[SyncReport]"
    ) -> None:
        def answer(report: SyncReport) -> None:
            if not first.done():
                first.set_result(report)

        try:
            if inside and self._busy.locked():
                answer(await (await self._planned(ask)).report(self.upgrades))
            async with self._busy:
                self._inside = inside
                plan, before = await self._planned(ask), self.upgrades.config
                infos = self.upgrades.infos
                loading = [name for name, info in infos.items() if info.state == "loading"]
                self.behind = dict(plan.behind)
                answer(await self._followed(plan, inside, answer))
            await self._catch_up(loading, before)
        except Exception as error:  # noqa: BLE001 - whoever asked is told, in whatever task
            if first.done():
                _log.exception("syncing plugins failed")
            else:
                first.set_exception(error)
        finally:
            self._inside = []

    async def _planned(self, ask: Ask) -> _Plan:
        """What is to be done now.

        Raises:
            PegboardError: the configuration can't be applied.
        """
        coming = await ask()
        config = coming.config
        seen, trust = look(config), Trust(config)
        trust.read()
        behind = {name: each for name, each in self.behind.items() if self._is_behind(name)}
        found = differences(
            self.upgrades,
            self.deferrals,
            config,
            seen.discovery,
            trust,
            before=self.upgrades.config,
            behind=behind,
            discovers=self.discovers,
        )
        around = Around(
            tuple(seen.discovery.found),
            self.upgrades.loaded,
            frozenset(found.unload),
            self.discovers,
        )
        return _Plan(seen, trust, config, found, coming.check(around), behind)

    def _is_behind(self, name: str) -> bool:
        """Whether a plugin that could not follow still has not, and nobody has unloaded it."""
        followed = self.upgrades.attempts.followed.get(name)
        if followed is None or name not in self.upgrades.loaded:
            info = self.upgrades.infos.get(name)
            return info is None or info.state in RETRIED
        said = self.upgrades.config.plugin(name)
        return followed.options != attrs.evolve(said, eager=followed.options.eager)

    async def _followed(
        self, plan: _Plan, inside: list[Flight], answer: Callable[[SyncReport], None]
    ) -> SyncReport:
        applied, found, taking = Applied(), plan.found, plan.taking
        before = self.upgrades.config
        taking.begin()
        self.upkeep.keep(plan.seen)
        self.upgrades.attempts.trust.follow(plan.trust)
        try:
            foreseen = await plan.report(self.upgrades) if inside else SyncReport()
            await self._unloaded(found, plan.seen.discovery, applied)
            for name in found.reload:
                await self._exchanged(name, inside, lambda: answer(foreseen), applied)
            taking.settle()
            for name in found.load:
                await self._tried(name, self.load, applied.loaded, applied)
        finally:
            taking.settle()
            taking.end()
        report = applied.report(taking, plan.behind)
        self.behind = self._behind_now(applied, before)
        return report

    def _behind_now(self, applied: Applied, before: Config) -> dict[str, Config]:
        """What was configured when plugins followed it last that could not now, by name."""
        now = self.upgrades.config
        followed = {name: self.behind.get(name, before) for name in applied.failed}
        return {
            name: each for name, each in followed.items() if _said(each, name) != _said(now, name)
        }

    async def _catch_up(self, loading: list[str], before: Config) -> None:
        """Have those follow, too, that were being loaded as it was configured before."""
        for name in loading:
            async with self.upgrades.lock(name):
                pass
        if not loading:
            return
        async with self._busy:
            upgrades, discovery = self.upgrades, self.upkeep.discovery
            found = differences(
                upgrades,
                self.deferrals,
                upgrades.config,
                discovery,
                upgrades.attempts.trust,
                before=before,
                discovers=False,
            )
            applied = Applied()
            for name in set(found.unload).intersection(loading):
                await self._tried(name, self._taken_away, [], applied)
            for name in set(found.reload).intersection(loading):
                await self._exchanged(name, [], lambda: None, applied)
            self.behind |= self._behind_now(applied, before)

    async def _unloaded(self, found: Differences, discovery: Discovery, applied: Applied) -> None:
        """Unload what goes, and list what there is now."""
        for name in found.unload:
            await self._tried(name, self._taken_away, applied.unloaded, applied)
        infos, tried = self.upgrades.infos, self.upgrades.tried
        for name in found.block:
            infos[name] = emptied(self._at_rest(name, discovery), "blocked")
        for name in found.drop:
            infos[name] = emptied(infos[name], "unloaded")
            tried.pop(name, None)
        for name in found.forget:
            infos.pop(name, None)
            tried.pop(name, None)
        for name, each in discovery.found.items():
            if name in infos and name in tried and tried[name].entry == name:
                infos[name] = attrs.evolve(infos[name], hidden=each.hidden)

    async def _taken_away(self, name: str) -> None:
        """Unload one; calls that use a built-in one go on as they began."""
        if not await self.upgrades.withdraw(name):
            await self.unload(name)
        self.upgrades.tried.pop(name, None)  # nobody has unloaded it by hand, so it may come back

    def _at_rest(self, name: str, discovery: Discovery) -> PluginInfo:
        """What is known of a plugin that isn't loaded."""
        if name in self.upgrades.config.mcp:
            return PluginInfo(name, ATTACHING)
        if name in ON_REQUEST:
            return self.upgrades.infos[name]
        return info_of(discovery.found[name])

    async def _exchanged(
        self, name: str, inside: list[Flight], answer: Callable[[], None], applied: Applied
    ) -> None:
        if name in self.deferrals:
            await self._tried(name, self.deferrals.wake, applied.reloaded, applied)
        elif name not in applied.reloaded:
            await self._reloaded(name, inside, answer, applied)

    async def _tried(
        self,
        name: str,
        step: Callable[[str], Awaitable[object]],
        done: list[str],
        applied: Applied,
    ) -> None:
        """Take a step with one plugin; one that fails stops no other."""
        try:
            await step(name)
        except PegboardError as error:
            _log.warning("%s", error)
            applied.failed.append(name)
        else:
            done.append(name)

    async def _reloaded(
        self, name: str, inside: list[Flight], answer: Callable[[], None], applied: Applied
    ) -> None:
        tried = self.upgrades.tried
        is_as_tried = self.upgrades.infos[name].error is None
        before = tried.get(name)
        try:
            upgrade = await self.upgrades.upgrade(name, grace=10.0, inside=inside, answer=answer)
        except PegboardError as error:
            _log.warning("%s", error)
            applied.failed.append(name)
            is_same = before is not None and before.mark == tried[name].mark
            if is_same and is_as_tried and isinstance(error.__cause__, QuarantinedError):
                await self._quarantined(name)
            return
        for each in upgrade.exchanges:
            (applied.unloaded if each.plan is None else applied.reloaded).append(each.name)

    async def _quarantined(self, name: str) -> None:
        """Take a plugin away of which the code that runs isn't accepted any more."""
        with suppress(PegboardError):
            await self.unload(name)
            await self.load(name)


def _said(config: Config, name: str) -> tuple[PluginConfig | None, PluginConfig | None]:
    """What a configuration says of a plugin; nothing isn't the same as an empty table."""
    return config.plugins.get(name), config.mcp.get(name)

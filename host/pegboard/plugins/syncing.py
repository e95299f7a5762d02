"""Making a running host agree with what is installed and configured now."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import attrs

from pegboard.calls import Flight, enclosing
from pegboard.config import Config
from pegboard.errors import PegboardError
from pegboard.plugins.catalogue import Deferrals
from pegboard.plugins.differing import Differences, differences
from pegboard.plugins.discovery import Discovery
from pegboard.plugins.sources import info_of
from pegboard.plugins.trust import Trust
from pegboard.plugins.upgrades import Upgrades
from pegboard.reports import SyncReport

_log = logging.getLogger("pegboard.plugins")


@attrs.define(eq=False)
class Applied:
    """What a sync has done so far."""

    loaded: list[str] = attrs.field(factory=list)
    unloaded: list[str] = attrs.field(factory=list)
    reloaded: list[str] = attrs.field(factory=list)
    failed: list[str] = attrs.field(factory=list)

    def report(self, boards: tuple[str, ...]) -> SyncReport:
        """The same for who asked."""
        return SyncReport(
            loaded=tuple(sorted(self.loaded)),
            unloaded=tuple(sorted(self.unloaded)),
            reloaded=tuple(sorted(self.reloaded)),
            failed=tuple(sorted(self.failed)),
            boards=boards,
        )


@attrs.define(eq=False)
class Syncing:
    """Syncs the plugins of one host; one sync is under way at a time.

    Attributes:
        upgrades: reloads them.
        deferrals: imports those that are shown and not imported yet.
        load: loads one by its name.
        unload: unloads one by its name, a required one too.
        discovers: whether what is installed is loaded without being asked for.
    """

    upgrades: Upgrades
    deferrals: Deferrals
    load: Callable[[str], Awaitable[object]]
    unload: Callable[[str], Awaitable[object]]
    discovers: bool = False
    _busy: asyncio.Lock = attrs.field(factory=asyncio.Lock)
    _inside: list[Flight] = attrs.field(factory=list)

    async def sync(
        self,
        config: Config,
        *,
        boards: tuple[str, ...],
        apply: Callable[[], None],
        dry_run: bool,
    ) -> SyncReport:
        """Load, unload and reload what differs; goes on if who awaits it is cancelled.

        Args:
            config: the configuration from now on.
            boards: the boards for which it says something else than before.
            apply: takes it over, in one step.
            dry_run: whether nothing happens, and what would is told.

        Raises:
            PegboardError: the configuration can't be applied, and nothing has changed.
        """
        inside = enclosing()
        if any(each in self._inside for each in inside):
            raise PegboardError("this call has asked for a sync already, which ends after it")
        if dry_run:
            return _planned(self._differences(config, Trust(config))[0]).report(boards)
        first: asyncio.Future[SyncReport] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._answered(config, boards, apply, inside, first))
        self.upgrades.tasks.add(task)
        task.add_done_callback(self.upgrades.tasks.discard)
        return await asyncio.shield(first)

    async def _answered(
        self,
        config: Config,
        boards: tuple[str, ...],
        apply: Callable[[], None],
        inside: list[Flight],
        first: "asyncio.Future[SyncReport]",
    ) -> None:
        def answer(report: SyncReport) -> None:
            if not first.done():
                first.set_result(report)

        try:
            async with self._busy:
                self._inside = inside
                trust = self.upgrades.attempts.trust
                found, discovery = self._differences(config, trust)
                apply()
                planned = _planned(found).report(boards)
                applied = Applied()
                await self._unloaded(found, discovery, applied)
                await self._loaded(found, inside, lambda: answer(planned), applied)
                answer(applied.report(boards))
        except Exception as error:  # noqa: BLE001 - whoever asked is told, in whatever task
            if first.done():
                _log.exception("syncing plugins failed")
            else:
                first.set_exception(error)
        finally:
            self._inside = []

    def _differences(self, config: Config, trust: Trust) -> tuple[Differences, Discovery]:
        discovery = self.upgrades.find()
        trust.read(config)
        found = differences(
            self.upgrades, self.deferrals, config, discovery, trust, discovers=self.discovers
        )
        return found, discovery

    async def _unloaded(self, found: Differences, discovery: Discovery, applied: Applied) -> None:
        """Unload what goes, and list what there is now."""
        for name in found.unload:
            await self._tried(name, self.unload, applied.unloaded, applied)
        infos, tried = self.upgrades.infos, self.upgrades.tried
        for name in found.block:
            infos[name] = attrs.evolve(info_of(discovery.found[name]), state="blocked")
        for name in found.forget:
            infos.pop(name, None)
            tried.pop(name, None)
        for name, each in discovery.found.items():
            if name in infos and name in tried and tried[name].entry == name:
                infos[name] = attrs.evolve(infos[name], hidden=each.hidden)

    async def _loaded(
        self,
        found: Differences,
        inside: list[Flight],
        answer: Callable[[], None],
        applied: Applied,
    ) -> None:
        """Reload what has changed, and load what is new."""
        for name in found.reload:
            if name in self.deferrals:
                await self._tried(name, self.deferrals.wake, applied.reloaded, applied)
            elif name not in applied.reloaded:
                await self._reloaded(name, inside, answer, applied)
        for name in found.load:
            await self._tried(name, self.load, applied.loaded, applied)

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
        try:
            upgrade = await self.upgrades.upgrade(name, grace=10.0, inside=inside, answer=answer)
        except PegboardError as error:
            _log.warning("%s", error)
            applied.failed.append(name)
            return
        for each in upgrade.exchanges:
            (applied.unloaded if each.plan is None else applied.reloaded).append(each.name)


def _planned(found: Differences) -> Applied:
    return Applied(list(found.load), list(found.unload), list(found.reload))

"""Having a host follow what is on disk: a sync, and what a sync doesn't see."""

import logging
import os
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

import attrs

from pegboard.errors import ConfigError, HostClosedError, PegboardError
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loader import Loader
from pegboard.plugins.loadthread import in_load_thread
from pegboard.plugins.marks import Tried, own_code
from pegboard.plugins.sources import Source
from pegboard.reports import SyncReport, WatchReport

_log = logging.getLogger("pegboard.plugins")
_LONG = 600.0
"""Seconds; reading files ends by itself."""


@attrs.frozen
class Actions:
    """What a host does for whoever watches.

    Attributes:
        sync: follows the environment, and the host's file or the one that is named.
        stay: follows the environment, and what is configured already.
        reload: exchanges one plugin.
    """

    sync: Callable[[Path | None], Awaitable[SyncReport]]
    stay: Callable[[], Awaitable[SyncReport]]
    reload: Callable[[str], Awaitable[object]]


@attrs.frozen
class Noted:
    """What the code of one load was.

    Attributes:
        generation: the load.
        text: what its files held; None where they changed while it was made.
    """

    generation: int
    text: str | None


@attrs.define(eq=False)
class Following:
    """Looks at what is on disk, and has the host do what has become necessary.

    A sync knows a changed file by its time and size, and follows what is installed. Here files are
    read, since two edits may have one time and one size, and single files and modules are followed.

    Attributes:
        loader: the host's plugins.
        actions: what the host does.
        config: the configuration file, which need not exist; None for the host's own.
    """

    loader: Loader
    actions: Actions
    config: Path | None
    _noted: dict[str, Noted] = attrs.field(factory=dict)
    _refused: dict[str, str] = attrs.field(factory=dict)
    _told: SyncReport = attrs.field(factory=SyncReport)
    _whys_told: dict[str, str] = attrs.field(factory=dict)
    _mistakes: tuple[str, ...] = ()

    async def look(self, changed: tuple[str, ...]) -> WatchReport | None:
        """Follow what is on disk now; None where there was nothing to do.

        Args:
            changed: the paths that are said to have changed.

        Raises:
            HostClosedError: the host is closed.
        """
        before = self._generations()
        texts = await self._texts(before)
        self._note_others(texts)
        report, mistakes = await self._synced()
        slow, report = report.failed, self._news(report)
        failed, errors = list(report.failed), [*mistakes, *self._whys(report.failed)]
        for name in self._edited(texts, before, slow):
            try:
                await self.actions.reload(name)
            except PegboardError as error:
                _log.warning("%s", error)
                self._refused[name] = texts[name]
                failed.append(name)
                errors.append(str(error))
        exchanged = {*report.reloaded, *self._exchanged(before, report)}
        for name in exchanged:
            self._refused.pop(name, None)
        await self._note_ours(texts, (*exchanged, *failed))
        done = attrs.evolve(report, reloaded=tuple(sorted(exchanged)), failed=tuple(sorted(failed)))
        has_news = errors or done != SyncReport()
        is_configured = bool(done.changes)
        return WatchReport(changed, done, tuple(errors), is_configured) if has_news else None

    async def _texts(self, names: Iterable[str]) -> dict[str, str]:
        """What the files of loaded plugins hold, read in a thread."""
        loaded = self.loader.upgrades.loaded
        sources = {name: loaded[name].plan.source for name in names if name in loaded}
        texts: dict[str, str] = await in_load_thread(
            lambda: {name: _text_of(source) for name, source in sources.items()},
            what="reading plugins",
            limit=_LONG,
            leaks=Leaks(),
        )
        return texts

    def _generations(self) -> dict[str, int]:
        infos, loaded = self.loader.upgrades.infos, self.loader.upgrades.loaded
        return {name: infos[name].generation for name in loaded}

    def _note_others(self, texts: Mapping[str, str]) -> None:
        """Note what files hold of loads that somebody else has made; forget those that are gone."""
        now = self._generations()
        for name in now.keys() & texts.keys():
            noted = self._noted.get(name)
            if noted is None or noted.text is None or noted.generation != now[name]:
                self._noted[name] = Noted(now[name], texts[name])
        for gone in self._noted.keys() - now.keys():
            del self._noted[gone]

    async def _note_ours(self, texts: Mapping[str, str], names: Iterable[str]) -> None:
        """Note what the files held of which loads were made, or tried, just now."""
        after, now = await self._texts(names), self._generations()
        for name in after.keys() & now.keys():
            text = texts.get(name)
            self._noted[name] = Noted(now[name], text if text == after[name] else None)

    async def _synced(self) -> tuple[SyncReport, tuple[str, ...]]:
        """What a sync did, and mistakes that weren't told before; then it is as configured yet."""
        mistakes: tuple[str, ...] = ()
        try:
            report = await self.actions.sync(self._file)
        except HostClosedError:
            raise
        except (PegboardError, OSError, ValueError) as error:
            mistakes = _mistakes_of(error)
            report = await self._stayed()
        news = tuple(each for each in mistakes if each not in self._mistakes)
        if self._mistakes and not mistakes:
            _log.warning("the configuration is without mistakes again")
        self._mistakes = mistakes
        for each in news:
            _log.warning("%s", each)
        return report, news

    @property
    def _file(self) -> Path | None:
        """The configuration file if it is there, whatever it is."""
        is_there = self.config is not None and os.path.lexists(self.config)
        return self.config if is_there else None

    async def _stayed(self) -> SyncReport:
        """What a sync did that leaves the configuration as it is."""
        try:
            return await self.actions.stay()
        except HostClosedError:
            raise
        except (PegboardError, OSError, ValueError) as error:
            _log.warning("%s", error)
            return SyncReport()

    def _news(self, report: SyncReport) -> SyncReport:
        """What wasn't told before: a sync tells of what can't be followed as long as that is so."""
        whys = dict(zip(report.failed, self._whys(report.failed), strict=True))
        told, before = self._whys_told, self._told
        self._whys_told, self._told = whys, report
        failed = tuple(name for name, why in whys.items() if told.get(name) != why)
        changes = tuple(
            each for each in report.changes if each.is_applied or each not in before.changes
        )
        return attrs.evolve(report, failed=failed, changes=changes)

    def _whys(self, names: tuple[str, ...]) -> Iterator[str]:
        for name in names:
            info = self.loader.upgrades.infos.get(name)
            yield f"plugin {name!r}: {'it failed' if info is None else info.error}"

    def _edited(
        self, texts: Mapping[str, str], before: Mapping[str, int], seen: Collection[str]
    ) -> Iterator[str]:
        """Plugins whose files aren't what was loaded, and of which the sync has seen nothing."""
        for name, text in texts.items():
            loaded = self.loader.upgrades.loaded.get(name)
            is_same = self._generations().get(name) == before.get(name)
            if loaded is None or not is_same or name in seen:
                continue
            is_other = self._noted[name].text != text or self._has_moved(name, loaded.plan.source)
            if is_other and self._refused.get(name) != text:
                yield name

    def _has_moved(self, name: str, source: Source) -> bool:
        """Whether a file or a module isn't what was tried last, by its time and size."""
        tried = self.loader.upgrades.tried.get(name)
        if source.found is not None or tried is None:
            return False
        return tried != Tried.of(source, tried.options)

    def _exchanged(self, before: Mapping[str, int], report: SyncReport) -> Iterator[str]:
        """The plugins of which another load is up than before, but for those that came."""
        for name, generation in self._generations().items():
            if name in before and generation != before[name] and name not in report.loaded:
                yield name


def _text_of(source: Source) -> str:
    """Text that changes when what the files of a plugin hold does; reads them."""
    digest = blake2b(digest_size=16)
    try:
        for path, _ in own_code(source):
            digest.update(f"{path}\n".encode(errors="surrogateescape"))
            digest.update(Path(path).read_bytes())
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()


def _mistakes_of(error: Exception) -> tuple[str, ...]:
    return error.mistakes if isinstance(error, ConfigError) else (str(error),)

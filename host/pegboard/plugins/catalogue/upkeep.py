"""Keeping the catalogue right: what is installed now, and what plugins have shown."""

import logging
from collections.abc import Iterator, Mapping
from functools import partial

import attrs

from pegboard.config import Config
from pegboard.errors import PegboardError
from pegboard.plugins.catalogue.catalogue import Kept, read_catalogue, write_catalogue
from pegboard.plugins.catalogue.environment import Environment
from pegboard.plugins.catalogue.record import Record, digest_of_options
from pegboard.plugins.discovery import Discovery, Found, discover
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loads import Loaded
from pegboard.plugins.loadthread import in_load_thread
from pegboard.plugins.marks import Tried, mark_of
from pegboard.plugins.sources import DISTRIBUTION
from pegboard.reports import PluginInfo

_log = logging.getLogger("pegboard.plugins")
_SHOWN_BY_FILES = {"deferred", "loaded", "blocked"}
_OF_BOARDS = {"pegboard_board"}


@attrs.frozen(eq=False)
class Seen:
    """What is installed.

    Attributes:
        discovery: what it is.
        environment: what that depends on.
    """

    discovery: Discovery
    environment: Environment


def look(config: Config) -> Seen:
    """What is installed now.

    Args:
        config: says which of two rivals is chosen.
    """
    before = Environment.now()
    discovery = discover(prefer=config.prefer)
    return Seen(discovery, before.with_plugins(discovery.offers))


@attrs.define(eq=False)
class Upkeep:
    """What one host knows of what is installed, and keeps of it on disk.

    Attributes:
        discovery: what is installed.
        environment: what that depends on; None as long as nobody has looked.
        kept: what the catalogue holds.
        is_used: whether the catalogue is read and written: where what is installed is loaded.
    """

    config: Config
    discovery: Discovery = attrs.field(factory=lambda: Discovery({}, ()))
    environment: Environment | None = None
    kept: Kept = attrs.field(factory=Kept)
    is_used: bool = False
    _is_fresh: bool = False

    def open(self) -> Discovery:
        """What is installed, from the catalogue if nothing has changed since it was written."""
        self.is_used = True
        self.kept = read_catalogue()
        found = self.kept.discovery(prefer=self.config.prefer)
        if found is None:
            return self.find()
        self._is_fresh = True
        self.discovery, self.environment = found, self.kept.environment
        return found

    def find(self) -> Discovery:
        """What is installed, read anew."""
        self.keep(look(self.config))
        return self.discovery

    def keep(self, seen: Seen) -> None:
        """Know what is installed now."""
        self._is_fresh = False
        self.discovery, self.environment = seen.discovery, seen.environment

    def record(self, found: Found) -> Record | None:
        """What the catalogue holds of a plugin, if that is still right."""
        record = self.kept.records.get(found.name)
        if record is None:
            return None
        mark = record.mark if self._is_fresh else mark_of(found)
        return record if record.fits(mark, self.config.plugin(found.name)) else None

    async def save(
        self,
        loaded: Mapping[str, Loaded],
        infos: Mapping[str, PluginInfo],
        tried: Mapping[str, Tried],
    ) -> None:
        """Write the catalogue, if it holds anything else than before.

        Args:
            loaded: the plugins that are up.
            infos: what is known of each.
            tried: what was last loaded of each, or was to be.
        """
        if not self.is_used:
            return
        environment = self.environment
        records = dict(self._records(loaded, infos, tried))
        is_settled = environment is not None and environment.is_settled
        now = Kept(
            environment if is_settled else None,
            self.discovery.offers,
            self.discovery.problems,
            records,
        )
        if now == self.kept:
            return
        self.kept, limit = now, self.config.load_timeout
        what = "writing the catalogue"
        try:
            write = partial(write_catalogue, now)
            await in_load_thread(write, what=what, limit=limit, leaks=Leaks())
        except PegboardError as error:
            _log.info("%s", error)

    def _records(
        self,
        loaded: Mapping[str, Loaded],
        infos: Mapping[str, PluginInfo],
        tried: Mapping[str, Tried],
    ) -> Iterator[tuple[str, Record]]:
        for name in self.discovery.found:
            before, load = self.kept.records.get(name), loaded.get(name)
            said, info = tried.get(name), infos.get(name)
            if said is None or said.entry != name:
                record = before
            elif load is not None:
                is_usual = load.plan.settings is load.plan.options.settings
                record = Record.of(load, said) if is_usual else before
            elif info is not None and info.state == "failed":
                record = Record(said.mark, digest_of_options(said.options), failure=info.error)
            else:
                record = before
            if record is not None:
                yield name, record

    def states(
        self, loaded: Mapping[str, Loaded], infos: Mapping[str, PluginInfo]
    ) -> tuple[tuple[str, str], ...] | None:
        """The files on which depends what plugins show; None where it depends on more.

        Args:
            loaded: the plugins that are up.
            infos: what is known of each.
        """
        environment = self.environment
        if environment is None or not environment.is_settled or self.config.lock is not None:
            return None
        others = (each for each in infos.values() if each.distribution != DISTRIBUTION)
        if any(each.state not in _SHOWN_BY_FILES for each in others):
            return None
        for name, each in loaded.items():
            source = each.plan.source
            is_usual = source.distribution == DISTRIBUTION or name in self.discovery.found
            if not is_usual or not _OF_BOARDS.isdisjoint(each.hooks):
                return None
        return tuple(environment.states.items())

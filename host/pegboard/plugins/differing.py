"""What differs between what is installed and configured now, and what a host has loaded."""

from collections.abc import Collection, Iterable, Iterator

import attrs

from pegboard.config import Config
from pegboard.plugins.builtin import ON_REQUEST, STANDING
from pegboard.plugins.discovery import Discovery
from pegboard.plugins.loads import Loaded
from pegboard.plugins.marks import Tried
from pegboard.plugins.sources import ATTACHING, DISTRIBUTION, Source, installed
from pegboard.plugins.trust import Trust
from pegboard.plugins.upgrades import Upgrades, renewed

_CLASHES = ("CollisionError:", "ReservedNameError:")
RETRIED = ("failed", "quarantined", "retrying")
"""States of plugins that are wanted, and aren't there."""


@attrs.frozen
class Differences:
    """What has to happen to plugins, by name.

    Attributes:
        load: those that are installed, and aren't loaded.
        unload: those that are gone, or kept out now.
        reload: those whose code or settings have changed.
        block: those that are kept out now, and aren't listed so.
        forget: those that are listed, and aren't installed any more.
        drop: built-in ones that aren't loaded, and of which nothing is said any more.
    """

    load: tuple[str, ...] = ()
    unload: tuple[str, ...] = ()
    reload: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    forget: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


def differences(
    upgrades: Upgrades,
    deferred: Iterable[str],
    config: Config,
    discovery: Discovery,
    trust: Trust,
    *,
    before: Config,
    behind: Collection[str] = (),
    discovers: bool,
) -> Differences:
    """What has to happen to the plugins of a host.

    Args:
        upgrades: knows what is loaded, and what was tried.
        deferred: what is shown and not imported yet.
        config: the configuration from now on.
        discovery: what is installed now.
        trust: what the lock file accepts from now on.
        before: what was configured when all that is loaded was as configured.
        behind: what could not follow what was configured then, and is tried again.
        discovers: whether what is installed is loaded without being asked for.
    """
    slow = frozenset(behind)
    finding = _Finding(upgrades, frozenset(deferred), config, discovery, trust, before, slow)
    going = tuple(finding.to_unload())
    return Differences(
        load=(*finding.on_request(), *(finding.to_load() if discovers else ())),
        unload=going,
        reload=tuple(finding.to_reload(going)),
        block=tuple(finding.to_block(going, discovers=discovers)),
        forget=tuple(finding.to_forget(going)),
        drop=tuple(finding.to_drop(going)),
    )


@attrs.frozen(eq=False)
class _Finding:
    upgrades: Upgrades
    deferred: frozenset[str]
    config: Config
    discovery: Discovery
    trust: Trust
    before: Config
    behind: frozenset[str]

    def on_request(self) -> Iterator[str]:
        """Built-in plugins and MCP servers that the configuration asks for now."""
        for name in self._asked_for():
            is_asked_for = not self.config.keeps_out(name)
            if is_asked_for and name not in self.upgrades.loaded and self._is_worth_trying(name):
                yield name

    def _asked_for(self) -> Iterator[str]:
        yield from (name for name in ON_REQUEST if name in self.config.plugins)
        yield from self.config.mcp

    def to_load(self) -> Iterator[str]:
        """Installed plugins that are new, or admitted now, or have failed and are others by now."""
        for name in self._installed():
            is_free = name not in self.upgrades.loaded and not self.config.keeps_out(name)
            if is_free and self._is_worth_trying(name):
                yield name

    def _is_worth_trying(self, name: str) -> bool:
        info = self.upgrades.infos.get(name)
        if info is None or info.state == "blocked" or name not in self.upgrades.tried:
            return True
        if info.state not in RETRIED:
            return False
        is_freed = str(info.error).startswith(_CLASHES) and self._frees_names()
        return is_freed or name in self.behind or self._has_changed(name)

    def _frees_names(self) -> bool:
        """Whether names may be free now that weren't, since it is configured otherwise."""
        keys = ("reserved", "plugins", "mcp", "block", "only")
        return any(getattr(self.config, key) != getattr(self.before, key) for key in keys)

    def to_unload(self) -> Iterator[str]:
        """Loaded plugins that aren't installed any more, or are kept out now and were not."""
        for name, loaded in self._known():
            if self._is_kept_out_now(name) or self._is_gone(name, loaded):
                yield name
        for name, info in self.upgrades.infos.items():
            is_shown = info.state == "retrying" or name in self.deferred
            if is_shown and (self._is_kept_out_now(name) or not self._is_installed(name)):
                yield name

    def _is_kept_out_now(self, name: str) -> bool:
        """Whether it is kept out, and wasn't before."""
        return self.config.keeps_out(name) and not self.before.keeps_out(name)

    def _is_gone(self, name: str, loaded: Loaded) -> bool:
        found = loaded.plan.source.found
        if found is not None:
            return found.name not in self.discovery.found
        if loaded.plan.source.distribution == ATTACHING:
            return name not in self.config.mcp
        return name in self.before.plugins and name not in self.config.plugins

    def to_reload(self, going: tuple[str, ...]) -> Iterator[str]:
        """Loaded and deferred plugins whose code or settings are others by now."""
        for name, _ in self._known():
            if name not in going and (name in self.behind or self._has_changed(name)):
                yield name
        for name in sorted(self.deferred):
            is_wanted = name in self.config.required or self.config.lock is not None
            if name not in going and (is_wanted or self._has_changed(name)):
                yield name

    def to_block(self, going: tuple[str, ...], *, discovers: bool) -> Iterator[str]:
        """Installed and configured plugins that are kept out, and aren't listed so."""
        for name in (*(self._installed() if discovers else ()), *self._asked_for()):
            info = self.upgrades.infos.get(name)
            is_listed = info is not None and info.state == "blocked"
            is_loaded = name in self.upgrades.loaded and name not in going
            if self.config.keeps_out(name) and not is_listed and not is_loaded:
                yield name

    def to_forget(self, going: tuple[str, ...]) -> Iterator[str]:
        """Listed plugins that aren't installed any more."""
        for name, info in self.upgrades.infos.items():
            is_loaded = name in self.upgrades.loaded and name not in going
            is_listed = info.distribution not in (None, DISTRIBUTION)
            if is_listed and not is_loaded and not self._is_installed(name):
                yield name

    def to_drop(self, going: tuple[str, ...]) -> Iterator[str]:
        """Built-in plugins that are blocked, failed or were unloaded, and had a table until now."""
        for name in ON_REQUEST:
            is_loaded = name in self.upgrades.loaded and name not in going
            is_known = name in self.before.plugins or self.upgrades.infos[name].state == "blocked"
            if is_known and not is_loaded and name not in self.config.plugins:
                yield name

    def _is_installed(self, name: str) -> bool:
        """Whether the entry point is there from which it was loaded, or was to be."""
        info = self.upgrades.infos.get(name)
        if info is not None and info.distribution == ATTACHING and info.location is None:
            return name in self.config.mcp
        tried = self.upgrades.tried.get(name)
        entry = name if tried is None else tried.entry
        return entry is None or entry in self.discovery.found

    def _installed(self) -> Iterator[str]:
        """What is installed, but for what a built-in plugin or an MCP server hides."""
        hidden = {*STANDING, *ON_REQUEST, *self.config.mcp}
        return (name for name in self.discovery.found if name not in hidden)

    def _known(self) -> Iterator[tuple[str, Loaded]]:
        """The loaded plugins that the environment or the configuration decides on."""
        for name, loaded in self.upgrades.loaded.items():
            source = loaded.plan.source
            if source.found is not None or source.is_configured:
                yield name, loaded

    def _has_changed(self, name: str) -> bool:
        """Whether its code, or what the operator says of it, isn't what was last tried."""
        tried, now = self.upgrades.tried.get(name), self._source(name)
        if tried is None or now is None:
            return True
        options = self.config.plugin(name)
        loaded = self.upgrades.loaded.get(name)
        if loaded is not None:
            options = attrs.evolve(options, eager=tried.options.eager)
        if loaded is not None and loaded.plan.settings is not loaded.plan.options.settings:
            options = attrs.evolve(options, settings=tried.options.settings)
        return tried != Tried.of(self.trust.sealed(now, name), options)

    def _source(self, name: str) -> Source | None:
        loaded = self.upgrades.loaded.get(name)
        if loaded is not None:
            return renewed(loaded.plan.source, self.discovery)
        found = self.discovery.found.get(name)
        return None if found is None else installed(found)

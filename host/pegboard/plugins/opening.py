"""What a host starts with: built-in plugins that are configured, and what is installed."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

import attrs

from pegboard.config import Config
from pegboard.errors import (
    ConfigError,
    PegboardError,
    PluginLoadError,
    did_you_mean,
    near_names,
)
from pegboard.plugins.builtin import ON_REQUEST, STANDING
from pegboard.plugins.catalogue import Deferrals, Upkeep
from pegboard.plugins.discovery import Found
from pegboard.plugins.sources import ATTACHING, Source, info_of, installed
from pegboard.plugins.states import States
from pegboard.reports import PluginInfo

_log = logging.getLogger("pegboard.plugins")


def check_attached(config: Config) -> None:
    """Refuse MCP servers that have the names of built-in plugins.

    Raises:
        ConfigError: names all of them, with their places.
    """
    taken = [each for each in config.mcp if each in STANDING or each in ON_REQUEST]
    if taken:
        places = {each: config.place("mcp", each) or "mcp" for each in taken}
        raise ConfigError(
            [f"{place}: {each!r} is a built-in plugin" for each, place in places.items()]
        )


def check_admitted(source: Source, config: Config) -> None:
    """Refuse to load an installed plugin that is blocked.

    Raises:
        PluginLoadError: says where that stands.
    """
    is_blockable = source.found is not None or source.is_configured
    if is_blockable and source.name in config.block:
        by = config.place("block") or "the configuration"
        raise PluginLoadError(f"plugin {source.name!r} is blocked by {by}")


def check_blockable(name: str, config: Config) -> None:
    """Refuse to keep a plugin out that the host can't be without.

    Raises:
        PegboardError: it is built in, or required.
    """
    if name in STANDING:
        raise PegboardError(f"plugin {name!r} is built in, and goes with the host only")
    if name in config.required:
        raise PegboardError(
            f"plugin {name!r} is required, and the host would not start without it: "
            "take it out of `required` first"
        )


@attrs.define(eq=False)
class Opening:
    """Loads what one host starts with; what fails stops nothing else, unless it is required.

    Attributes:
        load: loads one plugin.
    """

    config: Config
    states: States
    upkeep: Upkeep
    deferrals: Deferrals
    load: Callable[[object], Awaitable[object]]

    async def load_builtin(self) -> None:
        """Load the built-in plugins for which the configuration has a table."""
        infos = self.states.known
        for name in ON_REQUEST:
            if name not in self.config.plugins:
                continue
            if self.config.keeps_out(name):
                self._warn_of(name)
                infos[name] = attrs.evolve(infos[name], state="blocked")
                continue
            await self._tried(name)

    def _warn_of(self, name: str) -> None:
        """Say that a table means nothing, unless somebody has blocked the plugin by its name."""
        if name in self.config.block:
            return
        path = self.config.path_of(name)
        where = self.config.place(*path) or "the configuration"
        _log.warning("%s: [%s] means nothing, since `only` keeps it out", where, ".".join(path))

    async def load_attached(self) -> None:
        """Load the MCP servers of the configuration, side by side: each has to be waited for."""
        wanted = []
        for name in self.config.mcp:
            if self.config.keeps_out(name):
                self._warn_of(name)
                self.states.known[name] = PluginInfo(name, ATTACHING, state="blocked")
            else:
                wanted.append(name)
        await asyncio.gather(*map(self._tried, wanted))

    async def _tried(self, what: object) -> None:
        """Load one plugin; why it can't be loaded is listed."""
        with contextlib.suppress(PegboardError):
            await self.load(what)

    async def load_installed(self) -> None:
        """Load every installed plugin that the configuration doesn't keep out.

        One of which the catalogue holds all that is shown is deferred.

        Raises:
            PluginLoadError: one that the configuration requires is missing or failed.
        """
        infos = self.states.known
        self.deferrals.open()
        for name, found in self.upkeep.open().found.items():
            if name in STANDING or name in ON_REQUEST or name in self.config.mcp:
                self._hide(found)
            elif self.config.keeps_out(name):
                infos[name] = attrs.evolve(info_of(found), state="blocked")
            elif not self.deferrals.defer(found, self.upkeep.record(found)):
                await self._tried(installed(found))
        for name in self.config.required:
            info = infos.get(name)
            if info is None or info.state != "loaded":
                near = did_you_mean(near_names(name, infos))
                why = f"it isn't installed{near}" if info is None else info.error or info.state
                raise PluginLoadError(f"plugin {name!r} is required, and isn't there: {why}")

    def _hide(self, found: Found) -> None:
        """List an installed plugin as a rival of the configured or built-in one of its name."""
        rival = f"{found.distribution} {found.version}"
        other = "MCP server" if found.name in self.config.mcp else "built-in one"
        _log.warning("plugin %r of %s is hidden by the %s", found.name, rival, other)
        info = self.states.known[found.name]
        self.states.known[found.name] = attrs.evolve(info, hidden=(rival, *found.hidden))

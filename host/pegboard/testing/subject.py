"""The plugin that is checked, and a host and a board with nothing else on them."""

import importlib
import importlib.util
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from pegboard.board import Board
from pegboard.config import Config
from pegboard.errors import PegboardError, UnknownNameError
from pegboard.hooks import Implementation
from pegboard.host import Host
from pegboard.plugins.discovery import discover
from pegboard.plugins.hookbook import HookBook
from pegboard.plugins.sources import installed, is_path
from pegboard.registry import Owner
from pegboard.reports import PluginInfo
from pegboard.values import JSON


def _checked(plugin: object) -> object:
    if is_path(plugin):
        raise PegboardError(
            f"check_plugin takes the name of an installed plugin, a module or an object, not the "
            f"path {str(plugin)!r}; import the file, and give the module"
        )
    return plugin


def _read_only(arguments: Any) -> Mapping[str, tuple[JSON, ...]]:
    return {name: tuple(each) for name, each in (arguments or {}).items()}


class NotLoadedError(AssertionError):
    """The plugin can't be loaded, so that nothing of it can be tried."""


@attrs.frozen(eq=False, kw_only=True)
class Subject:
    """A plugin, and how it is to be loaded.

    Attributes:
        plugin: the name of an installed one, a module, or an object with hook implementations.
        name: its name on the host; what the host makes of it if None.
        config: the host's configuration.
        settings: its table, an instance of its class, or a function of a folder that gives one.
        arguments: further arguments to try, by the names of tools.
    """

    plugin: object = attrs.field(converter=_checked)
    name: str | None = None
    config: Config | None = None
    settings: Any = None
    arguments: Mapping[str, Sequence[JSON]] = attrs.field(default=None, converter=_read_only)

    def __str__(self) -> str:
        return f"plugin {self._short()!r}"

    def _short(self) -> str:
        if self.name is not None:
            return self.name
        named = getattr(self.plugin, "__name__", None) or type(self.plugin).__name__
        return self.plugin if isinstance(self.plugin, str) else str(named)

    def settings_in(self, folder: Path) -> Any:
        """Its settings, where files of its own may go to a folder."""
        return self.settings(folder) if self._settings_are_made() else self.settings

    def _settings_are_made(self) -> bool:
        return callable(self.settings) and not isinstance(self.settings, Mapping)

    async def load(self, host: Host, settings: Any) -> PluginInfo:
        """Load it.

        Raises:
            NotLoadedError: it can't be loaded; says why and what to do.
        """
        try:
            return await host.load(self._fresh(), name=self.name, settings=settings)
        except UnknownNameError as error:
            raise NotLoadedError(
                f"{error}; is it installed here (`pip install -e .`), under this name in "
                "[project.entry-points.pegboard]?"
            ) from None
        except PegboardError as error:
            raise NotLoadedError(str(error)) from error

    def _fresh(self) -> object:
        """The plugin; a module that an unloading has taken away is imported anew."""
        if not isinstance(self.plugin, ModuleType) or self.plugin.__spec__ is None:
            return self.plugin
        try:
            return importlib.import_module(self.plugin.__name__)
        except ModuleNotFoundError:
            return self.plugin  # it was made by hand, and no finder knows it

    @asynccontextmanager
    async def loaded(self, folder: Path) -> AsyncIterator[tuple[Host, PluginInfo]]:
        """A host with the plugin on it."""
        async with Host(self.config, discover=False) as host:
            yield host, await self.load(host, self.settings_in(folder))

    @asynccontextmanager
    async def on_board(self, folder: Path) -> AsyncIterator[Board]:
        """A board with the plugin's tools and nothing else."""
        async with self.loaded(folder) as (host, _), host.board("checks") as board:
            yield board

    def implementations(self) -> tuple[Implementation, ...]:
        """Its hook implementations, while it is loaded."""
        name = self.plugin
        plugin = installed(discover().found[name]).get() if isinstance(name, str) else self._fresh()
        return HookBook().register(plugin, self._short())


def owner_of(info: PluginInfo) -> Owner:
    """Who a plugin is, for messages."""
    return Owner(info.name, info.distribution, info.version, info.generation)

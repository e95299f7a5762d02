"""Where a plugin comes from that somebody names."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import attrs

from pegboard.config import Config
from pegboard.errors import UnknownNameError
from pegboard.plugins.builtin import ON_REQUEST
from pegboard.plugins.catalogue import Upkeep
from pegboard.plugins.sources import (
    Source,
    attached,
    built_in,
    from_file,
    given,
    installed,
    is_path,
)
from pegboard.reports import PluginInfo


@attrs.define(eq=False)
class Sources:
    """Finds the plugins of one host by what it is asked to load.

    Attributes:
        config: what the operator decided.
        infos: what is known of each plugin.
        upkeep: knows what is installed.
    """

    config: Config
    infos: Mapping[str, PluginInfo]
    upkeep: Upkeep

    def find(self, what: object) -> Source:
        """Where a plugin comes from.

        Args:
            what: a name, a path, a module, any other object, or the source itself.

        Raises:
            PluginLoadError: there is no such file.
            UnknownNameError: no installed plugin has that name.
        """
        if isinstance(what, Source):
            return what
        if isinstance(what, (str, Path)) and is_path(what):
            return from_file(Path(what))
        if not isinstance(what, str):
            return given(what)
        if what in ON_REQUEST:
            return built_in(what, ON_REQUEST[what](), self.infos[what].hidden)
        if what in self.config.mcp:
            return attached(what, partial(self._is_eager, what))
        discovery = self.upkeep.find()
        found = discovery.found.get(what)
        if found is None:
            raise UnknownNameError("plugin", what, discovery.found)
        return installed(found)

    def _is_eager(self, name: str) -> bool:
        """Whether an MCP server is asked at once: what is locked is judged by what it says now."""
        return self.config.lock is not None or self.config.plugin(name).eager

"""The secrets in a plugin's settings: text from the environment, or from a file."""

import logging
from pathlib import Path
from typing import Any

import attrs

from pegboard.config import Config
from pegboard.lookup import look_up

_log = logging.getLogger("pegboard.plugins")


@attrs.frozen
class SettingsSecrets:
    """Where the secrets of one plugin's settings come from.

    Attributes:
        plugin: the plugin's name.
        config: the configuration, if the settings are its own; None where the program gave them.
    """

    plugin: str
    config: Config | None

    def look_up(self, kind: str, name: str) -> str:
        """The text of an environment variable, or of a file without the last end of line.

        Raises:
            LookupError: it isn't there, can't be read, or holds nothing.
        """
        return look_up(kind, name, folder=self._folder())

    def note_plain(self, keys: tuple[Any, ...]) -> None:
        """Warn of a secret that stands in a configuration file as plain text."""
        path = () if self.config is None else self.config.path_of(self.plugin, *map(str, keys))
        place = self.config and self.config.place(*path)
        if place:
            shown = ".".join(path)
            _log.warning(
                '%s: %s stands there as plain text; write { env = "…" } or { file = "…" }',
                place,
                shown,
            )

    def _folder(self) -> Path:
        """Where a relative file is looked for: beside the configuration file, if there is one."""
        place = self.config and self.config.place(*self.config.path_of(self.plugin))
        return place.path.parent if place else Path()

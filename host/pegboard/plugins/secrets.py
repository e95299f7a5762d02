"""The secrets in a plugin's settings: text from the environment, or from a file."""

import logging
import os
from pathlib import Path
from typing import Any

import attrs

from pegboard.config import Config

_log = logging.getLogger("pegboard.plugins")
_MOST = 64 * 1024


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
        return _variable(name) if kind == "env" else _text(self._folder() / name)

    def note_plain(self, keys: tuple[Any, ...]) -> None:
        """Warn of a secret that stands in a configuration file as plain text."""
        place = self.config and self.config.place("plugins", self.plugin, *map(str, keys))
        if place:
            shown = ".".join(map(str, ("plugins", self.plugin, *keys)))
            _log.warning(
                '%s: %s stands there as plain text; write { env = "…" } or { file = "…" }',
                place,
                shown,
            )

    def _folder(self) -> Path:
        """Where a relative file is looked for: beside the configuration file, if there is one."""
        place = self.config and self.config.place("plugins", self.plugin)
        return place.path.parent if place else Path()


def _variable(name: str) -> str:
    text = os.environ.get(name)
    if text:
        return text
    why = "isn't set" if text is None else "is empty"
    raise LookupError(f"needs the environment variable {name!r}, which {why}")


def _text(path: Path) -> str:
    wanted = f"needs the file {str(path)!r}, which"
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST + 1)
        text = raw.decode()
    except OSError as error:
        raise LookupError(f"{wanted} can't be read: {error.strerror or 'it fails'}") from None
    except ValueError:
        raise LookupError(f"{wanted} isn't text in UTF-8") from None
    if len(raw) > _MOST:
        raise LookupError(f"{wanted} is larger than {_MOST} bytes")
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise LookupError(f"{wanted} is empty")
    return text

"""What an operator may set."""

from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, Gt, Le
from pegboard import PegboardError, PluginContext

KIBI = 1024


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        root: the one folder that the tools reach; relative to the folder of the configuration, or
            to the working folder at loading where the plugin has no table there.
        read_only: whether the tools that write are left out.
        max_bytes: how much text one call gives back.
        max_file_bytes: how much of one file is looked at, and how large a written one may be.
        max_entries: how many entries one listing gives back.
        max_matches: how many matches one search gives back.
        max_seconds: how long one search goes on.
        skip: names of folders that listings and searches don't enter by themselves.
    """

    root: str = "."
    read_only: bool = False
    max_bytes: Annotated[int, Ge(16), Le(KIBI * KIBI)] = 64 * KIBI
    max_file_bytes: Annotated[int, Ge(16)] = 8 * KIBI * KIBI
    max_entries: Annotated[int, Ge(1), Le(10_000)] = 500
    max_matches: Annotated[int, Ge(1), Le(10_000)] = 100
    max_seconds: Annotated[float, Gt(0)] = 10.0
    skip: tuple[str, ...] = (".git", ".venv", "__pycache__", "node_modules")


def root_of(plugin: PluginContext) -> str:
    """The real path of the folder that the tools reach.

    Raises:
        PegboardError: the setting is no path, or begins in a home folder that isn't there.
    """
    settings: Settings = plugin.settings
    try:
        return str(Path(plugin.folder, Path(settings.root).expanduser()).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise PegboardError(f"root in [plugins.files] can't be used: {error}") from error

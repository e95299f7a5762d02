"""What an operator may set."""

from pathlib import Path
from typing import Annotated, Literal

import attrs
from annotated_types import Ge, Gt, Le
from pegboard import PegboardError, PluginContext

from pegboard_files.encoding import extends_ascii

KIBI = 1024


def _extends_ascii(_settings: object, _field: object, name: str | None) -> None:
    if name is not None and not extends_ascii(name):
        raise ValueError(
            "fallback_encoding must be a text encoding that Python knows and in which ASCII is "
            "itself, such as 'cp1252'"
        )


def _are_names(_settings: object, _field: object, names: tuple[str, ...]) -> None:
    if any("/" in each or "*" in each or each in ("", ".", "..") for each in names):
        raise ValueError("skip must hold names of folders, such as '.git'; no paths, no patterns")


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        root: the one folder that the tools reach; relative to the folder of the configuration, or
            to the working folder at loading where the plugin has no table there.
        read_only: whether the tools that change anything are left out.
        move: whether there is a tool that moves files and folders.
        delete: whether there is a tool that deletes files and folders.
        require_version: whether a file that exists is only changed by calls that name the version
            which they have read.
        fallback_encoding: how text is read that has no mark and isn't UTF-8; without it, it isn't.
        max_bytes: how much text one call gives back.
        max_file_bytes: how much of one file is looked at, and how large a written one may be.
        max_image_bytes: how large a picture is shown to a model.
        max_entries: how many entries one listing gives back.
        max_matches: how many matches one search gives back.
        max_seconds: how long one search goes on.
        search_with: `own`, `ripgrep`, or `auto` for ripgrep where it is installed.
        ripgrep: its name on the search path of the host, or its absolute path.
        skip: names of folders that listings and searches don't enter by themselves.
    """

    root: str = "."
    read_only: bool = False
    move: bool = False
    delete: bool = False
    require_version: bool = False
    fallback_encoding: str | None = attrs.field(default=None, validator=_extends_ascii)
    max_bytes: Annotated[int, Ge(16), Le(KIBI * KIBI)] = 64 * KIBI
    max_file_bytes: Annotated[int, Ge(16)] = 8 * KIBI * KIBI
    max_image_bytes: Annotated[int, Ge(0), Le(6 * KIBI * KIBI)] = 2 * KIBI * KIBI
    max_entries: Annotated[int, Ge(1), Le(10_000)] = 500
    max_matches: Annotated[int, Ge(1), Le(10_000)] = 100
    max_seconds: Annotated[float, Gt(0)] = 10.0
    search_with: Literal["auto", "own", "ripgrep"] = "auto"
    ripgrep: str = "rg"
    skip: tuple[str, ...] = attrs.field(
        default=(".git", ".venv", "__pycache__", "node_modules"), validator=_are_names
    )


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

"""A plugin that reads, changes and searches the files below one folder, and never leaves it."""

from pathlib import Path

import attrs
from pegboard import PegboardError, PluginContext, Tool, hookimpl

from pegboard_files.deleting import Deleted, files_delete
from pegboard_files.editing import Edit, Edited, files_edit
from pegboard_files.globbing import Found, files_glob
from pegboard_files.images import Picture
from pegboard_files.listing import Entry, Listing, files_list
from pegboard_files.moving import Moved, files_move
from pegboard_files.reach import is_supported
from pegboard_files.reading import FileText, files_read
from pegboard_files.ripgrep import find_ripgrep
from pegboard_files.scan import Match
from pegboard_files.searching import Matches, files_search
from pegboard_files.settings import Settings, root_of
from pegboard_files.writing import Written, files_write

__all__ = [
    "Deleted",
    "Edit",
    "Edited",
    "Entry",
    "FileText",
    "Found",
    "Listing",
    "Match",
    "Matches",
    "Moved",
    "Picture",
    "Settings",
    "Written",
    "files_delete",
    "files_edit",
    "files_glob",
    "files_list",
    "files_move",
    "files_read",
    "files_search",
    "files_write",
    "pegboard_settings",
    "pegboard_tools",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
def pegboard_tools(plugin: PluginContext) -> list[Tool]:
    """The tools of this plugin; only those that read, if the settings say so.

    Raises:
        PegboardError: the root is no folder, this system can't hold tools to it, or ripgrep is
            asked for and isn't there.
    """
    settings: Settings = plugin.settings
    if not is_supported():
        raise PegboardError(
            "pegboard-files needs a system that opens files relative to an opened folder (POSIX); "
            "block the plugin 'files' here"
        )
    root = root_of(plugin)
    if not Path(root).is_dir():
        raise PegboardError(f"root {root!r} is not a folder; make it, or set another")
    _check_ripgrep(settings, root)
    reading = [files_list, files_read, files_search, files_glob]
    if settings.read_only:
        return [attrs.evolve(each, concurrency_safe=True) for each in reading]
    asked = [(files_move, settings.move), (files_delete, settings.delete)]
    return [*reading, files_write, files_edit, *(each for each, is_on in asked if is_on)]


def _check_ripgrep(settings: Settings, root: str) -> None:
    is_needed = settings.search_with == "ripgrep"
    if is_needed and find_ripgrep(settings.ripgrep, root=root) is None:
        raise PegboardError(
            f"search_with asks for ripgrep, and no program {settings.ripgrep!r} is on the search "
            "path outside of the root; install it, or set search_with to 'auto'"
        )

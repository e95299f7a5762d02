"""A plugin that reads, writes and searches the files below one folder, and never leaves it."""

from pathlib import Path

from pegboard import PegboardError, PluginContext, Tool, hookimpl

from pegboard_files.editing import Edit, Edited, files_edit
from pegboard_files.listing import Entry, Listing, files_list
from pegboard_files.reach import is_supported
from pegboard_files.reading import FileText, files_read
from pegboard_files.scan import Match
from pegboard_files.searching import Matches, files_search
from pegboard_files.settings import Settings, root_of
from pegboard_files.writing import Written, files_write

__all__ = [
    "Edit",
    "Edited",
    "Entry",
    "FileText",
    "Listing",
    "Match",
    "Matches",
    "Settings",
    "Written",
    "files_edit",
    "files_list",
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
        PegboardError: the root is no folder, or this system can't hold tools to it.
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
    reading = [files_list, files_read, files_search]
    return reading if settings.read_only else [*reading, files_write, files_edit]

"""A plugin by which models find the tools that they aren't shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pegboard import PluginBoard, PluginContext, Tool, hookimpl

from pegboard_search.finder import Finder
from pegboard_search.index import check_fts5
from pegboard_search.searching import Found, FoundTool, found_names, tools_search
from pegboard_search.settings import Settings

__all__ = [
    "Found",
    "FoundTool",
    "Settings",
    "pegboard_board",
    "pegboard_settings",
    "pegboard_tools",
    "tools_search",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
def pegboard_tools() -> list[Tool]:
    """None: each board has a search of its own.

    Raises:
        PegboardError: the SQLite that is here can't search.
    """
    check_fts5()
    return []


@hookimpl
@asynccontextmanager
async def pegboard_board(plugin: PluginContext, board: PluginBoard) -> AsyncIterator[Finder | None]:
    """What finds the tools of one board, and keeps back those that are to be found."""
    settings: Settings = plugin.settings
    if not settings.mean([board.name, *board.parents]):
        yield None
        return
    finder = Finder(
        board, settings, board.defer(tools_search, names=found_names), own=tools_search.function
    )
    try:
        yield finder
    finally:
        finder.close()

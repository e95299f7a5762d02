"""A plugin that keeps a to-do list for each board, in one file that survives restarts."""

from collections.abc import Iterator
from contextlib import contextmanager

from pegboard import PluginBoard, PluginContext, Tool, hookimpl

from pegboard_todo.items import Item, Listing
from pegboard_todo.lists import BoardList
from pegboard_todo.settings import Settings, path_of
from pegboard_todo.store import Store
from pegboard_todo.tools import todo_add, todo_clear, todo_list, todo_remove, todo_update

__all__ = [
    "BoardList",
    "Item",
    "Listing",
    "Settings",
    "Store",
    "pegboard_board",
    "pegboard_lifespan",
    "pegboard_settings",
    "pegboard_tools",
    "todo_add",
    "todo_clear",
    "todo_list",
    "todo_remove",
    "todo_update",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
@contextmanager
def pegboard_lifespan(plugin: PluginContext) -> Iterator[Store]:
    """The file of the lists; it is made when something is first written.

    Raises:
        PegboardError: what is there is something else, or damaged.
    """
    store = Store(path_of(plugin), patience=plugin.settings.max_seconds)
    store.check()
    yield store


@hookimpl
@contextmanager
def pegboard_board(plugin: PluginContext, board: PluginBoard) -> Iterator[BoardList]:
    """The list of one board: its tools find it as `context.state`."""
    yield BoardList(plugin.resource, board.name, plugin.settings)


@hookimpl
def pegboard_tools() -> list[Tool]:
    """The tools of this plugin."""
    return [todo_list, todo_add, todo_update, todo_remove, todo_clear]

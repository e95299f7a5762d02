"""A plugin that denies, asks for or allows calls by the operator's rules, and remembers answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from pegboard import Decision, Execution, PluginBoard, PluginContext, hookimpl

from pegboard_permissions.permissions import OpenBoard, Permissions
from pegboard_permissions.settings import Rule, Selector, Settings
from pegboard_permissions.tables import StoreError

__all__ = [
    "Permissions",
    "Rule",
    "Selector",
    "Settings",
    "StoreError",
    "pegboard_before_call",
    "pegboard_board",
    "pegboard_lifespan",
    "pegboard_settings",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
@contextmanager
def pegboard_lifespan(plugin: PluginContext) -> Iterator[Permissions]:
    """The rules and the answers that were kept.

    Raises:
        StoreError: the file of answers can't be read.
    """
    permissions = Permissions(plugin.settings, plugin.log, folder=plugin.folder)
    permissions.check()
    yield permissions


@hookimpl
@contextmanager
def pegboard_board(plugin: PluginContext, board: PluginBoard) -> Iterator[OpenBoard]:
    """What is answered on one board, while it lives."""
    permissions: Permissions = plugin.resource
    opened = permissions.open_board(board.name, board.parents)
    yield opened
    permissions.close_board(board.name, opened)


@hookimpl
def pegboard_before_call(plugin: PluginContext, execution: Execution) -> Decision | None:
    """What the rules and the answers say of a call."""
    permissions: Permissions = plugin.resource
    return permissions.decide(execution)

"""A plugin that queries SQLite databases, and changes them only where the operator says so."""

import attrs
from pegboard import PluginContext, Tool, hookimpl

from pegboard_sqlite.cells import Bytes, Number
from pegboard_sqlite.describing import sqlite_schema
from pegboard_sqlite.executing import Changed, sqlite_execute
from pegboard_sqlite.querying import Found, sqlite_query
from pegboard_sqlite.settings import Settings, check_databases
from pegboard_sqlite.tables import Column, ForeignKey, Index, Schema, Table

__all__ = [
    "Bytes",
    "Changed",
    "Column",
    "ForeignKey",
    "Found",
    "Index",
    "Number",
    "Schema",
    "Settings",
    "Table",
    "pegboard_settings",
    "pegboard_tools",
    "sqlite_execute",
    "sqlite_query",
    "sqlite_schema",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
def pegboard_tools(plugin: PluginContext) -> list[Tool]:
    """The tools of this plugin; none without a database, and those that read unless it may write.

    Raises:
        PegboardError: a database can't have that name or that path.
    """
    settings: Settings = plugin.settings
    check_databases(plugin)
    if not settings.databases:
        plugin.log.info("no tool is offered: [plugins.sqlite.databases] names no database")
        return []
    reading = [sqlite_query, sqlite_schema]
    tools = [*reading, sqlite_execute] if settings.writable else reading
    names = ", ".join(settings.databases)
    return [
        attrs.evolve(each, description=f"{each.description} Databases: {names}.") for each in tools
    ]

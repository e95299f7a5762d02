"""What an operator may set, and the databases that it names."""

import re
from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, Gt, Le
from pegboard import PegboardError, PluginContext, ToolError

from pegboard_sqlite.wording import shown

KIBI = 1024
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        databases: the name of each database that the tools reach, with the path of its file;
            relative to the folder of the configuration, or to the working folder at loading where
            the plugin has no table there.
        writable: whether `sqlite_execute` is offered.
        max_rows: how many rows one call gives back.
        max_bytes: how much one call gives back, as JSON.
        max_cell_bytes: how much of one value is given back.
        max_value_bytes: how long a value may be that a statement reads or makes.
        max_seconds: how long one call may take, waiting for locks included.
        max_scratch_bytes: how much SQLite may put into temporary files while a call runs; held on
            Linux only.
        max_memory_bytes: how much the process may grow while a call runs; held on Linux only.
        max_file_bytes: how large `sqlite_execute` may make a database.
    """

    databases: dict[str, str] = attrs.Factory(dict)
    writable: bool = False
    max_rows: Annotated[int, Ge(1), Le(10_000)] = 200
    max_bytes: Annotated[int, Ge(KIBI), Le(KIBI * KIBI)] = 64 * KIBI
    max_cell_bytes: Annotated[int, Ge(64), Le(KIBI * KIBI)] = 4 * KIBI
    max_value_bytes: Annotated[int, Ge(KIBI), Le(1_000_000_000)] = 256 * KIBI
    max_seconds: Annotated[float, Gt(0), Le(3_600)] = 10.0
    max_scratch_bytes: Annotated[int, Ge(KIBI)] = 256 * KIBI * KIBI
    max_memory_bytes: Annotated[int, Ge(KIBI * KIBI)] = 512 * KIBI * KIBI
    max_file_bytes: Annotated[int, Ge(KIBI)] = KIBI * KIBI * KIBI


@attrs.frozen
class Database:
    """A database that the operator has named.

    Attributes:
        name: by which the tools know it, and messages.
        path: its file; shown to nobody.
    """

    name: str
    path: Path


def check_databases(plugin: PluginContext) -> None:
    """Let databases pass that can have their names and paths, whether they are there or not.

    Raises:
        PegboardError: one can't; says which.
    """
    settings: Settings = plugin.settings
    for name, path in settings.databases.items():
        if not _NAME.fullmatch(name):
            raise PegboardError(
                f"{name!a} in [plugins.sqlite.databases] can't be the name of a database: use "
                "letters, digits, _ and -, and begin with a letter or _"
            )
        _check_path(name, path)
        path_of(plugin, name)


def _check_path(name: str, path: str) -> None:
    if not path.strip() or path.startswith((":", "file:")) or "\0" in path:
        raise PegboardError(
            f"database {name!r} in [plugins.sqlite.databases] needs the path of a file; databases "
            "in memory and URIs are not taken"
        )


def path_of(plugin: PluginContext, name: str) -> Path:
    """The path of a database, absolute, with its links.

    Raises:
        PegboardError: the setting is no path, or begins in a home folder that isn't there.
    """
    settings: Settings = plugin.settings
    try:
        return Path(plugin.folder, Path(settings.databases[name]).expanduser())
    except (OSError, RuntimeError, ValueError) as error:
        raise PegboardError(
            f"the path of database {name!r} in [plugins.sqlite.databases] can't be used: {error}"
        ) from error


def database_of(plugin: PluginContext, name: str | None) -> Database:
    """The database that a call means: by its name, or the only one.

    Raises:
        ToolError: there is none of that name, or several and the call names none.
    """
    settings: Settings = plugin.settings
    names = list(settings.databases)
    if name is None and len(names) == 1:
        name = names[0]
    if name is None:
        raise ToolError(f"say which database is meant: {_listed(names)}", code="no_database")
    if name not in settings.databases:
        raise ToolError(
            f"there is no database {shown(name)}; there is {_listed(names)}",
            code="unknown_database",
        )
    return Database(name, path_of(plugin, name))


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))

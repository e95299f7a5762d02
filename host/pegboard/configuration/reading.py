"""From `pegboard.toml`, or `[tool.pegboard]` of a `pyproject.toml`, to a `Config`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from pegboard.config import BoardConfig, Config, Place, PluginConfig, ToolConfig
from pegboard.configuration.sense import senseless
from pegboard.configuration.tables import BoardTable, FileTable, OptionsTable, SelectTable
from pegboard.configuration.toml import Keys, plain, read_source
from pegboard.errors import ConfigError
from pegboard.selection import Select, Selector
from pegboard.tools import Converter, StructureError, structure

T = TypeVar("T")


def read_config(path: Path) -> Config:
    """The configuration that a file holds.

    Args:
        path: a `pegboard.toml`, or a `pyproject.toml` with a table `[tool.pegboard]`.

    Raises:
        ConfigError: every mistake at once, each with file, line and the nearest right name.
    """
    source = read_source(path)
    reader = Reader(path, source.known)
    table = plain(source.table, reader.note)
    plugins = reader.plugins(table.pop("plugins", {}))
    if table.get("boards") == "configured":
        table["unknown_boards"] = "refuse"
        del table["boards"]
    read = reader.structured(table, FileTable, ())
    for keys, message in senseless(table):
        reader.note(keys, message)
    if reader.mistakes or read is None:
        raise ConfigError(reader.mistakes)
    return _config(read, plugins, reader)


@attrs.frozen
class Reader:
    """Reads the tables of one file, and gathers what is wrong with them.

    Attributes:
        path: the file.
        known: where each part stands in it.
        mistakes: what is wrong, each with its place.
        converter: builds the classes.
    """

    path: Path
    known: Mapping[Keys, Place]
    mistakes: list[str] = attrs.field(factory=list)
    converter: Converter = attrs.field(factory=Converter)

    def plugins(self, tables: Any) -> dict[str, PluginConfig]:
        """What is said of each plugin."""
        found: dict[str, PluginConfig] = {}
        if not isinstance(tables, dict):
            self.note(("plugins",), "a table is expected")
            return {}
        for name, table in tables.items():
            if not isinstance(table, dict):
                self.note(("plugins", name), "a table is expected")
                continue
            settings = {key: each for key, each in table.items() if key != "pegboard"}
            at = ("plugins", name, "pegboard")
            options = self.structured(table.get("pegboard", {}), OptionsTable, at)
            if options is not None:
                found[name] = PluginConfig(
                    settings, options.prefix, options.rename, eager=options.eager
                )
        return found

    def structured(self, table: Any, cls: type[T], at: tuple[str, ...]) -> T | None:
        """The table as an instance of its class, or None with the mistakes noted."""
        try:
            return structure(table, cls, converter=self.converter)
        except StructureError as error:
            for fault in error.faults:
                self.note((*at, *fault.keys), fault.message)
            return None

    def note(self, keys: Keys, message: str) -> None:
        """Gather a mistake, with its place."""
        shown = ".".join(map(str, keys))
        self.mistakes.append(f"{self._place(keys)}: {shown + ': ' if shown else ''}{message}")

    def _place(self, keys: Keys) -> str:
        for end in range(len(keys), 0, -1):
            if keys[:end] in self.known:
                return str(self.known[keys[:end]])
        return str(self.path)


def _config(
    read: FileTable,
    plugins: Mapping[str, PluginConfig],
    reader: Reader,
) -> Config:
    same = {
        field.name: getattr(read, field.name)
        for field in attrs.fields(FileTable)
        if field.name not in ("boards", "deny", "lock", "tools")
    }
    boards = {name: _board(each) for name, each in read.boards.items()}
    tools = {name: ToolConfig(**attrs.asdict(t, recurse=False)) for name, t in read.tools.items()}
    deny = tuple(map(_selector, read.deny))
    lock = None if read.lock is None else reader.path.parent / read.lock
    return Config(
        **same,
        lock=lock,
        boards=boards,
        deny=deny,
        tools=tools,
        plugins=plugins,
        places=reader.known,
    )


def _board(table: BoardTable) -> BoardConfig:
    allow = None if table.allow is None else tuple(map(_selector, table.allow))
    return BoardConfig(allow, tuple(map(_selector, table.deny)), table.parent)


def _selector(written: str | SelectTable) -> Selector:
    if isinstance(written, str):
        return written
    return Select(**attrs.asdict(written))

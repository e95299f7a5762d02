"""From `pegboard.toml`, or `[tool.pegboard]` of a `pyproject.toml`, to a `Config`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from pegboard.config import BoardConfig, CodeConfig, Config, Place, PluginConfig, ToolConfig
from pegboard.configuration.late import LateSecret
from pegboard.configuration.sense import refused_name, senseless
from pegboard.configuration.tables import (
    BoardTable,
    FileTable,
    OptionsTable,
    SelectTable,
    TokenTable,
)
from pegboard.configuration.toml import Keys, plain, read_source
from pegboard.errors import ConfigError
from pegboard.selection import Select, Selector
from pegboard.tools import Converter, StructureError, structure

T = TypeVar("T")

_FILES = ("control", "lock", "state")
"""Keys that name files, from the folder of the configuration on."""


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
    plugins = reader.plugins(table.pop("plugins", {}), "plugins")
    mcp = reader.plugins(table.pop("mcp", {}), "mcp")
    for name in mcp:
        if (refusal := refused_name(name, kind="plugin")) is not None:
            reader.note(("mcp", name), refusal)
    for name in sorted(plugins.keys() & mcp.keys()):
        reader.note(("mcp", name), f"[plugins.{name}] speaks of a plugin of the same name")
    if table.get("boards") == "configured":
        table["unknown_boards"] = "refuse"
        del table["boards"]
    read = reader.structured(table, FileTable, ())
    for keys, message in senseless(table):
        reader.note(keys, message)
    if reader.mistakes or read is None:
        raise ConfigError(reader.mistakes)
    return _config(read, plugins, mcp, reader)


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

    def plugins(self, tables: Any, kind: str) -> dict[str, PluginConfig]:
        """What is said of each plugin, or of each MCP server.

        Args:
            tables: by name.
            kind: the key of all of them.
        """
        found: dict[str, PluginConfig] = {}
        if not isinstance(tables, dict):
            self.note((kind,), "a table is expected")
            return {}
        for name, table in tables.items():
            if not isinstance(table, dict):
                self.note((kind, name), "a table is expected")
                continue
            settings = {key: each for key, each in table.items() if key != "pegboard"}
            at = (kind, name, "pegboard")
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

    def where(self, keys: Keys) -> str:
        """A path of keys with its place, for messages."""
        return f"{self._place(keys)}: {'.'.join(map(str, keys))}"

    def _place(self, keys: Keys) -> str:
        for end in range(len(keys), 0, -1):
            if keys[:end] in self.known:
                return str(self.known[keys[:end]])
        return str(self.path)


def _config(
    read: FileTable,
    plugins: Mapping[str, PluginConfig],
    mcp: Mapping[str, PluginConfig],
    reader: Reader,
) -> Config:
    same = {
        field.name: getattr(read, field.name)
        for field in attrs.fields(FileTable)
        if field.name not in ("boards", "code", "deny", "tools", *_FILES)
    }
    boards = {name: _board(each, name, reader) for name, each in read.boards.items()}
    tools = {name: ToolConfig(**attrs.asdict(t, recurse=False)) for name, t in read.tools.items()}
    deny = tuple(map(_selector, read.deny))
    named = {each: getattr(read, each) for each in _FILES}
    files = {each: reader.path.parent / name for each, name in named.items() if name is not None}
    return Config(
        **same,
        **files,
        boards=boards,
        code=CodeConfig(**attrs.asdict(read.code)),
        deny=deny,
        tools=tools,
        plugins=plugins,
        mcp=mcp,
        places=reader.known,
    )


def _board(table: BoardTable, name: str, reader: Reader) -> BoardConfig:
    allow = None if table.allow is None else tuple(map(_selector, table.allow))
    token = _token(table.token, name, reader)
    deny = tuple(map(_selector, table.deny))
    return BoardConfig(allow, deny, table.parent, token, table.presentation)


def _token(table: TokenTable | None, board: str, reader: Reader) -> LateSecret | None:
    if table is None:
        return None
    kind, name = ("env", table.env) if table.file is None else ("file", table.file)
    keys = ("boards", board, "token")
    return LateSecret(kind, name or "", reader.path.parent, reader.where(keys))


def _selector(written: str | SelectTable) -> Selector:
    if isinstance(written, str):
        return written
    return Select(**attrs.asdict(written))

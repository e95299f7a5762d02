"""From `pegboard.toml`, or `[tool.pegboard]` of a `pyproject.toml`, to a `Config`."""

import datetime as dt
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from pegboard.config import BoardConfig, Config, Place, PluginConfig
from pegboard.configuration.places import places
from pegboard.errors import ConfigError
from pegboard.selection import Select, Selector
from pegboard.tools import Converter, StructureError, structure

T = TypeVar("T")


@attrs.frozen
class SelectTable:
    """A selector written as a table."""

    plugin: str | None = None
    distribution: str | None = None
    tags: list[str] = attrs.field(factory=list)
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@attrs.frozen
class BoardTable:
    """The table of one board."""

    allow: list[str | SelectTable] | None = None
    deny: list[str | SelectTable] = attrs.field(factory=list)
    parent: str | None = None


@attrs.frozen
class OptionsTable:
    """The host's own options for one plugin."""

    prefix: str = ""
    rename: dict[str, str] = attrs.field(factory=dict)


@attrs.frozen
class FileTable:
    """The whole file, without the plugins' tables."""

    block: list[str] = attrs.field(factory=list)
    only: list[str] | None = None
    required: list[str] = attrs.field(factory=list)
    prefer: list[str] = attrs.field(factory=list)
    deny: list[str | SelectTable] = attrs.field(factory=list)
    reserved: dict[str, str] = attrs.field(factory=dict)
    boards: dict[str, BoardTable] = attrs.field(factory=dict)
    unknown_boards: str = "create"
    mask_errors: bool = False
    stop_grace: float = 5.0
    hook_timeout: float = 30.0
    load_timeout: float = 30.0
    max_nesting: int = 64
    max_threads: int = 16
    max_depth: int = 256
    max_nodes: int = 1_000_000
    max_bytes: int = 10 * 2**20


def read_config(path: Path) -> Config:
    """The configuration that a file holds.

    Args:
        path: a `pegboard.toml`, or a `pyproject.toml` with a table `[tool.pegboard]`.

    Raises:
        ConfigError: every mistake at once, each with file, line and the nearest right name.
    """
    table, lines = _table(path, _text(path))
    reader = Reader(path, {key: Place(path, line) for key, line in lines.items()})
    plugins = reader.plugins(table.pop("plugins", {}))
    if table.get("boards") == "configured":
        table["unknown_boards"] = "refuse"
        del table["boards"]
    read = reader.structured(table, FileTable, ())
    if reader.mistakes or read is None:
        raise ConfigError(reader.mistakes)
    try:
        return _config(read, plugins, reader.known)
    except ValueError as error:
        raise ConfigError([f"{path}: {error}"]) from error


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
    known: Mapping[tuple[str, ...], Place]
    mistakes: list[str] = attrs.field(factory=list)
    converter: Converter = attrs.field(factory=Converter)

    def plugins(self, tables: Any) -> dict[str, PluginConfig]:
        """What is said of each plugin."""
        found: dict[str, PluginConfig] = {}
        if not isinstance(tables, dict):
            self._note(("plugins",), "a table is expected")
            return {}
        for name, table in tables.items():
            if not isinstance(table, dict):
                self._note(("plugins", name), "a table is expected")
                continue
            settings = {key: each for key, each in table.items() if key != "pegboard"}
            at = ("plugins", name, "pegboard")
            options = self.structured(table.get("pegboard", {}), OptionsTable, at)
            if options is not None:
                found[name] = PluginConfig(settings, options.prefix, options.rename)
        return found

    def structured(self, table: Any, cls: type[T], at: tuple[str, ...]) -> T | None:
        """The table as an instance of its class, or None with the mistakes noted."""
        try:
            return structure(table, cls, converter=self.converter)
        except StructureError as error:
            for fault in error.faults:
                self._note((*at, *fault.keys), fault.message)
            return None

    def _note(self, keys: tuple[Any, ...], message: str) -> None:
        shown = ".".join(map(str, keys))
        self.mistakes.append(f"{self._place(keys)}: {shown + ': ' if shown else ''}{message}")

    def _place(self, keys: tuple[Any, ...]) -> str:
        for end in range(len(keys), 0, -1):
            if keys[:end] in self.known:
                return str(self.known[keys[:end]])
        return str(self.path)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError([f"there is no configuration file {str(path)!r}"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path} can't be read: {error}"]) from error


def _table(path: Path, text: str) -> tuple[dict[str, Any], dict[tuple[str, ...], int]]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        hint = ""
        if '"configured"' in text:
            hint = '; beside [boards.…] tables, write unknown_boards = "refuse" at the top'
        raise ConfigError([f"{path} isn't TOML: {error}{hint}"]) from error
    lines = places(text)
    if path.name != "pyproject.toml":
        return _plain(table), lines
    inner = table.get("tool", {}).get("pegboard", {})
    prefix = ("tool", "pegboard")
    return _plain(inner), {key[2:]: line for key, line in lines.items() if key[:2] == prefix}


def _plain(value: Any) -> Any:
    """TOML's dates and times as the text that JSON has for them."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return value


def _config(
    read: FileTable,
    plugins: Mapping[str, PluginConfig],
    known: Mapping[tuple[str, ...], Place],
) -> Config:
    same = {
        field.name: getattr(read, field.name)
        for field in attrs.fields(FileTable)
        if field.name not in ("boards", "deny")
    }
    boards = {name: _board(each) for name, each in read.boards.items()}
    deny = tuple(map(_selector, read.deny))
    return Config(**same, boards=boards, deny=deny, plugins=plugins, places=known)


def _board(table: BoardTable) -> BoardConfig:
    allow = None if table.allow is None else tuple(map(_selector, table.allow))
    return BoardConfig(allow, tuple(map(_selector, table.deny)), table.parent)


def _selector(written: str | SelectTable) -> Selector:
    if isinstance(written, str):
        return written
    return Select(**attrs.asdict(written))

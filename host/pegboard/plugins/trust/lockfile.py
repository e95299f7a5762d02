"""The lock file: what was accepted of each plugin, as text that people can compare."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from pegboard.errors import LockFileError, NotJSONError
from pegboard.registry import Pinned
from pegboard.texts import escaped
from pegboard.tools import Converter, StructureError, structure
from pegboard.values import JSON, decode_text


@attrs.frozen
class Identity:
    """What a plugin is before any of its code runs.

    Attributes:
        distribution: what pip installed it from; None for files and objects.
        version: its version.
        record: what stands for the files that its wheel brought.
        file: what stands for the one file that it is.
    """

    distribution: str | None = None
    version: str | None = None
    record: str | None = None
    file: str | None = None

    def said(self) -> dict[str, JSON]:
        """What is known of it."""
        return {key: value for key, value in attrs.asdict(self).items() if value is not None}


@attrs.frozen
class LockedPlugin:
    """What was accepted of one plugin.

    Attributes:
        identity: what it is.
        tools: the definitions of its tools; one name may have several, for several boards.
    """

    identity: Identity
    tools: tuple[Pinned, ...] = ()

    def to_json(self) -> dict[str, JSON]:
        """The same as it stands in the file."""
        tools = sorted(self.tools, key=lambda each: (each.name, each.digest))
        told = [{"digest": each.digest, "definition": each.definition} for each in tools]
        return {**self.identity.said(), "tools": told}


@attrs.frozen
class Lock:
    """A lock file.

    Attributes:
        plugins: what was accepted, by the names of plugins.
    """

    plugins: Mapping[str, LockedPlugin] = attrs.field(factory=dict)

    def text(self) -> str:
        """The text of the file: the same for the same plugins, one thing a line."""
        plugins = {name: each.to_json() for name, each in self.plugins.items()}
        table = {"lock": 1, "plugins": plugins}
        written = json.dumps(table, indent=2, ensure_ascii=False, sort_keys=True)
        return "".join(f"{escaped(line)}\n" for line in written.split("\n"))


@attrs.frozen
class _ToolTable:
    digest: str
    definition: dict[str, Any]


@attrs.frozen
class _PluginTable:
    tools: list[_ToolTable]
    distribution: str | None = None
    version: str | None = None
    record: str | None = None
    file: str | None = None


@attrs.frozen
class _LockTable:
    lock: Literal[1]
    plugins: dict[str, _PluginTable]


def read_lock(path: Path) -> Lock:
    """What a lock file says.

    Raises:
        LockFileError: it isn't there, can't be read, isn't one, or contradicts itself.
    """
    try:
        if not path.is_file():
            raise LockFileError("it is no file" if path.exists() else "it isn't there")
        table = decode_text(path.read_bytes().decode())
        read = structure(table, _LockTable, converter=Converter())
    except UnicodeDecodeError as error:
        raise LockFileError(f"it isn't text in UTF-8: see byte {error.start}") from error
    except OSError as error:
        raise LockFileError(f"{error.strerror}") from error
    except (NotJSONError, StructureError) as error:
        raise LockFileError(str(error)) from error
    return Lock({name: _plugin(name, each) for name, each in read.plugins.items()})


def _plugin(name: str, table: _PluginTable) -> LockedPlugin:
    identity = Identity(table.distribution, table.version, table.record, table.file)
    return LockedPlugin(identity, tuple(_pinned(name, each) for each in table.tools))


def _pinned(plugin: str, table: _ToolTable) -> Pinned:
    name = table.definition.get("name")
    if type(name) is not str:
        raise LockFileError(f"a tool of plugin {plugin!r} has no name in it")
    pinned = Pinned(table.definition)
    if pinned.digest != table.digest:
        raise LockFileError(
            f"it contradicts itself: the digest of tool {name!a} of plugin {plugin!a} isn't that "
            "of its definition"
        )
    return pinned


def write_lock(path: Path, lock: Lock) -> bool:
    """Write a lock file as a whole or not at all; True if that changed it.

    Raises:
        LockFileError: it can't be written.
    """
    text, target = lock.text().encode(), Path(os.path.realpath(path))
    try:
        if target.is_file() and target.read_bytes() == text:
            return False
        _replace(target, text)
    except OSError as error:
        raise LockFileError(f"the lock file {path} can't be written: {error.strerror}") from error
    return True


def _replace(target: Path, text: bytes) -> None:
    beside = target.with_name(f".{target.name}.{os.urandom(8).hex()}")
    try:
        with beside.open("xb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)

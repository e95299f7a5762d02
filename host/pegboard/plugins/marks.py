"""What tells whether the code of a plugin is still what it was."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import attrs

from pegboard.config import PluginConfig
from pegboard.plugins.discovery import Found
from pegboard.plugins.modules import editable_folders, own_folders
from pegboard.plugins.sources import Source
from pegboard.plugins.unasked import vars_of

State = tuple[str, os.stat_result]
"""A file, and what the system says of it."""

_SOURCES = (".py", ".so", ".pyd")


@attrs.frozen
class Tried:
    """What was last loaded under a name, or was to be.

    Attributes:
        entry: the name of the entry point; None where it is none.
        mark: what its code was.
        options: what the operator said of it.
        accepted: what the lock file said of it.
    """

    entry: str | None
    mark: str
    options: PluginConfig
    accepted: str = ""

    @classmethod
    def of(cls, source: Source, options: PluginConfig) -> "Tried":
        """What is about to be tried."""
        found = source.found
        accepted = "" if source.pins is None else source.pins.said
        if found is None:
            return cls(None, _digest("", own_code(source)), options, accepted)
        return cls(found.name, mark_of(found), options, accepted)


def mark_of(found: Found) -> str:
    """Text that changes when what is installed does: its RECORD, or the sources of an editable one.

    The same of its adapter, where it has one. Reads files, and imports nothing.
    """
    whose = f"{found.distribution} {found.version} {found.metadata}{found.module}:{found.attribute}"
    own = _digest(f"{whose}{_record_of(found)}", sources_of(found))
    return own if found.adapter is None else f"{own} {mark_of(found.adapter)}"


def _digest(text: str, states: Iterable[State]) -> str:
    digest = blake2b(text.encode(errors="surrogateescape"), digest_size=16)
    for path, status in states:
        line = f"{path} {status.st_mtime_ns} {status.st_size}\n"
        digest.update(line.encode(errors="surrogateescape"))
    return digest.hexdigest()


def _record_of(found: Found) -> str:
    if found.metadata is None:
        return ""
    try:
        return (found.metadata / "RECORD").read_text(errors="surrogateescape")
    except OSError:
        return ""


def own_code(source: Source) -> Iterator[State]:
    """The same of any plugin whose author may edit it: an editable install, a file, a module."""
    for folder in folders_of(source):
        yield from _sources_below(folder)
    file = file_of(source)
    if file is not None:
        yield from _state(file)


def folders_of(source: Source) -> tuple[str, ...]:
    """The folders of which all code is the plugin's own: an editable install's, a package's."""
    if source.found is not None:
        return tuple(folder for each in source.found.ways for folder in editable_folders(each))
    folders = (each for names in _modules(source) for each in names.get("__path__") or ())
    return tuple(map(str, folders))


def file_of(source: Source) -> str | None:
    """The file of a plugin that is one file, as it was named, or a module and no package."""
    if source.named is not None:
        return source.named
    files = (names.get("__file__") for names in _modules(source) if "__path__" not in names)
    return next((each for each in files if isinstance(each, str)), None)


def _modules(source: Source) -> Iterator[Mapping[str, Any]]:
    """What stands in the modules that are the plugin."""
    for name in source.ground.names if source.found is None else ():
        module = sys.modules.get(name)
        if module is not None:
            yield vars_of(module)


def sources_of(found: Found) -> Iterator[State]:
    """Each source below the folder of an editable install, with its state; nothing of others."""
    for folder in editable_folders(found):
        yield from _sources_below(folder)


def _sources_below(folder: str) -> Iterator[State]:
    for path, _, files in own_folders(folder):
        for name in sorted(files):
            if name.endswith(_SOURCES) and not name.startswith("."):
                yield from _state(os.path.join(path, name))  # noqa: PTH118 - 5x faster


def _state(file: str) -> Iterator[State]:
    """A file with its state, unless it is gone: an editor may be at work."""
    with suppress(OSError):
        yield file, os.stat(file)  # noqa: PTH116 - as above

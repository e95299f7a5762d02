"""What tells whether the code of an installed plugin is still what it was."""

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import attrs

from pegboard.config import PluginConfig
from pegboard.plugins.discovery import Found
from pegboard.plugins.modules import Ground, ground_of
from pegboard.plugins.sources import Source

_SKIPPED = {"__pycache__", "node_modules"}


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
            return cls(None, "", options, accepted)
        return cls(found.name, mark_of(found), options, accepted)


def mark_of(found: Found) -> str:
    """Text that changes when what is installed does: its RECORD, or the sources of an editable one.

    Reads files, and imports nothing.
    """
    digest = blake2b(digest_size=16)
    digest.update(f"{found.distribution} {found.version} {found.metadata}".encode())
    digest.update(f"{found.module}:{found.attribute}".encode())
    digest.update(_record_of(found))
    for line in _sources(ground_of(found)):
        digest.update(line.encode(errors="surrogateescape"))
    return digest.hexdigest()


def _record_of(found: Found) -> bytes:
    if found.metadata is None:
        return b""
    try:
        return (found.metadata / "RECORD").read_bytes()
    except OSError:
        return b""


def _sources(ground: Ground) -> Iterator[str]:
    """Each source below the folders of an editable install, with its time and size."""
    for folder in ground.folders:
        for path, folders, files in os.walk(folder):
            folders[:] = sorted(each for each in folders if _is_own(Path(path, each), ground))
            for name in sorted(files):
                if name.endswith((".py", ".so", ".pyd")):
                    status = os.stat(os.path.join(path, name))  # noqa: PTH116, PTH118 - 5x faster
                    yield f"{path}/{name} {status.st_mtime_ns} {status.st_size}\n"


def _is_own(folder: Path, ground: Ground) -> bool:
    is_hidden = folder.name.startswith(".") or folder.name in _SKIPPED
    is_foreign = f"{folder}/".startswith(ground.foreign) or (folder / "pyvenv.cfg").is_file()
    return not (is_hidden or is_foreign)

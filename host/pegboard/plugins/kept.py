"""Sources of modules that a plugin may yet import: kept, so that it never gets those of another.

An upgrade changes files under a running plugin. What it imports from then on, and had not imported
before, comes from here.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from pegboard.plugins.modules import Ground, owned, vars_of
from pegboard.plugins.sources import Source

_MOST_FILES = 2_000
_MOST_BYTES = 8 * 2**20


@attrs.frozen(eq=False)
class Kept:
    """The source of one module as it was when its plugin was loaded."""

    path: str
    text: bytes
    state: tuple[int, int, int]

    @property
    def is_on_disk(self) -> bool:
        """Whether the file is still the same."""
        try:
            return _state(os.stat(self.path)) == self.state  # noqa: PTH116 - once an import
        except OSError:
            return False


class _Loader(SourceFileLoader):
    """Runs a kept source, or bytecode of it as long as its file is the same; writes none."""

    def __init__(self, name: str, kept: Kept) -> None:
        super().__init__(name, kept.path)
        self._kept = kept

    def get_data(self, path: str) -> bytes:
        """The kept source; other files as they are."""
        return self._kept.text if path == self._kept.path else super().get_data(path)

    def path_stats(self, path: str) -> Mapping[str, float]:
        """What bytecode is compared with; an error where there can be none."""
        if not self._kept.is_on_disk:
            raise OSError(f"{path} is not what it was")
        time, size, _ = self._kept.state
        return {"mtime": time // 10**9, "size": size}

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write nothing: the file may be another by now."""


class KeptFinder(MetaPathFinder):
    """Finds the kept sources of the plugins of one host."""

    def __init__(self) -> None:
        self._kept: dict[int, Mapping[str, Kept]] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - what a finder is called with
        target: ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> ModuleSpec | None:
        """How a module of a plugin is loaded that was not imported when that was."""
        for sources in list(self._kept.values()):
            kept = sources.get(fullname)
            if kept is not None:
                folder = os.path.dirname(kept.path)  # noqa: PTH120 - once an import
                inside = [folder] if kept.path.endswith("__init__.py") else None
                loader = _Loader(fullname, kept)
                return spec_from_file_location(
                    fullname, kept.path, loader=loader, submodule_search_locations=inside
                )
        return None

    def add(self, owner: object, sources: Mapping[str, Kept]) -> None:
        """Find these sources from now on."""
        if sources:
            self._kept[id(owner)] = sources
            if self not in sys.meta_path:
                sys.meta_path.insert(0, self)

    def remove(self, owner: object) -> Mapping[str, Kept]:
        """Find those of one owner no more; gives them."""
        gone = self._kept.pop(id(owner), {})
        if not self._kept and self in sys.meta_path:
            sys.meta_path.remove(self)
        return gone


def sources_to_keep(source: Source) -> dict[str, Kept]:
    """The sources of a plugin's own modules that are not imported yet; reads files."""
    found: dict[str, Kept] = {}
    size = 0
    for name, path in _modules(source):
        if name in sys.modules or name in found:
            continue
        try:
            text, state = path.read_bytes(), _state(path.stat())
        except OSError:
            continue
        size += len(text)
        if size > _MOST_BYTES or len(found) >= _MOST_FILES:
            break
        found[name] = Kept(str(path), text, state)
    return found


def _modules(source: Source) -> Iterator[tuple[str, Path]]:
    """The names and files of a plugin's own modules: what it has installed, what is beside it."""
    found, ground = source.found, source.ground
    if found is not None:
        for file in sorted(ground.files):
            if file.endswith(".py") and Path(file).is_relative_to(found.location):
                yield from _named(Path(file), found.location, "")
    if found is None or ground.folders:
        for name, module in owned(ground).items():
            if "." not in name:
                yield from _beside(name, vars_of(module), ground)


def _beside(name: str, names: Mapping[str, Any], ground: Ground) -> Iterator[tuple[str, Path]]:
    """What is in a package, or beside a module of an editable install."""
    folders = names.get("__path__")
    file = names.get("__file__")
    if folders is not None:
        for folder in map(Path, folders):
            for each in sorted(folder.rglob("*.py")):
                yield from _named(each, folder, f"{name}.")
    elif isinstance(file, str) and file.startswith(ground.folders):
        for each in sorted(Path(file).parent.glob("*.py")):
            yield from _named(each, Path(file).parent, "")


def _named(file: Path, root: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    parts = list(file.relative_to(root).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    if parts and all(each.isidentifier() for each in parts):
        yield prefix + ".".join(parts), file


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_mtime_ns, status.st_size, status.st_ino

"""Sources of modules that a plugin may yet import: kept, so that it never gets those of another.

An upgrade changes files under a running plugin. What it imports from then on, and had not imported
before, comes from here.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from pegboard.plugins.holding import File, Holder
from pegboard.plugins.modules import Ground, owned
from pegboard.plugins.sources import Source
from pegboard.plugins.unasked import vars_of

_MOST_FILES = 2_000
_MOST_BYTES = 8 * 2**20
_SUFFIXES = (".py", *EXTENSION_SUFFIXES)


@attrs.frozen(eq=False)
class Kept(File):
    """The file of one module as it was when its plugin was loaded.

    Attributes:
        text: its source; None for an extension module, which can't be kept.
    """

    text: bytes | None


class _Loader(SourceFileLoader):
    """Runs a kept source, or bytecode of it as long as its file is the same; writes none."""

    def __init__(self, name: str, kept: Kept, text: bytes) -> None:
        super().__init__(name, kept.path)
        self._kept = kept
        self._text = text

    def get_data(self, path: str) -> bytes:
        """The kept source; other files as they are."""
        return self._text if path == self._kept.path else super().get_data(path)

    def path_stats(self, path: str) -> Mapping[str, float]:
        """What bytecode is compared with; an error where there can be none."""
        if not self._kept.is_on_disk:
            raise OSError(f"{path} is not what it was")
        time, size, _ = self._kept.state
        return {"mtime": time // 10**9, "size": size}

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        """Write nothing: the file may be another by now."""


class KeptFinder(Holder):
    """Finds what is kept of the plugins of one host."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - what a finder is called with
        target: ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> ModuleSpec | None:
        """How a module of a plugin is loaded that was not imported when that was.

        Raises:
            ImportError: it is an extension module, and its file is another by now.
        """
        for holding in self.holdings:
            kept = holding.files.get(fullname)
            if isinstance(kept, Kept):
                return _spec(fullname, kept)
        return None


def _spec(name: str, kept: Kept) -> ModuleSpec | None:
    if kept.text is None and kept.is_on_disk:
        return None
    if kept.text is None:
        raise ImportError(
            f"extension module {name!r} is another by now than when its plugin was loaded; "
            "reload that"
        )
    folder = os.path.dirname(kept.path)  # noqa: PTH120 - once an import
    inside = [folder] if kept.path.endswith("__init__.py") else None
    loader = _Loader(name, kept, kept.text)
    return spec_from_file_location(
        name, kept.path, loader=loader, submodule_search_locations=inside
    )


def sources_to_keep(source: Source) -> dict[str, File]:
    """The sources of a plugin's own modules that are not imported yet; reads files.

    Of what is imported, only which file that was.
    """
    found: dict[str, File] = {}
    size = 0
    for name, path in _modules(source):
        if name in found:
            continue
        file = File.now(str(path))
        if name in sys.modules:
            found[name] = file
            continue
        try:
            text = path.read_bytes() if path.suffix == ".py" else None
        except OSError:
            continue
        size += len(text or b"")
        if size > _MOST_BYTES or len(found) >= _MOST_FILES:
            break
        found[name] = Kept(file.path, file.state, text)
    return found


def _modules(source: Source) -> Iterator[tuple[str, Path]]:
    """The names and files of a plugin's own modules: what it has installed, what is beside it."""
    found, ground = source.found, source.ground
    if found is not None:
        for file in sorted(ground.files):
            if file.endswith(_SUFFIXES) and Path(file).is_relative_to(found.location):
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
            for each in sorted(folder.rglob("*.*")):
                yield from _named(each, folder, f"{name}.")
    elif isinstance(file, str) and file.startswith(ground.folders):
        for each in sorted(Path(file).parent.glob("*.*")):
            yield from _named(each, Path(file).parent, "")


def _named(file: Path, root: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    suffix = next((each for each in _SUFFIXES if file.name.endswith(each)), None)
    if suffix is None:
        return
    parts = [*file.relative_to(root).parts[:-1], file.name.removesuffix(suffix)]
    if parts[-1] == "__init__":
        parts.pop()
    if parts and all(each.isidentifier() for each in parts):
        yield prefix + ".".join(parts), file

"""What there is to watch for one host: folders of code and of distributions, and single files."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

import attrs

from pegboard.plugins.loader import Loader
from pegboard.plugins.marks import file_of, folders_of
from pegboard.plugins.modules import editable_folders, own_folders
from pegboard.plugins.trails import Trail, trail_of

T = TypeVar("T")

_CODE = (".py", ".so", ".pyd")
_METADATA = (".dist-info", ".egg-info")
_PUT_ASIDE = "~"
"""How names begin that pip gives to what it may have to put back."""


@attrs.frozen
class Watched:
    """Where changes are heard, and which of them count.

    Attributes:
        code: folders whose code counts; none stands for those below.
        sites: folders that hold distributions.
        metadata: the folders of plugins' metadata.
        files: single files.
        links: what leads to all of these.
        awaited: folders of those that aren't there.
        folders: the folders to hear of: in the place of one that isn't there, the nearest above;
            and all above single files.
        shut: those of them that nobody may look into.
    """

    code: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()
    metadata: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()
    awaited: frozenset[str] = attrs.field(init=False)
    folders: frozenset[str] = attrs.field(init=False)
    shut: frozenset[str] = attrs.field(init=False)

    @awaited.default
    def _absent(self) -> frozenset[str]:
        above = (each for folder in self._wanted() for each in _upwards(folder))
        return frozenset(str(each) for each in above if not _is_folder(each))

    @folders.default
    def _present(self) -> frozenset[str]:
        present = (filter(_is_folder, _upwards(folder)) for folder in self._wanted())
        nearest = frozenset(str(each) for found in present for each in islice(found, 1))
        return nearest | frozenset(each for each in self._above() if os.access(each, os.R_OK))

    @shut.default
    def _inaccessible(self) -> frozenset[str]:
        return frozenset(each for each in self.folders if not os.access(each, os.X_OK))

    def _wanted(self) -> set[str]:
        singles = map(os.path.dirname, (*self.files, *self.links))
        return {*self.code, *self.sites, *self.metadata, *singles}

    def _above(self) -> Iterator[str]:
        """All folders above single files: each of them may be exchanged for another one."""
        for file in self.files:
            yield from map(str, Path(file).parents)

    def concerns(self, path: str, *, is_there: bool) -> bool:
        """Whether a change may change anything for the host.

        Args:
            path: what has changed.
            is_there: whether it is there as it was before, and so a folder is still heard of.
        """
        if path in self.folders:
            return not is_there or os.access(path, os.X_OK) == (path in self.shut)
        if path in self.files or path in self.awaited or path in self.links:
            return True
        folder, name = os.path.split(path)
        if folder in self.sites and (name.endswith(_METADATA) or name.startswith(_PUT_ASIDE)):
            return True
        is_code = name.endswith(_CODE) or _is_folder(path)
        is_hidden = name.startswith(".") or name == "__pycache__"
        return folder in self.metadata or (folder in self.code and is_code and not is_hidden)

    def is_elsewhere(self, changed: Iterable[str]) -> bool:
        """Whether a folder of the same name isn't heard of any more, after these changes."""
        return not (self.folders | self.links).isdisjoint(changed)

    def unfinished(self) -> frozenset[str]:
        """What shows that pip is at work: what it put aside, and metadata without a RECORD."""
        return frozenset(each for site in self.sites for each in _unfinished(site))


def watched_by(loader: Loader, config: Path | None) -> Watched:
    """What there is to watch for a host as it is now.

    Args:
        loader: its plugins.
        config: its configuration file, or None.
    """
    known = loader.upgrades.infos
    installed = loader.discovery.found.values()
    given = [each.plan.source for each in loader.upgrades.loaded.values()]
    folders = {each for source in given for each in _told(folders_of, source)}
    for found in installed:
        if found.name in known and known[found.name].state != "blocked":
            for each in found.ways:
                folders.update(_told(editable_folders, each))
    files = [file_of(source) for source in given if source.found is None]
    inner = (path for each in folders for path, _, _ in own_folders(each))
    code = _trails((*folders, *inner))
    sites = _trails(each for each in sys.path if _is_folder(each))
    metadata = _trails(each.metadata for found in installed for each in found.ways)
    single = _trails((*files, config, loader.upgrades.config.lock))
    links = (each.links for each in (*code, *sites, *metadata, *single))
    return Watched(
        code=_texts(code),
        sites=_texts(sites),
        metadata=_texts(metadata),
        files=_texts(single),
        links=frozenset(chain.from_iterable(links)),
    )


def _told(folders: Callable[[T], Iterable[str]], of: T) -> Iterable[str]:
    """The folders of an editable install; none while pip writes what tells them."""
    try:
        return folders(of)
    except (OSError, ValueError):
        return ()


def _trails(paths: Iterable[str | Path | None]) -> list[Trail]:
    return [trail_of(each) for each in paths if each is not None]


def _texts(trails: Iterable[Trail]) -> frozenset[str]:
    """Paths as the system tells of them, and as links lead to them."""
    return frozenset(path for each in trails for path in (each.path, each.end))


def _upwards(folder: str) -> Iterator[Path]:
    """A folder, and those above it, the nearest first."""
    yield Path(folder)
    yield from Path(folder).parents


def _is_folder(path: str | Path) -> bool:
    """Whether there is a folder; no where that can't be known, unlike what `Path` gives."""
    return os.path.isdir(path)  # noqa: PTH112 - as said


def _unfinished(site: str) -> Iterator[str]:
    try:
        names = os.listdir(site)  # noqa: PTH208 - a hundred times in a second
    except OSError:
        return
    for name in names:
        path = f"{site}/{name}"
        is_bare = name.endswith(".dist-info") and not os.path.lexists(f"{path}/RECORD")
        if is_bare or name.startswith(_PUT_ASIDE):
            yield path

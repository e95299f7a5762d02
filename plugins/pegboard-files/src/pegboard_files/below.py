"""What lies below a folder: every entry once, by name, and no link is ever entered."""

import os
import stat
from collections.abc import Callable, Generator
from contextlib import closing
from itertools import islice
from typing import Literal, TypeAlias

import attrs

from pegboard_files.paths import legible, reachable
from pegboard_files.reach import Place, look_at, open_folder
from pegboard_files.refusals import refusing

DEEPEST = 32
MOST_NAMES = 100_000

Kind: TypeAlias = Literal["file", "folder", "link", "other"]


@attrs.frozen
class Below:
    """One entry below a folder.

    Attributes:
        names: the names from the root to it.
        folder: the descriptor of the folder that holds it, open until the next entry is asked for.
        found: what it is.
    """

    names: tuple[str, ...]
    folder: int
    found: os.stat_result

    @property
    def path(self) -> str:
        """Its path from the root, as text that a model can read."""
        return legible("/".join(self.names))

    @property
    def is_reachable(self) -> bool:
        """Whether its path can be given back to a tool."""
        return all(map(reachable, self.names))

    @property
    def kind(self) -> Kind:
        """What it is."""
        mode = self.found.st_mode
        kinds: tuple[tuple[Callable[[int], bool], Kind], ...] = (
            (stat.S_ISREG, "file"),
            (stat.S_ISDIR, "folder"),
            (stat.S_ISLNK, "link"),
        )
        return next((kind for matches, kind in kinds if matches(mode)), "other")


@attrs.define
class LeftOut:
    """What a walk below a folder didn't show, counted.

    Attributes:
        unread: folders that the system doesn't let be read.
        skipped: folders that the settings leave out.
        too_deep: folders that lie too deep.
        unnamed: names beyond what is looked at of one folder.
    """

    unread: int = 0
    skipped: int = 0
    too_deep: int = 0
    unnamed: int = 0

    def notes(self) -> list[str]:
        """What was left out, in words; nothing for nothing."""
        said = {
            "that the host may not read": self.unread,
            "that the settings leave out": self.skipped,
            f"more than {DEEPEST} levels down": self.too_deep,
            f"with more than {MOST_NAMES} names": self.unnamed,
        }
        return [f"folders {what}: {count}" for what, count in said.items() if count]


@attrs.frozen
class Walk:
    """A walk below a folder.

    Attributes:
        depth: how many levels it goes down.
        skip: names of folders that it doesn't enter.
        left_out: what it didn't show.
    """

    depth: int
    skip: tuple[str, ...]
    left_out: LeftOut = attrs.field(factory=LeftOut)

    def of(self, place: Place) -> Generator[Below]:
        """Every entry below a folder, each folder before what is in it.

        Raises:
            ToolError: the folder can't be read.
        """
        with refusing(place.path, doing="listed"):
            folder = open_folder(place.name, at=place.folder)
        return self._in(folder, place.names, level=1)

    def _in(self, folder: int, names: tuple[str, ...], *, level: int) -> Generator[Below]:
        try:
            for name in self._names_in(folder):
                found = look_at(name, at=folder)
                if found is None:
                    continue
                yield Below((*names, name), folder, found)
                if stat.S_ISDIR(found.st_mode):
                    yield from self._enter(folder, (*names, name), level=level)
        finally:
            os.close(folder)

    def _enter(self, folder: int, names: tuple[str, ...], *, level: int) -> Generator[Below]:
        if level >= self.depth:
            self.left_out.too_deep += self.depth == DEEPEST
        elif names[-1] in self.skip:
            self.left_out.skipped += 1
        else:
            yield from self._open(folder, names, level=level)

    def _open(self, folder: int, names: tuple[str, ...], *, level: int) -> Generator[Below]:
        try:
            inner = open_folder(names[-1], at=folder)
        except OSError:
            self.left_out.unread += 1
            return
        with closing(self._in(inner, names, level=level + 1)) as entries:
            yield from entries

    def _names_in(self, folder: int) -> list[str]:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in islice(entries, MOST_NAMES))
            self.left_out.unnamed += next(entries, None) is not None
        return names

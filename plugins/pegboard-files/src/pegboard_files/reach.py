"""The way from the root to an entry, one opened folder at a time, so that no link leads it out."""

import os
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import islice

import attrs
from pegboard import ToolError

from pegboard_files.paths import MOST_STEPS, legible, parts_of, reachable, shown
from pegboard_files.refusals import kind_of, refusing

MOST_NEIGHBOURS = 2_000

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEEDED = (os.open, os.stat, os.readlink, os.mkdir, os.rmdir, os.rename, os.unlink)


def is_supported() -> bool:
    """Whether this system can open entries relative to an opened folder."""
    return hasattr(os, "O_NOFOLLOW") and os.supports_dir_fd.issuperset(_NEEDED)


def open_folder(name: str, *, at: int | None = None) -> int:
    """A descriptor of a folder, never through a link."""
    return os.open(name, _FOLDER, dir_fd=at)


def look_at(name: str, *, at: int) -> os.stat_result | None:
    """What stands under a name in an opened folder, links not followed; None for nothing."""
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    except FileNotFoundError:
        return None


def names_in(folder: int) -> set[str]:
    """The names in an opened folder.

    Raises:
        OSError: the system refuses.
    """
    with os.scandir(folder) as entries:
        return {entry.name for entry in entries}


@attrs.frozen
class Place:
    """Where a path leads: a name in an opened folder.

    Attributes:
        path: the path as the model wrote it.
        names: the names from the root to the entry, links resolved.
        folder: the descriptor of the folder that holds the entry.
        name: its name there; `.` is the folder itself.
        found: what stood there, or None.
    """

    path: str
    names: tuple[str, ...]
    folder: int
    name: str
    found: os.stat_result | None

    @property
    def true_path(self) -> str:
        """Its path from the root, links resolved, as text that a model can read."""
        return legible("/".join(self.names)) or "."

    def existing(self) -> os.stat_result:
        """What stands there.

        Raises:
            ToolError: nothing does; it lists near names.
        """
        if self.found is None:
            raise _missing(self.path, self.names[:-1], self.name, at=self.folder)
        return self.found


@contextmanager
def reach(root: str, path: str, *, create: bool = False, follow: bool = True) -> Iterator[Place]:
    """Go from the root along a path; what was opened is closed when the block is left.

    Args:
        root: the real path of the root folder.
        path: what the model wrote.
        create: whether missing folders on the way are made; should the block raise, they go again.
        follow: whether a link at the end is followed; if not, the place is the entry itself, in the
            folder that holds it.

    Raises:
        ToolError: the path leads out, or over something that isn't a folder.
    """
    parts = parts_of(path)
    walk = _Walk(root, path, deque(parts), [_open_root(root)], follows=follow)
    try:
        with refusing(path, doing="reached"):
            place = walk.go(create=create)
        yield place
    except BaseException:
        walk.take_back()
        raise
    finally:
        walk.close()


def _open_root(root: str) -> int:
    with refusing(".", doing="opened"):
        try:
            return open_folder(root)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ToolError(
                "the root folder itself isn't there any more, and no tool can bring it back; only "
                "the operator can",
                code="root_gone",
            ) from error


@attrs.define
class _Walk:
    root: str
    path: str
    pending: deque[str]
    folders: list[int]
    follows: bool = attrs.field(kw_only=True)
    names: list[str] = attrs.field(factory=list)
    left: list[int] = attrs.field(factory=list)
    made: list[tuple[int, str, os.stat_result]] = attrs.field(factory=list)
    steps: int = 0

    @property
    def here(self) -> int:
        return self.folders[-1]

    def go(self, *, create: bool) -> Place:
        while self.pending:
            self._count()
            part = self.pending.popleft()
            place = self._step(part, create=create)
            if place is not None:
                return place
        if self.names and not self.follows:
            holder, name = self.folders[-2], self.names[-1]
            return Place(self.path, tuple(self.names), holder, name, look_at(name, at=holder))
        return Place(self.path, tuple(self.names), self.here, ".", os.fstat(self.here))

    def _step(self, part: str, *, create: bool) -> Place | None:
        found = None if part == ".." else look_at(part, at=self.here)
        if part == "..":
            self._up()
        elif self._is_followed(found):
            self._follow(part)
        elif not self.pending:
            return Place(self.path, (*self.names, part), self.here, part, found)
        elif found is None and create and ".." not in self.pending:
            self._make(part)
        else:
            self._down(part, found)
        return None

    def _is_followed(self, found: os.stat_result | None) -> bool:
        is_last = not self.pending
        return found is not None and stat.S_ISLNK(found.st_mode) and (self.follows or not is_last)

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise ToolError(
                f"{shown(self.path)} is more than {MOST_STEPS} folders and links away, or its "
                "links go round in circles; name the entry itself",
                code="too_far",
            )

    def _up(self) -> None:
        if not self.names:
            raise _leaves(self.path)
        self.names.pop()
        self.left.append(self.folders.pop())

    def _down(self, part: str, found: os.stat_result | None) -> None:
        if found is None:
            raise _missing(self.path, self.names, part, at=self.here)
        if not stat.S_ISDIR(found.st_mode):
            so_far = shown("/".join((*self.names, part)))
            raise ToolError(
                f"{shown(self.path)} isn't there: {so_far} is a {kind_of(found)}, not a folder",
                code="not_found",
            )
        self.folders.append(open_folder(part, at=self.here))
        self.names.append(part)

    def _make(self, part: str) -> None:
        is_made = False
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=self.here)
            is_made = True
        found = look_at(part, at=self.here)
        if is_made and found is not None:
            self.made.append((self.here, part, found))
        self._down(part, found)

    def _follow(self, part: str) -> None:
        target = os.readlink(part, dir_fd=self.here)
        onward = [each for each in target.split("/") if each not in ("", ".")]
        if target.startswith("/"):
            onward = self._below_root(part, onward)
            self.left.extend(self.folders[1:])
            del self.folders[1:], self.names[:]
        self.pending.extendleft(reversed(onward))

    def _below_root(self, part: str, absolute: list[str]) -> list[str]:
        root = [each for each in self.root.split("/") if each]
        if absolute[: len(root)] != root:
            raise _leaves(self.path, link="/".join((*self.names, part)))
        return absolute[len(root) :]

    def take_back(self) -> None:
        for folder, name, made in reversed(self.made):
            found = look_at(name, at=folder)
            if found is not None and os.path.samestat(found, made):
                with suppress(OSError):
                    os.rmdir(name, dir_fd=folder)

    def close(self) -> None:
        for folder in (*self.folders, *self.left):
            os.close(folder)


def _leaves(path: str, *, link: str | None = None) -> ToolError:
    through = "" if link is None else f" through the link {shown(link)}"
    return ToolError(
        f"{shown(path)} leads out of the root folder{through}; paths are relative to the root and "
        "stay below it, files_list shows what is there",
        code="outside_root",
    )


def _missing(path: str, names: tuple[str, ...] | list[str], part: str, *, at: int) -> ToolError:
    near = _near(part, at=at)
    folder = shown("/".join(names)) if names else "the root folder"
    suggestions = " or ".join(shown("/".join((*names, each))) for each in near)
    way_out = f"did you mean {suggestions}?" if near else "files_list shows what is there"
    return ToolError(
        f"{shown(path)} isn't there: {folder} has no {shown(part)}; {way_out}",
        code="not_found",
        details={"near": [legible("/".join((*names, each))) for each in near]},
    )


def _near(part: str, *, at: int) -> list[str]:
    with suppress(OSError), os.scandir(at) as entries:
        known = {entry.name.casefold(): entry.name for entry in islice(entries, MOST_NEIGHBOURS)}
        folded = sorted(key for key, name in known.items() if reachable(name))
        return [known[key] for key in get_close_matches(part.casefold(), folded)]
    return []

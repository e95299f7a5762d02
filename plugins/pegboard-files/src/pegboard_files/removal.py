"""A removal under way: one opened folder at a time, links removed and never entered."""

import os
import stat
from collections.abc import Callable
from contextlib import closing

import attrs
from pegboard import ToolError

from pegboard_files.below import DEEPEST, Below, Walk
from pegboard_files.paths import shown
from pegboard_files.reach import Place, look_at, names_in, open_folder
from pegboard_files.refusals import refusing
from pegboard_files.regular import check_not_in_use

MOST = 10_000


@attrs.define
class Removal:
    """A removal under way.

    Attributes:
        look_up: called now and then; may raise to end it.
        count: how many entries are gone.
    """

    look_up: Callable[[], None]
    count: int = attrs.field(default=0, init=False)

    def check(self, place: Place) -> None:
        """Let a folder pass of which everything can be deleted, as far as can be seen before.

        Raises:
            ToolError: it holds too much, or what can't be reached, or a database in use.
        """
        walk, seen = Walk(DEEPEST, ()), 0
        with closing(walk.of(place)) as entries:
            for below in entries:
                self.look_up()
                seen += 1
                self._check_entry(place, below, seen)
        for note in walk.left_out.notes():
            raise ToolError(
                f"{shown(place.path)} can't be deleted: it has {note}; nothing was deleted, delete "
                "what is in it first",
                code="too_large",
            )

    def remove_tree(self, place: Place) -> None:
        """Delete a folder with everything in it.

        Raises:
            ToolError: the system refuses something; what was deleted until then is gone.
        """
        try:
            with refusing(place.path, doing="deleted"):
                self._remove_tree(place.name, at=place.folder, level=1)
        except ToolError as error:
            if not self.count:
                raise
            gone = f"{self.count} entries in it are gone already"
            raise ToolError(f"{error}; {gone}", code="refused") from error

    def remove(self, name: str, *, at: int) -> None:
        """Delete an entry of an opened folder that is no folder; of a link, the link.

        Raises:
            OSError: the system refuses.
        """
        os.unlink(name, dir_fd=at)
        self.count += 1

    def remove_folder(self, name: str, *, at: int) -> None:
        """Delete an empty folder of an opened folder.

        Raises:
            OSError: it isn't empty, or the system refuses.
        """
        os.rmdir(name, dir_fd=at)
        self.count += 1

    def is_full(self, place: Place) -> bool:
        """Whether a folder that couldn't be deleted has something in it."""
        try:
            with closing(Walk(1, ()).of(place)) as entries:
                return next(entries, None) is not None
        except ToolError:
            return False

    def _check_entry(self, place: Place, below: Below, seen: int) -> None:
        if seen > MOST:
            raise ToolError(
                f"{shown(place.path)} holds more than {MOST} entries, and nothing was deleted; "
                "delete folders further down first",
                code="too_large",
            )
        if below.kind == "file":
            check_not_in_use(below.names[-1], at=below.folder, path=below.path)

    def _remove_tree(self, name: str, *, at: int, level: int) -> None:
        if level > DEEPEST:
            raise ToolError(f"{shown(name)} is more than {DEEPEST} levels down", code="too_large")
        folder = open_folder(name, at=at)
        try:
            for each in names_in(folder):
                self.look_up()
                self._remove_below(each, at=folder, level=level)
        finally:
            os.close(folder)
        self.remove_folder(name, at=at)

    def _remove_below(self, name: str, *, at: int, level: int) -> None:
        found = look_at(name, at=at)
        if found is None:
            return
        if stat.S_ISDIR(found.st_mode):
            self._remove_tree(name, at=at, level=level + 1)
        else:
            self.remove(name, at=at)

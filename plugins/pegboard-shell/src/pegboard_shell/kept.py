"""Where long output is kept on the disk: so many files, so large together."""

import os
import re
import secrets
import stat
from contextlib import suppress
from datetime import UTC, datetime

import attrs

from pegboard_shell.folders import open_below

_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}\.txt")


@attrs.frozen
class KeptFile:
    """A file of output that is being written.

    Attributes:
        descriptor: open for writing and reading; who has it closes it.
        name: its name in the folder.
        path: its path from the root.
    """

    descriptor: int
    name: str
    path: str


@attrs.define(eq=False)
class Kept:
    """The folder of kept output, of all boards.

    Attributes:
        root: the real path of the root.
        names: the names that lead from there to the folder.
        most_files: how many files stay.
        most_bytes: how large they may be together.
        largest: how large one may become.
    """

    root: str
    names: tuple[str, ...]
    most_files: int
    most_bytes: int
    largest: int
    _in_use: set[str] = attrs.field(factory=set, init=False)

    def begin(self) -> KeptFile:
        """A new file; the oldest ones make room for it.

        Raises:
            OSError: the disk takes none.
        """
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}.txt"
        folder = open_below(self.root, self.names, make=True)
        try:
            _hide_from_git(folder)
            self._make_room(folder)
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
            descriptor = os.open(name, flags, 0o600, dir_fd=folder)
        finally:
            os.close(folder)
        self._in_use.add(name)
        return KeptFile(descriptor, name, "/".join((*self.names, name)))

    def end(self, file: KeptFile) -> None:
        """Close a file; from now on it may make room for others."""
        os.close(file.descriptor)
        self._in_use.discard(file.name)

    def _make_room(self, folder: int) -> None:
        sizes = {
            name: size
            for name in sorted(os.listdir(folder))
            if (size := _size(folder, name)) is not None
        }
        for name in [each for each in sizes if each not in self._in_use]:
            is_room = sum(sizes.values()) + self.largest <= self.most_bytes
            if is_room and len(sizes) < self.most_files:
                return
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            del sizes[name]


def _size(folder: int, name: str) -> int | None:
    """How large a kept file is; nothing for others, and for one that somebody takes away."""
    if not _NAME.fullmatch(name):
        return None
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _hide_from_git(folder: int) -> None:
    with suppress(FileExistsError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        ignoring = os.open(".gitignore", flags, 0o600, dir_fd=folder)
        try:
            os.write(ignoring, b"*\n")
        finally:
            os.close(ignoring)

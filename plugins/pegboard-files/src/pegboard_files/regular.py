"""Regular files: opened without following a link, read with a limit, replaced in one step."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import attrs
from pegboard import ToolError

from pegboard_files.paths import shown
from pegboard_files.reach import Place, look_at
from pegboard_files.refusals import kind_of, refusing

_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


@attrs.frozen
class Bytes:
    """The beginning of a file, up to a limit.

    Attributes:
        data: what was read.
        size: how large the file was.
        state: what it looked like when it was opened.
    """

    data: bytes = attrs.field(repr=False)
    size: int
    state: os.stat_result = attrs.field(repr=False)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the file is missing."""
        return len(self.data) >= self.size


def check_regular(found: os.stat_result, *, path: str) -> None:
    """Let a regular file pass.

    Raises:
        ToolError: it is something else, which the message names.
    """
    kind = kind_of(found)
    if kind != "file":
        way_out = "; files_list shows what is in it" if kind == "folder" else ""
        raise ToolError(f"{shown(path)} is a {kind}, not a file{way_out}", code="not_a_file")


@contextmanager
def opened(name: str, *, at: int, path: str, flags: int = os.O_RDONLY) -> Iterator[int]:
    """A descriptor of a regular file in an opened folder, closed after the block.

    Raises:
        ToolError: it isn't a regular file, or belongs to a database in use.
        OSError: the system refuses.
    """
    check_not_in_use(name, at=at, path=path)
    descriptor = os.open(name, flags | _SAFE, dir_fd=at)
    try:
        check_regular(os.fstat(descriptor), path=path)
        yield descriptor
    finally:
        os.close(descriptor)


def check_not_in_use(name: str, *, at: int, path: str) -> None:
    """Leave SQLite's files alone while somebody is connected to them, who may be this process.

    Closing any descriptor of such a file would take away the locks that this process has on it.

    Raises:
        ToolError: the file belongs to a database in use.
    """
    whole = name
    for suffix in ("-shm", "-wal"):
        whole = whole.removesuffix(suffix)
    if look_at(f"{whole}-shm", at=at) is not None and look_at(whole, at=at) is not None:
        raise ToolError(f"{shown(path)} belongs to a database that is in use", code="in_use")


def read_beginning(name: str, *, at: int, path: str, most: int) -> Bytes:
    """The first bytes of a regular file, at most so many.

    Raises:
        ToolError: it isn't a regular file.
        OSError: the system refuses.
    """
    with opened(name, at=at, path=path) as descriptor:
        return read_opened(descriptor, most=most)


def read_opened(descriptor: int, *, most: int) -> Bytes:
    """The first bytes of a file that is open, at most so many.

    Raises:
        OSError: the system refuses.
    """
    state = os.fstat(descriptor)
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        data = stream.read(most + 1)
    return Bytes(data[:most], max(state.st_size, len(data)), state)


def read_place(place: Place, *, most: int) -> Bytes:
    """The first bytes of the file to which a path leads.

    Raises:
        ToolError: there is no regular file that can be read.
    """
    check_regular(place.existing(), path=place.path)
    with refusing(place.path, doing="read"):
        return read_beginning(place.name, at=place.folder, path=place.path, most=most)


def replace(place: Place, data: bytes, *, expected: os.stat_result | None = None) -> None:
    """Put a file in place in one step: a reader sees the old one or the new one, whole.

    Args:
        place: where; what stands there keeps its mode and owner, as far as the host may.
        data: the new bytes.
        expected: what the file looked like when it was read, if it was.

    Raises:
        ToolError: it isn't a regular file, or it changed since it was read, or the system refuses.
    """
    _check_names_a_file(place)
    with refusing(place.path, doing="written"):
        if place.found is not None:
            _check_writable(place)
        beside = _write_beside(place, data)
        try:
            _check_unchanged(place, expected)
            os.rename(beside, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except BaseException:
            _remove(beside, at=place.folder)
            raise


def _check_names_a_file(place: Place) -> None:
    if place.found is not None:
        check_regular(place.found, path=place.path)
    elif place.path.endswith("/"):
        raise ToolError(
            f"{shown(place.path)} ends in '/', which names a folder; leave it out",
            code="not_a_file",
        )


def _check_writable(place: Place) -> None:
    with opened(place.name, at=place.folder, path=place.path, flags=os.O_WRONLY):
        pass


def _write_beside(place: Place, data: bytes) -> str:
    name = f".{secrets.token_hex(8)}.pegboard"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE
    mode = 0o666 if place.found is None else 0o600
    descriptor = os.open(name, flags, mode, dir_fd=place.folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if place.found is not None:
                _take_over(place.found, descriptor)
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
    except BaseException:
        _remove(name, at=place.folder)
        raise
    return name


def _take_over(old: os.stat_result, descriptor: int) -> None:
    with suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _check_unchanged(place: Place, expected: os.stat_result | None) -> None:
    if expected is None:
        return
    now = look_at(place.name, at=place.folder)
    if now is None or _version(now) != _version(expected):
        raise ToolError(
            f"{shown(place.path)} changed while it was edited, and nothing was written; read it "
            "again",
            code="changed",
        )


def _version(state: os.stat_result) -> tuple[int, ...]:
    return (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def _remove(name: str, *, at: int) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=at)

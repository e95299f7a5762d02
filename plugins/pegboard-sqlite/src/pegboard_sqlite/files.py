"""The file of a database, looked at without opening it.

A file that SQLite may have open in this process is never opened beside it: closing it would take
away the locks that SQLite holds on it.
"""

import errno
import os
import stat
from pathlib import Path

import attrs
from pegboard import ToolError

from pegboard_sqlite.settings import Database

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_REASONS = {
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.ELOOP: "its path is a link that leads to itself",
    errno.EACCES: "the host has no permission",
    errno.EPERM: "the host has no permission",
    errno.ENAMETOOLONG: "its path is too long",
}


@attrs.frozen
class File:
    """A regular file, by what stays the same when it is written and changes when it is replaced.

    Attributes:
        path: where it is, links resolved.
        identity: its device and its number there.
    """

    path: Path
    identity: tuple[int, int]


def file_of(database: Database) -> File:
    """The file of a database, as it is now; a link is followed.

    Raises:
        ToolError: there is none, or something else in its place.
    """
    try:
        path = Path(os.path.realpath(database.path, strict=True))
        found = path.stat()
    except (OSError, ValueError) as error:
        raise _refusal(database, error) from error
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise ToolError(f"database {database.name!r} is {kind}, not a file", code="not_a_file")
    return File(path, (found.st_dev, found.st_ino))


def _refusal(database: Database, error: OSError | ValueError) -> ToolError:
    number = getattr(error, "errno", None) or 0
    if number == errno.ENOENT:
        is_link = os.path.islink(database.path)  # noqa: PTH114 - it may be no link at all
        reason = "it is a link that leads nowhere" if is_link else "there is no such file"
        return ToolError(
            f"database {database.name!r} is missing: {reason}; it is never made here",
            code="missing",
        )
    reason = _REASONS.get(number) or os.strerror(number).lower()
    return ToolError(f"database {database.name!r} can't be opened: {reason}", code="cant_open")

"""What a model is told when the system refuses; never a path of the machine."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from pegboard import ToolError

from pegboard_files.paths import shown

_WAYS_OUT = {
    errno.ENOENT: "it was removed in the meantime; files_list shows what is there",
    errno.ENOTDIR: "a part before the last is not a folder; files_list shows what is there",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "it was replaced by a link in the meantime; call again",
    errno.EACCES: "the host has no permission",
    errno.EPERM: "the host has no permission",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.ENOTEMPTY: "it is a folder that isn't empty",
    errno.EXDEV: "the two places are on different file systems; write the new file, then delete",
    errno.EBUSY: "the system is using it",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EMFILE: "too many files are open; call again later",
}

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


@contextmanager
def refusing(path: str, *, doing: str) -> Iterator[None]:
    """Turn what the system refuses inside the block into an error that a model can read.

    Raises:
        ToolError: the system refused; it names the path as the model wrote it.
    """
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        reason = _WAYS_OUT.get(number) or os.strerror(number).lower()
        raise ToolError(f"{shown(path)} can't be {doing}: {reason}", code="refused") from error


def kind_of(found: os.stat_result) -> str:
    """What an entry of a folder is, in a word."""
    return _KINDS.get(stat.S_IFMT(found.st_mode), "special file")

"""Renaming in one step that never replaces what stands at the new name."""

import ctypes
import errno
import os
import sys

NO_REPLACING = {"linux": ("renameat2", 1), "darwin": ("renameatx_np", 4)}
"""The function of the C library that does it on each system, and its flag."""

_NOT_HERE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


def rename(name: str, to: str, *, at: int, into: int) -> None:
    """Give an entry of an opened folder another name, in the same folder or another one.

    Where the system or its file system has no such step, what stands at the new name is looked for
    right before.

    Args:
        name: its name.
        to: the new name.
        at: the descriptor of the folder that holds it.
        into: the descriptor of the folder that will hold it.

    Raises:
        FileExistsError: the new name is taken.
        OSError: the system refuses.
    """
    fault = _rename_at_once(name, to, at=at, into=into)
    if fault in _NOT_HERE:
        _rename_after_a_look(name, to, at=at, into=into)
    elif fault:
        raise OSError(fault, os.strerror(fault))


def change_case(name: str, to: str, *, at: int, into: int) -> None:
    """Give an entry a name by which the system knows it already.

    Raises:
        OSError: the system refuses.
    """
    os.rename(name, to, src_dir_fd=at, dst_dir_fd=into)


def _rename_at_once(name: str, to: str, *, at: int, into: int) -> int:
    function, flag = NO_REPLACING.get(sys.platform, ("", 0))
    found = getattr(ctypes.CDLL(None, use_errno=True), function, None) if function else None
    if found is None:
        return errno.ENOSYS
    source, target = os.fsencode(name), os.fsencode(to)
    failed: int = found(at, source, into, target, ctypes.c_uint(flag))
    return ctypes.get_errno() if failed else 0


def _rename_after_a_look(name: str, to: str, *, at: int, into: int) -> None:
    try:
        os.stat(to, dir_fd=into, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(name, to, src_dir_fd=at, dst_dir_fd=into)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))

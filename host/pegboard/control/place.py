"""Where the socket stands: a folder that only its owner writes, and one host at a path."""

import asyncio
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

from pegboard.control.peers import peer_of
from pegboard.errors import ControlError

_LONGEST = 107 if sys.platform == "linux" else 103
"""Bytes of the path of a socket, as the system's structure has room for."""
_BACKLOG = 128
_ATTEMPTS, _BETWEEN = 500, 0.01


@attrs.frozen
class Place:
    """A listening socket at a path.

    Attributes:
        sock: listens, and never blocks.
        path: where it stands.
        identity: device and number of its file, by which it is known from another's.
    """

    sock: socket.socket
    path: Path
    identity: tuple[int, int]

    def leave(self) -> None:
        """Remove the file, unless somebody else has put another there, and listen no more."""
        try:
            if _identity(self.path) == self.identity:
                self.path.unlink()
        except OSError:
            pass  # somebody has removed it, or its folder, which is what this is for
        self.sock.close()


async def take(path: Path) -> Place:
    """Listen at a path, in the place of a host that has ended without removing its socket.

    Args:
        path: absolute.

    Raises:
        ControlError: the path or its folder can't be used, or a host listens there.
    """
    check_path(path)
    try:
        _make_folder(path.parent)
        async with _alone_in(path.parent):
            _clear(path)
            return _listening(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ControlError(f"no control socket can be made at {path}: {reason}") from error


def check_path(path: Path) -> None:
    """Refuse a path at which this system can have no socket.

    Raises:
        ControlError: it is too long, or the system has no such sockets.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise ControlError("the control channel needs Unix sockets, which this system hasn't")
    size = len(os.fsencode(path))
    if size > _LONGEST:
        raise ControlError(
            f"the path of the control socket has {size} bytes, and a socket's has at most "
            f"{_LONGEST}: {path}; choose a shorter one"
        )


def _make_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    own = os.geteuid()
    link, found = folder.lstat(), folder.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise ControlError(f"the control socket can't stand in {folder}, which is no folder")
    if stat.S_ISLNK(link.st_mode) and link.st_uid not in (own, 0):
        raise ControlError(f"{folder} is a link of another user; name a folder of your own")
    if found.st_uid != own:
        raise ControlError(
            f"the folder {folder} of the control socket belongs to user {found.st_uid}, and this "
            f"process is of user {own}; name a folder of its own"
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ControlError(
            f"others may write in the folder {folder} of the control socket; "
            f"name another one, or: chmod go-w {folder}"
        )


@asynccontextmanager
async def _alone_in(folder: Path) -> AsyncIterator[None]:
    """Keep other hosts from taking a socket in this folder meanwhile; leaves no file behind."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for _ in range(_ATTEMPTS):
            if _has_locked(number):
                break
            await asyncio.sleep(_BETWEEN)
        else:
            raise ControlError(f"another process holds the lock of {folder}; try again")
        yield
    finally:
        os.close(number)


def _has_locked(number: int) -> bool:
    import fcntl  # late: not every system has it

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _clear(path: Path) -> None:
    """Remove a socket that nobody listens at."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ControlError(
            f"{path} is no socket, and isn't replaced; name another path, or remove it"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except BlockingIOError:
            pid = None  # it lives, and is behind with its peers
        else:
            pid = peer_of(probe).pid
    who = "another host" if pid is None else f"process {pid}"
    raise ControlError(f"{who} listens at {path}; end it, or name another path for this one")


def _listening(path: Path) -> Place:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(0)
        sock.bind(os.fspath(path))
        path.chmod(0o600)
        place = Place(sock, path, _identity(path))
        sock.listen(_BACKLOG)  # last: until then nobody gets in, whatever the mode was
    except BaseException:
        sock.close()
        raise
    return place


def _identity(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino

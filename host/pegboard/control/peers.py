"""Who is at the other end of a socket, as the system says."""

import socket
import struct
import sys

import attrs

_SYSTEM: str = sys.platform
_ROOT = 0
_LINUX = struct.Struct("3i")
_BSD = struct.Struct("IIh")
_SOL_LOCAL, _LOCAL_PEERCRED, _LOCAL_PEERPID = 0, 1, 2
_XUCRED = 76


@attrs.frozen
class Peer:
    """A process at the other end.

    Attributes:
        user: the number of its effective user; None where the system can't say.
        pid: its number; None where the system can't say.
    """

    user: int | None
    pid: int | None

    def is_admitted(self, own: int) -> bool:
        """Whether it is a process of ours, or of the superuser.

        Args:
            own: the number of our own effective user.
        """
        return self.user is not None and self.user in (own, _ROOT)


def peer_of(sock: socket.socket) -> Peer:
    """Who is at the other end; nobody in particular where that can't be told."""
    try:
        if _SYSTEM == "linux":
            pid, user, _ = _LINUX.unpack(
                sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size)
            )
            return Peer(user, pid or None)
        return _of_bsd(sock)
    except (OSError, struct.error):
        return Peer(None, None)


def _of_bsd(sock: socket.socket) -> Peer:
    told = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED)
    _, user, _ = _BSD.unpack_from(told)
    try:
        pid = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID)
    except OSError:
        return Peer(user, None)
    return Peer(user, pid if _SYSTEM == "darwin" else None)

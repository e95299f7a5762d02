"""A process of one's own: watched, bounded and ended, and never another one that has its number."""

import os
import select
import signal
import sys
from contextlib import suppress


class Child:
    """One child process."""

    def __init__(self, pid: int, *, most_seconds: float) -> None:
        """It lives already.

        Args:
            pid: its number.
            most_seconds: how long it may compute, even where its host was killed.
        """
        self._pid = pid
        self._handle = _handle(pid)
        _bound(pid, most_seconds)

    @property
    def is_gone(self) -> bool:
        """Whether it has ended; False where the system doesn't tell."""
        if sys.platform == "linux" and self._handle is not None:
            poll = select.poll()
            poll.register(self._handle, select.POLLIN)
            return bool(poll.poll(0))
        return _has_ended(self._pid)

    def kill(self) -> None:
        """End it now; harmless where it has ended already."""
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "linux" and self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            else:
                os.kill(self._pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def close(self) -> None:
        """Forget it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _handle(pid: int) -> int | None:
    """What stays with one process; None where the system has no such thing."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _bound(pid: int, most_seconds: float) -> None:
    if sys.platform == "linux":
        import resource

        most = int(min(most_seconds, 2**31)) + 1
        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (most, most))


def _has_ended(pid: int) -> bool:
    if not hasattr(os, "waitid"):
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:
        return True

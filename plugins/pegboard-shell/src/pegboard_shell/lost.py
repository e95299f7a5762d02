"""Ending what a command has started where the process that it ran under can't do it any more."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pegboard_shell.environment import MARK
from pegboard_shell.supervisor import below, processes

_ROUNDS = 20
_SESSION = 3


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped and not told to go on; no where nobody tells."""
    return processes().get(pid, [""])[0] == "T"


def kill_below(pid: int) -> None:
    """Kill what a process has started, as long as it is still there to be asked for it."""
    _kill_all(lambda: below(pid))


def kill_marked(session: int | None, mark: str) -> None:
    """Kill what is in a session, or has a mark among its variables.

    Args:
        session: the number of the shell that led it; None if there was none.
        mark: what the variable is.
    """
    if session is not None and not processes():
        with suppress(OSError):
            os.killpg(session, signal.SIGKILL)
    sign = f"{MARK}={mark}".encode()
    _kill_all(
        lambda: {
            pid: fields
            for pid, fields in processes().items()
            if int(fields[_SESSION]) == session or sign in _variables(pid)
        }
    )


def _kill_all(find: Callable[[], dict[int, list[str]]]) -> None:
    for _ in range(_ROUNDS):
        running = [pid for pid, fields in find().items() if fields[0] != "Z"]
        for pid in running:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not running:
            return


def _variables(pid: int) -> list[bytes]:
    try:
        return Path("/proc", str(pid), "environ").read_bytes().split(b"\0")
    except OSError:
        return []

"""The processes that a process has started, and those in turn, where the system tells them."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import attrs

_PROCESSES = Path("/proc")
_STATE, _STARTED = 0, 19
"""Where the state and the time of the start stand behind the name in `/proc/PID/stat`."""


@attrs.frozen
class Process:
    """A process, and no other one that has its number later.

    Attributes:
        pid: its number.
        started: when it was started, as the system counts.
    """

    pid: int
    started: str

    @property
    def runs(self) -> bool:
        """Whether it is still there."""
        fields = _fields(self.pid)
        return bool(fields) and fields[_STARTED] == self.started and fields[_STATE] != "Z"


def outside_group(leader: int) -> tuple[Process, ...]:
    """What a process has started, directly or not, that isn't in the group that it leads.

    What was left by its parent before can't be found, and on systems but Linux nothing is.
    """
    found = []
    for pid in _below(leader):
        fields = _fields(pid)
        with suppress(OSError):
            if fields and os.getpgid(pid) != leader:
                found.append(Process(pid, fields[_STARTED]))
    return tuple(found)


def send_to(processes: Iterable[Process], number: int) -> bool:
    """Send a signal to those that run; whether any does."""
    running = [each for each in processes if each.runs]
    for each in running:
        with suppress(OSError):
            os.kill(each.pid, number)
    return bool(running)


def _below(pid: int) -> Iterator[int]:
    # each thread has the children that it has started
    for file in _PROCESSES.glob(f"{pid}/task/*/children"):
        with suppress(OSError):
            for each in map(int, file.read_text().split()):
                yield each
                yield from _below(each)


def _fields(pid: int) -> list[str]:
    try:
        return (_PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []

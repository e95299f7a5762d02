"""The process that a command runs under: it ends and reaps all that the command has started.

It is a program of its own, with nothing but Python's standard library: a socket, a folder and the
host's number are its arguments, and its standard streams are the command's. It reads one order,
and writes two lines: that the shell runs, and how everything ended. When the other side of the
socket says anything more, or is gone, or the host is, it ends all of it. It imports little, since
every command waits for that.
"""

import ctypes
import errno
import marshal
import os
import select
import signal
import sys
import time

Order = tuple[str, str, dict[str, str], dict[str, int], int, float]
"""A shell, what it reads, variables, limits of each process, the most processes, and a grace."""
SIZE = 8
"""Bytes before an order that say how long it is."""

LOOK_EVERY = 0.1
LOOKS_TO_A_COUNT = 10
MOMENT = 0.5
"""Seconds in which what the shell has left running may end by itself."""
LAST_WAIT = 3.0
"""Seconds in which what was killed should be gone."""
PAUSE = 0.01

_IS_LINUX = sys.platform == "linux"
_ADOPT_ORPHANS = 36
"""The number of `PR_SET_CHILD_SUBREAPER`."""
_SIGNAL_OF_THE_PARENTS_END = 1
"""The number of `PR_SET_PDEATHSIG`."""
_ENDING = ("SIGTERM", "SIGINT", "SIGHUP")
_FRESH = (*_ENDING, "SIGQUIT", "SIGPIPE", "SIGXFSZ", "SIGCHLD")
"""By name, since systems that can't run this can still import it, and be told why."""


def processes() -> dict[int, list[str]]:
    """What the system says of each process, by number: state, parent, group, session, and more."""
    if not _IS_LINUX:
        return {}
    with os.scandir("/proc") as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    texts = {int(name): _text(f"/proc/{name}/stat") for name in names}
    return {pid: text.rpartition(")")[2].split() for pid, text in texts.items() if text}


def below(pid: int) -> dict[int, list[str]]:
    """The processes that a process has started, and those in turn; none where nobody tells."""
    table = processes()
    children: dict[int, list[int]] = {}
    for number, fields in table.items():
        children.setdefault(int(fields[1]), []).append(number)
    found, pending = {}, [pid]
    while pending:
        for number in children.get(pending.pop(), ()):
            found[number] = table[number]
            pending.append(number)
    return found


def tasks_of_the_system() -> int:
    """How many processes and threads there are; 0 where nobody tells."""
    if not _IS_LINUX:
        return 0
    fields = _text("/proc/loadavg").split()
    return int(fields[3].partition("/")[2]) if fields else 0


def _text(file: str) -> str:
    """What a file of the system says; nothing if it is gone."""
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 4_096).decode(errors="replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


class Supervisor:
    """What one command has started.

    Attributes:
        shell: the number of the shell.
        most: how many processes there may be.
        status: how the shell ended, as the system puts it; None while it runs.
    """

    def __init__(self, shell: int, *, host: int, most: int, control: int, woken: int) -> None:
        self.shell = shell
        self._host = host
        self.status: int | None = None
        self._most = most
        self._woken = woken
        self._at_first = tasks_of_the_system()
        self._looks = 0
        self._waiting = select.poll()
        self._waiting.register(control, select.POLLIN)
        self._waiting.register(woken, select.POLLIN)

    def wait(self) -> str | None:
        """Wait for the end of the shell, and give None; or for a reason to end it before."""
        while True:
            ready = [descriptor for descriptor, _ in self._waiting.poll(LOOK_EVERY * 1000)]
            said = os.read(self._woken, 4096) if self._woken in ready else b""
            self._reap()
            if self.status is not None:
                return None
            if set(ready) - {self._woken} or not set(_numbers(_ENDING)).isdisjoint(said):
                return "told"
            if os.getppid() != self._host:
                # a process that the host forked may hold the socket open
                return "told"
            if self._is_crowded():
                return "processes"

    def left(self) -> int:
        """How many processes the shell has left behind, once they had a moment to end."""
        return 0 if self._is_alone_within(MOMENT) else len(below(os.getpid())) or 1

    def end(self, *, grace: float) -> int:
        """End everything; how many processes go on all the same."""
        if grace and not self._is_alone_within(0):
            self._send(signal.SIGTERM)
            self._send(signal.SIGCONT)
            self._is_alone_within(grace)
        deadline = time.monotonic() + LAST_WAIT
        while not self._is_alone_within(0):
            if time.monotonic() > deadline:
                return len(below(os.getpid())) or 1
            self._send(signal.SIGKILL)
            self._is_alone_within(PAUSE)
        return 0

    def _is_alone_within(self, seconds: float) -> bool:
        """Whether nothing is left in time; those that become too many have none."""
        deadline = time.monotonic() + seconds
        while not self._reap():
            if time.monotonic() >= deadline or self._is_crowded():
                return False
            time.sleep(PAUSE)
        return True

    def _reap(self) -> bool:
        """Take leave of those that have ended; whether nothing is left."""
        while True:
            try:
                number, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return _IS_LINUX or not _signalled(self.shell, 0)
            if number == self.shell:
                self.status = status
            if number == 0:
                return False

    def _send(self, number: int) -> None:
        # a group keeps its number as long as its leader isn't reaped
        if self.status is None or not _IS_LINUX:
            _signalled(self.shell, number)
        groups = {int(fields[2]) for fields in below(os.getpid()).values()}
        for group in groups - {os.getpgrp()}:
            _signalled(group, number)

    def _is_crowded(self) -> bool:
        self._looks += 1
        has_grown = tasks_of_the_system() - self._at_first > self._most // 2
        if not has_grown and self._looks % LOOKS_TO_A_COUNT:
            return False
        return len(below(os.getpid())) > self._most


def _numbers(names: tuple[str, ...]) -> list[int]:
    return [getattr(signal, name) for name in names]


def _signalled(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def prepare(control: int) -> int:
    """Make orphans children of this process, and signals heard; gives where they are heard."""
    os.set_inheritable(control, False)
    if _IS_LINUX:
        system = ctypes.CDLL(None)
        system.prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
        # the command may have stopped this process
        system.prctl(_SIGNAL_OF_THE_PARENTS_END, signal.SIGCONT, 0, 0, 0)
        _go_first()
    woken, waking = os.pipe()
    for end in (woken, waking):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for number in _numbers((*_ENDING, "SIGCHLD")):
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return woken


def _go_first() -> None:
    # a command that fills the machine mustn't keep from its turn who ends it
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return


def start(order: Order) -> int:
    """Start the shell in a session of its own; gives its number.

    Raises:
        OSError: it can't be started.
    """
    told, telling = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(order, telling)
    os.close(telling)
    fault = os.read(told, 16)
    os.close(told)
    if fault:
        os.waitpid(pid, 0)
        raise OSError(int(fault), os.strerror(int(fault)))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    return pid


def _become(order: Order, telling: int) -> None:
    shell, command, environment, limits, most, _ = order
    try:
        import resource

        os.setsid()
        for number in _numbers(_FRESH):
            signal.signal(number, signal.SIG_DFL)
        for name, limit in (limits | _backstop(most)).items():
            which = getattr(resource, name)
            hard = resource.getrlimit(which)[1]
            lower = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(which, (lower, lower))
        os.execve(shell, [shell, "-c", command], environment)  # noqa: S606 - what it is for
    except OSError as error:
        os.write(telling, str(error.errno).encode())
    except MemoryError:
        os.write(telling, str(errno.ENOMEM).encode())
    except (OverflowError, ValueError):
        os.write(telling, str(errno.EINVAL).encode())
    finally:
        os._exit(127)


def _backstop(most: int) -> dict[str, int]:
    """A limit for the time between two counts; the system counts all that the user runs."""
    there = tasks_of_the_system()
    return {"RLIMIT_NPROC": there + 4 * most} if there and os.getuid() else {}


def main(control: int, folder: int, host: int) -> None:
    """Run one command, and tell how it ended."""
    woken = prepare(control)
    order = _hear(control)
    if order is None:
        return
    try:
        os.fchdir(folder)
        os.close(folder)
        shell = start(order)
    except OSError as error:
        _tell(control, {"fault": error.errno})
        return
    _tell(control, {"shell": shell})
    *_, most, grace = order
    supervisor = Supervisor(shell, host=host, most=most, control=control, woken=woken)
    reason = supervisor.wait()
    left = supervisor.left() if reason is None else 0
    surviving = supervisor.end(grace=0 if reason == "processes" else grace)
    status = supervisor.status
    code = None if status is None else os.waitstatus_to_exitcode(status)
    _tell(control, {"status": code, "reason": reason, "left": left, "surviving": surviving})


def _hear(control: int) -> Order | None:
    data = _read(control, int.from_bytes(_read(control, SIZE), "little"))
    if not data:
        return None
    order: Order = marshal.loads(data)  # noqa: S302 - the host's own, by the same Python
    return order


def _read(control: int, size: int) -> bytes:
    """So many bytes; nothing if the other side is gone before."""
    data = b""
    while len(data) < size:
        piece = os.read(control, size - len(data))
        if not piece:
            return b""
        data += piece
    return data


def _tell(control: int, what: dict[str, int | str | None]) -> None:
    text = ", ".join(f'"{key}": {_json(value)}' for key, value in what.items())
    try:
        os.write(control, f"{{{text}}}\n".encode())
    except OSError:
        return


def _json(value: int | str | None) -> str:
    if value is None:
        return "null"
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
    os._exit(0)

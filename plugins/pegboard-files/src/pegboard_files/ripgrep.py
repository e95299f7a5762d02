"""ripgrep as a sieve: it says which of the opened files may have a match, and sees no path."""

import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import attrs

from pegboard_files.dialects import Dialect

BETWEEN_LOOKS = 0.05
MOST_OF_A_NAME = 16

_FOLDER = "/dev/fd/"
_ALWAYS = (
    "--no-config",
    "--no-ignore",
    "--no-messages",
    "--color=never",
    "--files-with-matches",
    "--null",
    "--text",
    "--encoding=none",
    "--no-mmap",
)


def find_ripgrep(name: str, *, root: str) -> str | None:
    """The program of that name on the search path of the host; None where there is none.

    What lies below the root is passed over: the tools could have written it.
    """
    wanted = Path(name)
    folders = [str(wanted.parent)] if os.sep in name else os.get_exec_path()
    for folder in folders:
        found = shutil.which(wanted.name, path=folder) if Path(folder).is_absolute() else None
        if found is not None and not _is_below(found, root):
            return found
    return None


def _is_below(program: str, root: str) -> bool:
    places = (Path(program).parent.resolve() / Path(program).name, Path(program).resolve())
    return any(place.is_relative_to(root) for place in places)


@attrs.frozen
class Sieve:
    """ripgrep, about to be asked for one expression.

    Attributes:
        program: its path.
        options: what it is asked for.
    """

    program: str
    options: tuple[str, ...]

    @classmethod
    def of(cls, program: str, dialect: Dialect) -> "Sieve | None":
        """The sieve for an expression; None for one that ripgrep may read in another way."""
        options = dialect.options()
        return None if options is None else cls(program, options)

    def hits(
        self, descriptors: Sequence[int], *, is_over: Callable[[], bool]
    ) -> frozenset[int] | None:
        """Those of the opened files in which there may be a match; None if it failed.

        Args:
            descriptors: the files.
            is_over: asked all the time; once it says so, ripgrep is ended.
        """
        names = [f"{_FOLDER}{each}" for each in descriptors]
        try:
            process = self._start(descriptors, names)
        except OSError:
            return None
        try:
            printed = _read(process, most=MOST_OF_A_NAME * len(names), is_over=is_over)
            status = None if printed is None else _status(process, is_over=is_over)
        finally:
            _end(process)
        if printed is None or status != (0 if printed else 1):
            return None
        return _named(printed, names)

    def _start(self, descriptors: Sequence[int], names: Sequence[str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 - the program is the operator's, no shell reads it
            [self.program, *_ALWAYS, *self.options, "--", *names],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"LC_ALL": "C"},
            pass_fds=descriptors,
            start_new_session=True,
        )


def _read(
    process: "subprocess.Popen[bytes]", *, most: int, is_over: Callable[[], bool]
) -> bytes | None:
    """What it prints until its end; None where that is too much or takes too long."""
    assert process.stdout is not None  # noqa: S101 - it was started with a pipe
    printed = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while len(printed) <= most:
            if is_over():
                return None
            if selector.select(BETWEEN_LOOKS):
                block = os.read(process.stdout.fileno(), most + 1)
                if not block:
                    return bytes(printed)
                printed += block
    return None


def _status(process: "subprocess.Popen[bytes]", *, is_over: Callable[[], bool]) -> int | None:
    while not is_over():
        with suppress(subprocess.TimeoutExpired):
            return process.wait(BETWEEN_LOOKS)
    return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _named(printed: bytes, names: Sequence[str]) -> frozenset[int] | None:
    said = printed.decode("ascii", "replace").split("\0")
    if said.pop() or not set(names).issuperset(said):
        return None
    return frozenset(int(each.removeprefix(_FOLDER)) for each in said)

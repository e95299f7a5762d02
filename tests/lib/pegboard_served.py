"""`pegboard serve` as a process of its own, for clients of every kind."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs

PATIENCE = 60.0
"""Seconds in which a server must be there."""


@attrs.frozen
class Served:
    """Where a board is served, and how it is called from elsewhere.

    Attributes:
        folder: the folder with its `pegboard.toml`.
        command: serves it over stdio.
        variables: what the environment of that command needs.
        url: where it is served over HTTP.
        process: what serves it there.
    """

    folder: Path
    command: tuple[str, ...]
    variables: Mapping[str, str]
    url: str
    process: "subprocess.Popen[str]"


@contextmanager
def served(
    folder: Path, *options: str, python: Path | None = None, **variables: str
) -> Iterator[Served]:
    """Serve the configuration of a folder over HTTP, on a port that is free.

    Args:
        folder: where `pegboard.toml` is.
        options: further options of the command.
        python: the interpreter that has pegboard; that of the tests by default.
        variables: further variables of its environment.
    """
    command = (str(python or sys.executable), "-m", "pegboard", "serve")
    own = {"HOME": str(folder), "PEGBOARD_CACHE": str(folder / "cache"), **variables}
    log = folder / "serve.log"
    with log.open("w") as said:
        process = subprocess.Popen(
            [*command, "--http", "127.0.0.1:0", *options],
            cwd=folder,
            env={**os.environ, **own},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            text=True,
        )
    try:
        yield Served(folder, (*command, *options), own, _url(process, log), process)
    finally:
        process.terminate()
        process.wait(10)


def _url(process: "subprocess.Popen[str]", log: Path) -> str:
    """Where the process says that it serves."""
    deadline = time.monotonic() + PATIENCE
    while True:
        text = log.read_text()
        found = re.search(r"serving on (\S+)", text)
        if found:
            return found[1]
        assert process.poll() is None, f"it has ended:\n{text}"
        assert time.monotonic() < deadline, f"it doesn't serve:\n{text}"
        time.sleep(0.05)

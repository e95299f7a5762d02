"""Plugins that look installed, and the command run over them in a process of its own."""

import contextlib
import fcntl
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard.cli.entry import status
from pegboard.testing import Site

for _library in ("importlib_metadata", "jsonschema_rs"):
    import_module(_library)  # the first test that needs one would seem to have left it behind

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"


@attrs.frozen
class Ran:
    """What a command left."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its results, read as JSON."""
        return json.loads(self.out)


@attrs.frozen
class Desk:
    """A working folder, and a folder of plugins that only its commands see."""

    work: Path
    site: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a command."""
        kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
        return kept | {"PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1"}

    def install(self, name: str, source: str, *, entry: str | None = None) -> None:
        """Put a distribution with one plugin into the folder of plugins."""
        files = {f"pegboard_{name}.py": source}
        entries = {name: f"pegboard_{name}"} if entry is None else entry
        Site(self.site).install(f"pegboard-{name}", entry_points=entries, files=files)

    def write(self, name: str, text: str | bytes) -> Path:
        """Put a file into the working folder."""
        path = self.work / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def start(self, *words: str, **options: Any) -> "subprocess.Popen[str]":
        """Start the command."""
        command = [sys.executable, "-m", "pegboard", *words]
        shared = {"cwd": self.work, "env": self.environment, "text": True}
        return subprocess.Popen(command, **(shared | options))

    def run(self, *words: str, given: str = "", **environment: str) -> Ran:
        """Run the command to its end."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with self.start(*words, **pipes, env=self.environment | environment) as process:
            try:
                out, err = process.communicate(given, timeout=60)
            finally:
                process.kill()
        return Ran(process.returncode, out, err)

    def answer(self, *words: str) -> Ran:
        """Answer a command line in this process: faster, and whatever it leaves is noticed."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(self.site)
            patch.chdir(self.work)
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                answered = status(words)
        return Ran(answered, out.getvalue(), err.getvalue())

    def on_terminal(self, *words: str, columns: int) -> tuple[int, str]:
        """The exit status of a command, and what a terminal of that width got, colours aside."""
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        with self.start(*words, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE) as process:
            os.close(theirs)
            printed = b"".join(iter(lambda: _read(ours), b""))
            os.close(ours)
            assert process.stderr.read() == ""
        text = printed.decode().replace("\r\n", "\n")
        return process.returncode, re.sub(r"\x1b\[[0-9;]*m", "", text)

    def talk(self, *words: str, answers: Sequence[tuple[str, str]] = ()) -> Ran:
        """Run the command with a person at its terminal, where its messages are shown.

        Args:
            words: the command line.
            answers: texts to wait for in the messages, each with what is typed then.
        """
        ours, theirs = os.openpty()
        terminal = {"stdin": theirs, "stderr": theirs, "stdout": subprocess.PIPE}
        with contextlib.ExitStack() as stack:
            stack.callback(os.close, ours)
            process = stack.enter_context(self.start(*words, **terminal, preexec_fn=_own_terminal))
            os.close(theirs)
            late = threading.Timer(60, process.kill)
            stack.callback(late.cancel)
            late.start()
            said = _talked(ours, answers)
            assert process.stdout is not None
            out = process.stdout.read()
        return Ran(process.returncode, out, _plain(said))

    def interrupted(self, *words: str, until: Path) -> Ran:
        """Run the command, and press Ctrl-C once a file is there."""
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        with self.start(*words, **pipes) as process:
            while process.poll() is None and not until.exists():
                pass
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        return Ran(process.returncode, out, err)


def _own_terminal() -> None:
    """Make standard input the terminal whose Ctrl-C reaches this process."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _talked(descriptor: int, answers: Sequence[tuple[str, str]]) -> bytes:
    """Everything that a terminal shows until its end, with what is typed on the way."""
    said, seen = b"", 0
    for awaited, typed in answers:
        while (at := said.find(awaited.encode(), seen)) < 0:
            more = _read(descriptor)
            assert more, f"{awaited!r} is not in {_plain(said)}"
            said += more
        seen = at + len(awaited)
        os.write(descriptor, typed.encode())
    return said + b"".join(iter(lambda: _read(descriptor), b""))


def _plain(shown: bytes) -> str:
    """What a terminal was sent, without what draws and colours."""
    text = shown.decode(errors="replace").replace("\r\n", "\n")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def _read(descriptor: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(descriptor, 65536)
    return b""


ECHO = '''
from pegboard import ToolAnnotations, hookimpl, tool

@tool(annotations=ToolAnnotations(read_only=True, destructive=False))
async def say(value: str) -> str:
    """Say one value.

    Args:
        value: What to say.
    """
    return value

@tool
def shout(value: str) -> str:
    """Say it louder."""
    print("on its way out")
    return value.upper()

@hookimpl
def pegboard_tools():
    return [say, shout]
'''


@pytest.fixture
def bare(tmp_path: Path) -> Desk:
    """A desk without plugins of its own."""
    work, site = tmp_path / "work", tmp_path / "site"
    work.mkdir()
    site.mkdir()
    return Desk(work, site)


@pytest.fixture
def desk(bare: Desk) -> Desk:
    """A desk with the plugin `voice`, whose tools are `say` and `shout`."""
    bare.install("voice", ECHO)
    return bare


@pytest.fixture
def transcript(desk: Desk) -> Callable[[str], list[Any]]:
    """Run a packaged transcript over the real first plugins: status and results."""

    def run(name: str, *words: str) -> Any:
        notes = desk.work / "notes"
        notes.mkdir()
        (notes / "overview.md").write_text("# Overview\n\nline three\n")
        return desk.run("run", str(TRANSCRIPTS / f"{name}.json"), *words)

    return run

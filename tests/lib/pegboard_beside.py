"""Commands of a page that run on beside those below them, and what they make differ."""

import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import attrs

PATIENCE = 60.0
PORT = "8000"
"""The port in the text of a page; a free one stands in for it."""

VARYING = (
    (r" {2,}", "  "),
    (r"^(pid|plugins|python|version)  .*", r"\1  …"),
    (r"\bpid \d+", "pid …"),
    (r"\bby \S+ \(user \d+\)", "by …"),
    (r"\b[0-9a-f]{32}\b", "…"),
    (r"\bbytecode: \d+", "bytecode: …"),
    (r"\b\d+m\d\ds\b|\b\d+(\.\d+)? ?s\b", "… s"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "…"),
)
"""What is another in each run of a command, and what is compared in its place."""


def settled(text: str) -> str:
    """A text without what is another in each run; columns are as wide as they happen to be."""
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return text


@attrs.frozen
class Running:
    """A command that runs on."""

    command: str
    process: "subprocess.Popen[bytes]"
    printed: IO[str]

    def until_ready(self, lines: int) -> str:
        """What it has printed once that many lines are there, or it has ended."""
        deadline = time.monotonic() + PATIENCE
        text = ""
        while text.count("\n") < lines and self.process.poll() is None:
            assert time.monotonic() < deadline, f"{self.command} isn't ready:\n{text}"
            time.sleep(0.05)
            text += self.printed.read()
        return text + self.printed.read()


@attrs.define
class Beside:
    """What runs on while the other blocks of a page run.

    Attributes:
        folder: where the page's files are.
        variables: the environment of its commands.
        port: what stands in for the page's port.
    """

    folder: Path
    variables: Mapping[str, str]
    port: str = attrs.field(factory=lambda: str(_free_port()))
    _running: list[Running] = attrs.field(factory=list)

    def real(self, text: str) -> str:
        """A text of the page with the port that is free here."""
        return re.sub(rf"\b{PORT}\b", self.port, text)

    def shown(self, text: str) -> str:
        """What is printed, with the page's port, and without what differs from run to run."""
        return settled(re.sub(rf"\b{self.port}\b", PORT, text))

    def start(self, command: str, *, lines: int) -> str:
        """Start a command that runs on.

        Args:
            command: for the shell.
            lines: how many lines it prints until it is ready.

        Returns:
            what it has printed by then, or until it has ended.
        """
        printed = tempfile.NamedTemporaryFile("r")  # noqa: SIM115 - until the end of the page
        with Path(printed.name).open("w") as log:
            process = subprocess.Popen(
                ["bash", "-c", f"exec env {command}"],
                cwd=self.folder,
                env=self.variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._running.append(Running(command, process, printed))
        return self._running[-1].until_ready(lines)

    def ended(self, words: str) -> str:
        """What the last command with these words prints until it ends, with status 0."""
        [*_, running] = [each for each in self._running if words in each.command]
        status, said = running.process.wait(PATIENCE), running.printed.read()
        return said if status == 0 else f"{said}exit status {status}\n"

    def end(self) -> None:
        """End what still runs."""
        for each in reversed(self._running):
            each.process.terminate()
            try:
                each.process.wait(PATIENCE)
            finally:
                each.process.kill()
                each.printed.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

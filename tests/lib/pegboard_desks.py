"""Desks at which `pegboard install` is typed, in a real environment."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import attrs
from pegboard_served import Served, served
from pegboard_watched import code
from pegboard_wheels import write_wheel

OFFLINE = ("--", "--no-index", "--no-deps")
MARKED = "from pathlib import Path\nPath({mark!r}).touch()\n"


@attrs.frozen
class Desk:
    """Where the command is typed, in another environment than that of the host."""

    environment: Path
    work: Path

    def wheel(self, version: str, *, before: str = "") -> Path:
        """A wheel of the plugin `gauge`, whose only tool gives its version."""
        text = before + code(int(version), name="gauge")
        return write_wheel(
            self.work / "wheels",
            "gauge",
            f"{version}.0",
            files={"gauge.py": text},
            plugin="gauge = gauge",
        )

    @property
    def python(self) -> Path:
        """The interpreter of the host's environment."""
        return self.environment / "bin" / "python"

    def serving(self, *options: str) -> AbstractContextManager[Served]:
        """Serve the boards from there."""
        return served(self.work, *options, python=self.python)

    def lock(self) -> None:
        """Accept what is installed now."""
        with (self.work / "pegboard.toml").open("a") as file:
            file.write('lock = "pegboard.lock"\n')
        self.pegboard("lock")

    def pegboard(
        self, *words: str | Path, anywhere: bool = False, path: str = "", expect: int = 0
    ) -> Any:
        """What the command leaves, in the environment or in that of the tests."""
        usual = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        python = sys.executable if anywhere else self.python
        command = [str(each) for each in (python, "-m", "pegboard", *words)]
        ran = subprocess.run(
            command,
            cwd=self.work,
            env=os.environ | {"PATH": path or usual},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == expect, f"{command}\n{ran.stdout}\n{ran.stderr}"
        return ran


@contextmanager
def desk_in(environment: Path, folder: Path, *, only: str = '["gauge"]') -> Iterator[Desk]:
    """A desk, and a configuration with a control socket whose path is short enough.

    Args:
        environment: where is installed to.
        folder: where it is put.
        only: the plugins that the configuration lets in.
    """
    work, run = folder / "work", Path(tempfile.mkdtemp(prefix="pb-"))
    work.mkdir()
    (work / "pegboard.toml").write_text(f'only = {only}\ncontrol = "{run}/s"\n')
    yield Desk(environment, work)
    shutil.rmtree(run)

"""Wheels built once, and environments with them installed, cheap enough for one each test."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard_house import ORIGINAL

REPOSITORY = Path(__file__).parents[2]
PLUGINS = ("audit", "clock", "echo", "files", "permissions")
CLEAN = {k: v for k, v in ORIGINAL.items() if not k.startswith(("PYTHON", "PEGBOARD_", "VIRTUAL"))}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep these tests in one worker, so that the wheels are built once."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("packaging"))


def run(*command: str | Path, cwd: Path, expect: int = 0) -> str:
    """What a command prints, standard output and error apart where it fails."""
    ran = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=CLEAN | {"HOME": os.environ["HOME"], "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]},
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == expect, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def pip(*arguments: str | Path) -> None:
    """Run pip as the user would, with the user's own settings and cache."""
    command = [sys.executable, "-m", "pip", "--quiet", *map(str, arguments)]
    ran = subprocess.run(
        command, env=CLEAN, text=True, capture_output=True, timeout=300, check=False
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"


@pytest.fixture(name="run")
def running() -> Callable[..., str]:
    """`run(*command, cwd=…)`, for tests."""
    return run


@pytest.fixture(scope="session", name="pip")
def piping() -> Callable[..., None]:
    """`pip(*arguments)`, for tests."""
    return pip


@attrs.frozen
class Environment:
    """One virtual environment, and a folder to work in."""

    folder: Path
    work: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        """Its site-packages."""
        return next(self.folder.glob("lib/python*/site-packages"))

    def install(self, *wheels: Path) -> None:
        """Install wheels and what they depend on."""
        pip("--python", self.python, "install", *wheels)

    def uninstall(self, *names: str) -> None:
        """Remove distributions."""
        pip("--python", self.python, "uninstall", "--yes", *names)

    def script(self, text: str) -> Any:
        """What a program prints as JSON in its last line."""
        (self.work / "program.py").write_text(text)
        return json.loads(run(self.python, "program.py", cwd=self.work).splitlines()[-1])

    def pegboard(self, *arguments: str, expect: int = 0) -> str:
        """What the command prints."""
        return run(self.python, "-m", "pegboard", *arguments, cwd=self.work, expect=expect)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of pegboard and its first plugins, by short name."""
    folder = tmp_path_factory.mktemp("wheels")
    sources = [REPOSITORY, *(REPOSITORY / "plugins" / f"pegboard-{name}" for name in PLUGINS)]
    pip("wheel", "--no-deps", "--wheel-dir", folder, *sources)
    found = {wheel.name.split("-")[0]: wheel for wheel in folder.iterdir()}
    return {name.removeprefix("pegboard_"): wheel for name, wheel in found.items()}


@pytest.fixture(scope="session")
def installed(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with pegboard and all that the plugins need, but no plugin."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, symlinks=True)
    environment = Environment(folder, folder)
    environment.install(*wheels.values())
    environment.uninstall(*(f"pegboard-{name}" for name in PLUGINS))
    return folder


@pytest.fixture(scope="session")
def serving_environment(
    installed: Path,
    wheels: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A virtual environment that can serve boards and watch, with pip."""
    folder = tmp_path_factory.mktemp("serving") / "venv"
    shutil.copytree(installed, folder, symlinks=True, copy_function=os.link)
    dist, python = folder.with_name("dist"), folder / "bin" / "python"
    pip("wheel", "--no-deps", "--wheel-dir", dist, REPOSITORY / "plugins" / "pegboard-mcp")
    pip("--python", python, "install", f"{wheels['pegboard']}[watch]", *dist.iterdir())
    subprocess.run([python, "-m", "ensurepip"], check=True, capture_output=True)
    return folder


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> Environment:
    """A virtual environment of the test's own, with pegboard and no plugin."""
    folder = tmp_path / "venv"
    shutil.copytree(installed, folder, symlinks=True, copy_function=os.link)
    work = tmp_path / "work"
    work.mkdir()
    return Environment(folder, work)


@pytest.fixture
def wheel_of(tmp_path: Path) -> Callable[..., Path]:
    """Make a wheel of one module and its entry point: `wheel_of("broken", "raise OSError")`."""

    def make(name: str, source: str) -> Path:
        info = f"pegboard_{name}-1.0.dist-info"
        members = {
            f"pegboard_{name}.py": source,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: pegboard-{name}\nVersion: 1.0\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/entry_points.txt": f"[pegboard]\n{name} = pegboard_{name}\n",
        }
        record = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"])
        wheel = tmp_path / f"pegboard_{name}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for member, text in {**members, f"{info}/RECORD": record}.items():
                archive.writestr(member, text)
        return wheel

    return make

"""Other people's programs: what `prepare.py` has installed, or nothing here is collected."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard.testing.distributions import Site
from pegboard_house import ORIGINAL
from pegboard_served import Served, served

collect_ignore_glob = [] if ORIGINAL.get("PEGBOARD_ECOSYSTEM") else ["*"]

CONFORMANCE = Path(__file__).parent / "pegboard_conformance"


@pytest.fixture(scope="session")
def prepared() -> Path:
    """The folder that `prepare.py` has filled."""
    return Path(ORIGINAL["PEGBOARD_ECOSYSTEM"]).absolute()


@pytest.fixture(scope="session")
def node(prepared: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """`node(command, *arguments, cwd=…)`: run a command of an npm package."""
    modules = prepared / "node" / "node_modules" / ".bin"
    path = f"{prepared / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(command: str, *arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
        words = [str(modules / command), *map(str, arguments)]
        environment = {**os.environ, "PATH": path, "MCP_INSPECTOR_SECRET_STORE": "memory"}
        return subprocess.run(
            words,
            env=environment,
            text=True,
            capture_output=True,
            timeout=120,
            check=False,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def conformance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A board with the tools of MCP's conformance suite, served."""
    folder = tmp_path_factory.mktemp("conformance")
    shutil.copytree(CONFORMANCE, folder / "site" / CONFORMANCE.name)
    Site(folder / "site").install(
        "pegboard-conformance", entry_points={"conformance": CONFORMANCE.name}
    )
    (folder / "pegboard.toml").write_text('only = ["conformance"]\n')
    with served(folder, PYTHONPATH=str(folder / "site")) as found:
        yield found

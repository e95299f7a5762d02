"""Real pip and edits under a command that watches: each thing is followed by a list."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard_watched import code
from pegboard_wheels import write_project, write_wheel

OFFLINE = ("install", "--no-index", "--no-deps")


def text(version: str) -> str:
    """A module whose only tool is described with its version."""
    return code(1, name="gauge").replace("Give the version", f"Version {version}")


@pytest.fixture
def sources(environment: Any) -> dict[str, Path]:
    """Two wheels of a plugin, and a project of it."""
    dist, project = environment.work / "dist", environment.work / "project"
    found = {
        version: write_wheel(
            dist, "gauge", version, files={"gauge.py": text(version)}, plugin="gauge = gauge"
        )
        for version in ("1.0", "2.0")
    }
    return {**found, "9.0": write_project(project, "gauge", "9.0", files={"gauge.py": text("9.0")})}


@pytest.fixture
def watch(environment: Any, wheels: dict[str, Path]) -> Iterator[Callable[[], list[str]]]:
    """What the next list of a command that watches describes."""
    environment.install(f"{wheels['pegboard']}[watch]")
    (environment.work / "pegboard.toml").write_text('only = ["gauge"]\n')
    command = [environment.python, "-m", "pegboard", "tools", "--json", "--watch"]
    with subprocess.Popen(
        command, cwd=environment.work, stdout=subprocess.PIPE, text=True
    ) as process:
        late = threading.Timer(200, process.kill)
        late.start()
        yield lambda: [each["description"] for each in json.loads(process.stdout.readline())]
        late.cancel()
        process.terminate()


def test_what_pip_and_edits_do_is_followed_by_a_list(
    environment: Any,
    sources: dict[str, Path],
    watch: Callable[[], list[str]],
    pip: Callable[..., None],
) -> None:
    module = sources["9.0"] / "src" / "gauge.py"
    to = ("--python", environment.python)
    seen = [watch()]
    for step in (
        lambda: pip(*to, *OFFLINE, sources["1.0"]),
        lambda: pip(*to, *OFFLINE, sources["2.0"]),
        lambda: pip(*to, *OFFLINE, "--no-build-isolation", "-e", sources["9.0"]),
        lambda: module.write_text(text("9.1")),
        lambda: pip(*to, "uninstall", "--yes", "gauge"),
    ):
        step()
        seen.append(watch())

    versions = ("1.0", "2.0", "9.0", "9.1")
    assert seen == [[], *([f"Version {each}."] for each in versions), []]


def test_without_the_extra_the_command_says_what_to_install(environment: Any) -> None:
    command = [environment.python, "-m", "pegboard", "tools", "--watch"]

    ran = subprocess.run(command, cwd=environment.work, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert "pip install 'pegboard[watch]'" in ran.stderr

"""`pegboard install` and `uninstall` with real pip and uv, in real environments."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pegboard_served import Served, served
from pegboard_watched import code
from pegboard_wheels import write_wheel

REPOSITORY = Path(__file__).parents[2]
OFFLINE = ("--", "--no-index", "--no-deps")
MARKED = "from pathlib import Path\nPath({mark!r}).touch()\n"
tools = pytest.mark.parametrize("using", ["pip", "uv"])


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


@pytest.fixture(scope="module")
def ready(
    installed: Path,
    wheels: dict[str, Path],
    pip: Callable[..., None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A virtual environment that can serve boards and watch, with pip."""
    folder = tmp_path_factory.mktemp("ready") / "venv"
    shutil.copytree(installed, folder, symlinks=True, copy_function=os.link)
    dist, python = folder.with_name("dist"), folder / "bin" / "python"
    pip("wheel", "--no-deps", "--wheel-dir", dist, REPOSITORY / "plugins" / "pegboard-mcp")
    pip("--python", python, "install", f"{wheels['pegboard']}[watch]", *dist.iterdir())
    subprocess.run([python, "-m", "ensurepip"], check=True, capture_output=True)
    return folder


@pytest.fixture
def desk(ready: Path, tmp_path: Path) -> Iterator[Desk]:
    """A desk, and a configuration with a control socket whose path is short enough."""
    shutil.copytree(ready, tmp_path / "venv", symlinks=True, copy_function=os.link)
    work, run = tmp_path / "work", Path(tempfile.mkdtemp(prefix="pb-"))
    work.mkdir()
    (work / "pegboard.toml").write_text(f'only = ["gauge"]\ncontrol = "{run}/s"\n')
    yield Desk(tmp_path / "venv", work)
    shutil.rmtree(run)


async def gauge(serving: Served) -> str:
    """What the tool gives to a client, or what the server says where it isn't there."""
    async with Client(serving.url) as client:
        try:
            result = await client.call_tool("gauge", {})
        except MCPError as error:
            return str(error)
        return "".join(each.text for each in result.content)  # type: ignore[union-attr]


def seen(serving: Served) -> str:
    """The same, for who doesn't wait."""
    return asyncio.run(gauge(serving))


@tools
def test_a_host_that_runs_takes_what_is_installed_and_lets_go_what_is_uninstalled(
    desk: Desk, using: str
) -> None:
    steps = (("install", desk.wheel("1")), ("install", desk.wheel("2")), ("uninstall", "gauge"))
    with desk.serving() as host:
        told = [
            each
            for what, name in steps
            for offline in [OFFLINE if what == "install" else ()]
            for ran in [desk.pegboard(what, name, "--using", using, *offline, anywhere=True)]
            for each in (ran.stdout, seen(host))
        ]

    assert told == [
        *("loaded: gauge\n", "1001"),
        *("reloaded: gauge\n", "1002"),
        *("unloaded: gauge\n", "Unknown tool: gauge"),
    ]


def test_a_host_that_follows_by_itself_is_told_of_too(desk: Desk) -> None:
    with desk.serving("--watch") as host:
        ran = desk.pegboard("install", desk.wheel("1"), *OFFLINE, anywhere=True)
        called = seen(host)

    assert (ran.stdout, called) == ("loaded: gauge\n", "1001")


@tools
def test_what_the_lock_file_does_not_accept_is_never_imported(desk: Desk, using: str) -> None:
    how, mark = ("--using", using), desk.work / "imported"
    desk.pegboard("install", desk.wheel("1"), *how, *OFFLINE)
    desk.lock()
    with desk.serving() as host:
        before = seen(host)
        newer = desk.wheel("2", before=MARKED.format(mark=str(mark)))
        ran = desk.pegboard("install", newer, *how, *OFFLINE, expect=1, anywhere=True)
        seen_after = seen(host)

    assert ran.stdout.startswith("quarantined: gauge: ")
    assert "accept it with `pegboard lock`" in ran.stdout
    assert (before, seen_after, mark.exists()) == ("1001", "1001", False)


def test_without_a_host_what_came_is_compared_and_the_next_start_sees_it(desk: Desk) -> None:
    mark = desk.work / "imported"
    first = desk.pegboard("install", desk.wheel("1"), *OFFLINE)
    desk.lock()
    newer = desk.wheel("2", before=MARKED.format(mark=str(mark)))
    second = desk.pegboard("install", "--json", newer, *OFFLINE, expect=1)
    third = desk.pegboard("uninstall", "gauge")

    assert first.stdout == "new: gauge\n"
    assert first.stderr.endswith("pegboard: no host answers; the next start will see it\n")
    assert list(json.loads(second.stdout)["quarantined"]) == ["gauge"]
    assert (mark.exists(), third.stdout) == (False, "gone: gauge\n")


def test_what_can_not_be_installed_is_said_and_changes_nothing(desk: Desk) -> None:
    broken = desk.work / "broken-1.0-py3-none-any.whl"
    broken.write_text("no wheel")

    ran = desk.pegboard("install", broken, *OFFLINE, expect=1)

    assert ran.stderr.endswith("; nothing was loaded or unloaded\n")


def test_where_nothing_can_install_the_way_out_is_said(desk: Desk) -> None:
    shutil.rmtree(next(desk.environment.glob("lib/python*/site-packages/pip")))

    said = [
        desk.pegboard("install", "gauge", *words, path="/nowhere", expect=2).stderr
        for words in ((), ("--using", "pip"), ("--using", "uv"))
    ]

    wanted = ("there is neither pip in the environment of ", "pip isn't in the environment of ")
    for text, each in zip((*wanted, "there is no uv on PATH"), said, strict=True):
        assert text in each

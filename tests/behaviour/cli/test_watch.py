"""`--watch` in a process of its own: the same again after each change, until it is stopped."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard.testing import Site
from pegboard_deferred import GREET, install

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A folder of distributions with `greet` in it."""
    site = Site(tmp_path / "site")
    site.path.mkdir()
    install(site)
    return site


@pytest.fixture
def start(tmp_path: Path, site: Site) -> Iterator[Start]:
    """Start the command beside the test; what still runs in the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> "subprocess.Popen[str]":
        begun = subprocess.Popen(
            [sys.executable, "-m", "pegboard", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(begun)
        return begun

    yield begin
    for each in started:
        if each.poll() is None:
            each.kill()
        each.communicate()


def listed(process: "subprocess.Popen[str]") -> list[str]:
    """The names of `greet`'s tools in the next listing."""
    assert process.stdout is not None
    told: list[dict[str, Any]] = json.loads(process.stdout.readline())
    return [each["name"] for each in told if each["plugin"] == "greet"]


@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "Ctrl-C"]
)
def test_tools_are_listed_again_after_each_change_until_it_is_stopped(
    site: Site, start: Start, stop: signal.Signals, status: int
) -> None:
    process = start("tools", "--watch", "--json")

    first = listed(process)
    install(site, code=GREET.replace("def leave", "def part"), version="2.0")
    second = listed(process)
    process.send_signal(stop)
    _, messages = process.communicate(timeout=60)

    assert (first, second) == (["greet", "leave"], ["greet", "part"])
    assert process.returncode == status
    assert "reloaded 'greet'" in messages
    assert "Traceback" not in messages


def test_a_call_is_made_again_after_each_change(site: Site, start: Start) -> None:
    process = start("call", "leave", "--watch", "--json")
    assert process.stdout is not None

    first = json.loads(process.stdout.readline())
    install(site, code=GREET.replace('"bye"', '"so long"'), version="2.0")
    second = json.loads(process.stdout.readline())

    assert (first["value"], second["value"]) == ("bye", "so long")


def test_a_mistake_is_told_and_the_old_code_goes_on(site: Site, start: Start) -> None:
    process = start("call", "leave", "--watch", "--json")
    assert process.stdout is not None
    assert process.stderr is not None

    process.stdout.readline()
    install(site, code="x = y\n", version="2.0")
    message = process.stderr.readline()
    install(site, code=GREET, version="3.0")
    again = json.loads(process.stdout.readline())

    assert "name 'y' is not defined" in message
    assert again["value"] == "bye"

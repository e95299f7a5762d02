"""Probes of `pegboard serve --http`: they are answered from before any plugin is loaded."""

import signal
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pegboard.testing import Site
from pegboard_stopped import Start, probed, starting, until, url_of

LATE = """
import time
from pathlib import Path
from pegboard import tool

Path("began").touch()
while not Path("go").exists():
    time.sleep(0.02)

@tool
def late() -> str:
    "Be late."
    return "late"
"""


@pytest.fixture
def start(bare: Any) -> Iterator[Start]:
    """Serve a plugin whose import waits for a file."""
    bare.install("late", LATE)
    with starting(bare) as begin:
        yield begin


def free_port() -> int:
    """A port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def statuses(url: str) -> list[int]:
    """What both probes get."""
    return [probed(url, path)[0] for path in ("/healthz", "/readyz")]


def answered(url: str) -> list[int]:
    """The same, as soon as anybody answers."""
    for _ in range(500):
        try:
            return statuses(url)
        except ConnectionError:
            time.sleep(0.02)
    raise AssertionError("nobody answers")


def test_while_plugins_are_loaded_it_is_well_and_not_ready(bare: Any, start: Start) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    process = start("--http", url.rpartition(":")[2], only='["late"]')
    until(bare.work / "began", process)
    before = answered(url)
    bare.write("go", "")
    url_of(process)

    assert (before, statuses(url)) == ([200, 503], [200, 200])


def test_without_a_required_plugin_it_is_well_and_not_ready(bare: Any, start: Start) -> None:
    bare.write("go", "")
    process = start("--http", "0", only='["late"]', more='required = ["late"]\n')
    url = url_of(process)
    before = statuses(url)
    Site(bare.site).uninstall("pegboard-late")
    process.send_signal(signal.SIGHUP)
    while "unloaded 'late'" not in process.stderr.readline():
        pass

    assert (before, statuses(url)) == ([200, 200], [200, 503])

"""SIGHUP while a board is served: the configuration is read again, and what comes of it is told."""

import os
import pty
import signal
import termios
from collections.abc import Iterator
from fcntl import ioctl
from typing import Any

import pytest
from pegboard_stopped import SLOW, Start, starting, url_of

KEPT = "pegboard: nothing has changed; what held before goes on\n"
watches = pytest.mark.parametrize("words", [(), ("--watch",)], ids=["plain", "watch"])


@pytest.fixture
def start(bare: Any) -> Iterator[Start]:
    """Serve `wait` and `stick`, with the configuration that is given."""
    bare.install("slow", SLOW)
    with starting(bare) as begin:
        yield begin


def told(process: Any, expects: str) -> str:
    """The next message that holds a text."""
    for line in process.stderr:
        if expects in line:
            return str(line)
    raise AssertionError(f"{expects!r} isn't said")


def test_what_has_changed_is_told_with_its_line(bare: Any, start: Start) -> None:
    process = start("--http", "0")
    url_of(process)
    bare.write("pegboard.toml", 'only = ["slow"]\nclose_grace = 3\nstop_grace = 0.5\n')
    process.send_signal(signal.SIGHUP)

    line = told(process, "close_grace")

    assert line == "pegboard: pegboard.toml:2: close_grace: 10.0 -> 3.0\n"


def test_plugins_that_go_are_told(bare: Any, start: Start) -> None:
    process = start("--http", "0")
    url_of(process)
    bare.write("pegboard.toml", "only = []\n")
    process.send_signal(signal.SIGHUP)

    assert told(process, "unloaded") == "pegboard: unloaded 'slow'\n"


def test_where_nothing_has_changed_that_is_said(start: Start) -> None:
    process = start("--http", "0")
    url_of(process)
    process.send_signal(signal.SIGHUP)

    assert process.stderr.readline() == "pegboard: nothing has changed\n"


@watches
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('only = ["slow"]\nclose_grace = "x"\n', "pegboard.toml:2: "),
        ('only = ["slow"\n', "pegboard.toml"),
        (None, "pegboard.toml"),
    ],
    ids=["wrong", "broken", "missing"],
)
def test_a_broken_configuration_is_told_with_its_line_and_changes_nothing(
    bare: Any, start: Start, words: tuple[str, ...], text: str | None, said: str
) -> None:
    process = start("--http", "0", *words)
    url_of(process)
    bare.write("new.toml", text or "")
    (bare.work / "new.toml").rename(bare.work / "pegboard.toml")
    if text is None:
        (bare.work / "pegboard.toml").unlink()
    process.send_signal(signal.SIGHUP)

    mistake, kept = told(process, said), told(process, KEPT.strip())
    process.send_signal(signal.SIGTERM)

    assert (said in mistake, kept, process.wait(30)) == (True, KEPT, 0)


@watches
def test_a_configuration_that_is_whole_again_is_followed(
    bare: Any, start: Start, words: tuple[str, ...]
) -> None:
    process = start("--http", "0", *words)
    url_of(process)
    path = bare.write("pegboard.toml", "only = [\n")
    process.send_signal(signal.SIGHUP)
    told(process, KEPT.strip())
    whole = bare.write("new.toml", "only = []\n")
    whole.rename(path)
    process.send_signal(signal.SIGHUP)

    assert "unloaded 'slow'" in told(process, "unloaded")


def test_a_terminal_that_is_closed_ends_what_was_started_there(bare: Any, start: Start) -> None:
    ours, theirs = pty.openpty()
    process = start(
        "--http",
        "0",
        stdin=theirs,
        start_new_session=True,
        preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    url_of(process)
    os.close(ours)

    assert process.wait(30) == 0


def test_a_configuration_that_comes_later_is_read(bare: Any, start: Start) -> None:
    process = start("--http", "0")
    (bare.work / "pegboard.toml").unlink()
    url_of(process)
    bare.write("pegboard.toml", "only = []\n")
    process.send_signal(signal.SIGHUP)

    assert "'slow'" in told(process, "unloaded")

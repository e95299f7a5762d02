"""`top` shows what a host is doing, until it is stopped."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pegboard_ctl import HOST, Running, running_host

LOOKING = """
        async def look():
            while True:
                await two.call("look", {})
                await asyncio.sleep(0.01)
        looking = asyncio.ensure_future(look())
"""
BUSY = HOST.replace('        print("ready"', f'{LOOKING}        print("ready"')


@pytest.fixture
def host(bare: Any) -> Iterator[Running]:
    """A host that runs, and calls again and again."""
    with running_host(bare, script=BUSY) as running:
        yield running


@pytest.fixture
def top(host: Running) -> Iterator["subprocess.Popen[str]"]:
    """The command beside the host, printing JSON."""
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with host.desk.start("top", "--interval", "0.2", "--json", **pipes) as process:
        yield process
        process.kill()


def look(process: "subprocess.Popen[str]") -> Any:
    """What it prints next."""
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def test_each_look_is_one_object_with_figures_calls_plugins_and_rates(
    top: "subprocess.Popen[str]",
) -> None:
    first, second = look(top), look(top)

    assert first["rate"] is None
    assert second["rate"]["calls"] > 1
    assert second["rate"]["tools"]["look"] > 1
    assert (second["status"]["boards"], second["error"]) == (2, None)
    assert {each["call_id"] for each in second["running"]} >= {"\x1b[2Jlong", "short"}
    assert "patient" in {each["name"] for each in second["plugins"]}


def test_it_goes_on_when_the_host_is_started_again(
    host: Running, top: "subprocess.Popen[str]"
) -> None:
    look(top)
    host.end()
    looks = iter(lambda: look(top), None)
    gone = next(each for each in looks if "no socket" in str(each["error"]))
    with running_host(host.desk, script=BUSY, folder=host.socket.parents[1]):
        back = next(each for each in looks if each["status"])

    assert (gone["status"], back["rate"]) == (None, None)
    assert back["status"]["pid"] != host.process.pid


@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["SIGTERM", "Ctrl-C"]
)
def test_it_ends_without_a_word_when_it_is_stopped(
    top: "subprocess.Popen[str]", stop: signal.Signals, status: int
) -> None:
    look(top)

    top.send_signal(stop)

    assert top.communicate(timeout=30)[1] == ""
    assert top.returncode == status


def test_looks_are_lines_where_nobody_has_a_terminal(host: Running) -> None:
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with host.desk.start("top", "--interval", "0.2", **pipes) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(12)]
        process.kill()

    text = "".join(lines)
    assert f"pid {host.process.pid}  " in lines[0]
    assert lines[1].startswith("calls ")
    assert "\ntool  " in text
    assert "\\x1b[2Jlong" in text


def test_a_terminal_shows_it_on_a_screen_that_is_gone_afterwards(host: Running) -> None:
    ours, theirs = os.openpty()
    with host.desk.start("top", "--interval", "0.2", stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        late = threading.Timer(30, process.kill)
        late.start()
        shown = b""
        while shown.count(b"patient") < 2:
            shown += os.read(ours, 65536)
        process.send_signal(signal.SIGINT)
        with suppress(OSError):
            while more := os.read(ours, 65536):
                shown += more
        late.cancel()
    os.close(ours)

    assert process.returncode == 130
    assert shown.startswith(b"\x1b[?1049h")
    assert shown.rstrip().endswith((b"\x1b[?1049l\x1b[?25h", b"\x1b[?25h\x1b[?1049l"))
    assert b"\x1b[2Jlong" not in shown


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "inf", "0.01"])
def test_an_interval_that_is_none_is_refused(bare: Any, interval: str) -> None:
    ran = bare.answer("top", "--interval", interval)

    assert (ran.status, ran.out) == (2, "")
    assert "--interval" in ran.err

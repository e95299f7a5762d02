"""A host without async that nobody closes keeps no program from ending."""

import gc
import threading
import time
from pathlib import Path

import pytest
from pegboard import HostClosedError
from pegboard.blocking import Host
from pegboard_blocking import echo, run_program

OPENED = """
import os, sys, threading
from contextlib import asynccontextmanager
from pegboard import Config, hookimpl, tool
from pegboard.blocking import Host

class Plugin:
    @hookimpl
    def pegboard_tools(self):
        return [echo]

    @hookimpl
    @asynccontextmanager
    async def pegboard_lifespan(self, plugin):
        yield
        print("unloaded")

@tool
async def echo(value: str) -> str:
    "Echo one value."
    return value

@tool
def hang() -> None:
    "Never end."
    threading.Event().wait()

host = Host(Config(stop_grace=0.5), discover=False).open()
host.load(Plugin(), name="plugin")
board = host.board("b")
board.register(hang)
print(board.call("echo", {"value": "Pi"}).unwrap())
"""


def test_a_host_that_is_open_at_the_end_is_closed(tmp_path: Path) -> None:
    ended = run_program(OPENED, tmp_path)

    assert (ended.code, ended.printed) == (0, "Pi\nunloaded\n")


def test_a_program_that_raises_ends_in_the_same_way(tmp_path: Path) -> None:
    ended = run_program(OPENED + "sys.exit('no more')", tmp_path)

    assert (ended.code, ended.printed) == (1, "Pi\nno more\nunloaded\n")


def test_a_call_that_never_ends_keeps_no_program_from_ending(tmp_path: Path) -> None:
    calling = "threading.Thread(target=board.call, args=('hang',), daemon=True).start()\n"

    ended = run_program(OPENED + calling, tmp_path)

    assert ended.code == 0
    assert ended.printed.startswith("Pi\n")


def test_a_host_that_is_forgotten_is_closed(tmp_path: Path) -> None:
    forgetting = "del host, board; import time; time.sleep(0.3); print(threading.enumerate())"

    ended = run_program(OPENED + forgetting, tmp_path)

    assert ended.printed.splitlines()[:2] == ["Pi", "unloaded"]
    assert "pegboard-loop" not in ended.printed


def test_the_thread_of_a_host_that_is_forgotten_ends() -> None:
    host = Host(discover=False).open()
    host.register(echo)
    board = host.board("b")

    del host
    gc.collect()
    assert board.call("echo", {"value": "Pi"}).unwrap() == "Pi"
    del board
    gc.collect()

    assert await_no_loop()


def await_no_loop() -> bool:
    """Whether the threads of loops end soon."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if "pegboard-loop" not in [each.name for each in threading.enumerate()]:
            return True
        time.sleep(0.01)
    return False


def test_a_host_that_was_closed_leaves_no_thread() -> None:
    for _ in range(3):
        with Host(discover=False) as host:
            host.register(echo)
            host.board("b").call("echo", {"value": "Pi"})

        assert "pegboard-loop" not in [each.name for each in threading.enumerate()]


def test_a_forked_process_is_told_to_make_a_host_of_its_own(tmp_path: Path) -> None:
    forking = """
if os.fork() == 0:
    for use in (lambda: board.call("echo", {"value": "Pi"}), lambda: board.tools, host.open):
        try:
            use()
        except Exception as error:
            print(type(error).__name__, str(error).partition("process ")[0])
    print(host.close(), board.close().unloaded)
    with Host(discover=False) as own:
        own.register(echo)
        print(own.board("b").call("echo", {"value": "in the fork"}).unwrap())
    sys.exit()
os.wait()
"""

    ended = run_program(OPENED + forking, tmp_path)

    told = "HostClosedError the loop of this host runs in "
    assert ended.printed.splitlines() == ["Pi", *[told] * 3, "[] ()", "in the fork", "unloaded"]


def test_a_host_that_was_closed_while_others_wait_tells_them() -> None:
    host = Host(discover=False).open()
    board = host.board("b")
    host.close()

    with pytest.raises(HostClosedError):
        board.call("echo")

"""Ctrl-C while a host without async is waited for: what is awaited is cancelled, nothing hangs."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pegboard import Config, PegboardError, RunContext, ToolCall, hookimpl, tool
from pegboard.blocking import Board, Host
from pegboard_blocking import Gate, echo, pressed_ctrl_c, run_program, wait

PROGRAM = """
import asyncio, sys
from pegboard import tool
from pegboard.blocking import Host

@tool
async def linger() -> None:
    "Take long."
    print("begun")
    try:
        await asyncio.sleep(60)
    finally:
        print("stopped")

with Host(discover=False) as host:
    host.register(linger)
    host.board("b").call("linger")
    print("never")
"""


@pytest.fixture
def host() -> Iterator[Host]:
    """An open host with a few tools."""
    with Host(Config(stop_grace=0.3), discover=False) as host:
        host.register(echo)
        host.register(wait)
        yield host


@pytest.fixture
def board(host: Host) -> Board:
    """A board of it."""
    return host.board("b")


def test_a_call_is_cancelled_and_ended_before_the_interrupt_is_raised(board: Board) -> None:
    gate, seen = Gate(), []
    board.hook(call_finished=lambda outcome: seen.append(outcome.code))

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(gate.begun):
        board.call("wait", deps=gate)

    assert gate.stopped.is_set()
    assert (seen, board.running) == (["aborted"], ())
    assert board.call("echo", {"value": "Pi"}).unwrap() == "Pi"


def test_every_call_of_a_batch_is_cancelled(board: Board) -> None:
    gate = Gate()

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(gate.begun):
        board.run([ToolCall(each, "wait") for each in "abc"], deps=gate)

    assert board.running == ()


def test_a_body_that_doesn_t_stop_holds_nobody_longer_than_the_grace(board: Board) -> None:
    gate = Gate()

    def hang() -> None:
        """Wait in a thread."""
        gate.begun.set()
        gate.go.wait(20)

    board.register(tool(hang))
    started = time.monotonic()

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(gate.begun):
        board.call("hang")

    assert time.monotonic() - started < 5
    assert [each.abandoned for each in board.running] == [True]
    gate.go.set()


def test_calls_of_other_threads_go_on(board: Board) -> None:
    mine, other, outcomes = Gate(), Gate(), []
    thread = threading.Thread(target=lambda: outcomes.append(board.call("wait", deps=other)))
    thread.start()
    other.begun.wait(10)

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(mine.begun):
        board.call("wait", deps=mine)
    assert not other.stopped.is_set()
    board.cancel("enough")
    thread.join()

    assert [each.message for each in outcomes] == ["enough"]


def test_a_plugin_that_loads_is_taken_back(host: Host) -> None:
    begun = threading.Event()

    class Slow:
        @hookimpl
        @asynccontextmanager
        async def pegboard_lifespan(self) -> AsyncIterator[None]:
            begun.set()
            await asyncio.sleep(60)
            yield

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(begun):
        host.load(Slow(), name="slow")

    assert host.plugins["slow"].state != "loaded"


def test_a_board_that_is_being_left_is_left(host: Host) -> None:
    leaving, has_left = threading.Event(), threading.Event()

    class Slow:
        @hookimpl
        @asynccontextmanager
        async def pegboard_board(self) -> AsyncIterator[None]:
            yield
            leaving.set()
            await asyncio.sleep(0.2)
            has_left.set()

    host.load(Slow())

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(leaving), host.board("left"):
        pass

    assert has_left.is_set()
    assert "left" not in host.boards


def test_an_interrupt_while_progress_is_told_cancels_the_call(board: Board) -> None:
    gate = Gate()

    def on_progress(_: object) -> None:
        raise KeyboardInterrupt

    async def tell(context: RunContext) -> None:
        """Report, and wait."""
        context.report(1)
        try:
            await asyncio.sleep(60)
        finally:
            gate.stopped.set()

    board.register(tool(tell))

    with pytest.raises(KeyboardInterrupt):
        board.call("tell", on_progress=on_progress)

    assert gate.stopped.is_set()


def test_a_hook_that_holds_the_loop_up_holds_nobody_for_ever(board: Board, host: Host) -> None:
    gate = Gate()

    def hold(_: object) -> None:
        gate.begun.set()
        gate.go.wait(20)

    board.guard(hold)

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(gate.begun):
        board.call("echo", {"value": "Pi"})
    with pytest.raises(PegboardError, match=r"the loop of the host is held up by 'wait' at .*"):
        host.close()
    gate.go.set()
    assert host.close() == []


def test_a_program_ends_once_what_runs_has_stopped(tmp_path: Path) -> None:
    ended = run_program(PROGRAM, tmp_path, interrupted_at="begun")

    lines = ended.printed.splitlines()
    assert lines[:2] == ["begun", "stopped"]
    assert lines[-1] == "KeyboardInterrupt"
    assert "never" not in lines
    assert ended.code in {-2, 130}


def test_a_program_whose_hook_asks_in_the_terminal_ends(tmp_path: Path) -> None:
    held = PROGRAM.replace(
        "    host.register(linger)",
        "    host.register(linger)\n"
        "    host.guard(lambda _: print('asking') or __import__('time').sleep(60))",
    ).replace("discover=False", "config, discover=False")
    held = held.replace(
        "\n@tool", "\nfrom pegboard import Config\nconfig = Config(stop_grace=0.2)\n@tool"
    )

    ended = run_program(held, tmp_path, interrupted_at="asking")

    assert "KeyboardInterrupt" in ended.printed
    assert "the host could not be closed: the loop of the host is held up by" in ended.printed
    assert ended.code in {-2, 130}

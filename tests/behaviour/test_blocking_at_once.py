"""Many threads do everything at once, and hosts go meanwhile: nothing hangs or is lost."""

import gc
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from pegboard import (
    Config,
    Outcome,
    PegboardError,
    Signal,
    ToolCall,
    hookimpl,
    tool,
)
from pegboard.blocking import Board, Host
from pegboard_blocking import Gate, echo, pressed_ctrl_c, shout, wait

CALLS = [ToolCall(each, "echo", {"value": each}) for each in "abc"]
THREADS = 6


@pytest.fixture
def host() -> Iterator[Host]:
    """An open host with a few tools."""
    with Host(Config(stop_grace=0.5), discover=False) as host:
        for each in (echo, shout, wait):
            host.register(each)
        yield host


class Plugin:
    """A plugin with one tool of its own."""

    def __init__(self, number: int) -> None:
        self.name = f"own_{number}"

    @hookimpl
    def pegboard_tools(self) -> list[object]:
        """Give the tool."""

        async def own() -> str:
            """Give the name."""
            return self.name

        return [tool(own, name=self.name)]


def call(host: Host, _: int) -> list[Outcome]:
    return [host.board("shared").call(each, {"value": "Pi"}) for each in ("echo", "shout")]


def run(host: Host, _: int) -> list[Outcome]:
    return host.board("shared").run(CALLS)


def break_off(host: Host, _: int) -> list[Outcome]:
    for outcome in host.board("shared").stream(CALLS):
        return [outcome]
    return []


def load(host: Host, number: int) -> list[Outcome]:
    name = f"plugin-{number}"
    host.load(Plugin(number), name=name)
    outcome = host.board("shared").call(f"own_{number}")
    host.unload(name)
    return [outcome]


def enter(host: Host, _: int) -> list[Outcome]:
    with host.board("entered") as board:
        return [board.call("echo", {"value": "Pi"})]


def restrict(host: Host, _: int) -> list[Outcome]:
    with host.board() as board, board.restrict(deny=["echo"]):
        assert board.call("echo", {"value": "Pi"}).is_error
        return board.run([ToolCall("1", "shout", {"value": "Pi"})])


def cancel(host: Host, _: int) -> list[Outcome]:
    signal, gate = Signal(), Gate()
    threading.Thread(target=lambda: gate.begun.wait(10) and signal.cancel()).start()
    try:
        assert host.board("shared").call("wait", signal=signal, deps=gate).is_error
    finally:
        gate.begun.set()
    return []


def read(host: Host, _: int) -> list[Outcome]:
    board = host.board("shared")
    assert board.definitions()
    assert {*host.boards, *host.plugins}
    assert isinstance(host.running, tuple)
    return []


ACTIONS: list[Callable[[Host, int], list[Outcome]]] = [
    call,
    run,
    break_off,
    load,
    enter,
    restrict,
    cancel,
    read,
]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_threads_do_at_once_each_of_it_works(host: Host, seed: int) -> None:
    def act(number: int) -> list[Outcome]:
        dice = random.Random(seed * THREADS + number)
        return [each for _ in range(40) for each in dice.choice(ACTIONS)(host, number)]

    with ThreadPoolExecutor(THREADS) as pool:
        outcomes = [each for some in pool.map(act, range(THREADS)) for each in some]

    assert [each for each in outcomes if each.is_error] == []
    assert (host.running, [*host.boards]) == ((), ["shared"])


@pytest.mark.parametrize("seed", range(6))
def test_a_host_that_several_close_meanwhile_is_closed_for_all(seed: int) -> None:
    dice, closing = random.Random(seed), threading.Event()
    host = Host(Config(stop_grace=0.5), discover=False).open()
    for each in (echo, shout, wait):
        host.register(each)

    def act(number: int) -> None:
        with suppress(PegboardError):
            while True:
                dice.choice(ACTIONS)(host, number)

    def close() -> None:
        closing.wait(10)
        host.close(grace=0.05)

    with ThreadPoolExecutor(THREADS + 2) as pool:
        acting = [pool.submit(act, number) for number in range(THREADS)]
        ended = [*acting, pool.submit(close), pool.submit(close)]
        threading.Timer(dice.uniform(0, 0.1), closing.set).start()
        assert [each.result(20) for each in ended] == [None] * len(ended)

    assert host.running == ()


def test_many_interrupts_leave_a_host_that_works(host: Host) -> None:
    board = host.board("b")

    for _ in range(20):
        gate = Gate()
        with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(gate.begun):
            board.run([ToolCall(each, "wait") for each in "ab"], deps=gate)

    assert board.running == ()
    assert board.call("echo", {"value": "Pi"}).unwrap() == "Pi"


def failing(host: Host, board: Board) -> dict[str, Callable[[], Any]]:
    """What raises, waited for and not."""
    return {
        "a function": lambda: host.register(echo),
        "what is awaited": lambda: host.unload("nothing"),
        "a call": lambda: board.call("nothing").unwrap(),
    }


@pytest.mark.parametrize("what", ["a function", "what is awaited", "a call"])
def test_what_is_raised_leaves_nothing_to_the_collector(host: Host, what: str) -> None:
    act = failing(host, host.board("b"))[what]

    def collected(times: int) -> int:
        for _ in range(times):
            with suppress(PegboardError):
                act()
        return gc.collect()

    collected(1)
    gc.disable()
    try:
        assert min(collected(50) for _ in range(3)) < 50
    finally:
        gc.enable()

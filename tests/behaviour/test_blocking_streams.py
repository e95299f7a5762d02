"""What is iterated without async goes on while nobody waits, and ends when nobody will."""

import gc
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from pegboard import Config, HostClosedError, Progress, Signal, ToolCall
from pegboard.blocking import Board, Host
from pegboard_blocking import Gate, echo, pressed_ctrl_c, steps, wait

CALLS = [ToolCall("1", "echo", {"value": "Pi"}), ToolCall("2", "wait"), ToolCall("3", "wait")]


@pytest.fixture
def host() -> Iterator[Host]:
    """An open host with a few tools."""
    with Host(Config(stop_grace=0.5), discover=False) as host:
        for each in (echo, steps, wait):
            host.register(each)
        yield host


@pytest.fixture
def board(host: Host) -> Board:
    """A board of it."""
    return host.board("b")


def test_an_outcome_comes_as_soon_as_its_turn_has(board: Board) -> None:
    gate, signal = Gate(), Signal()
    outcomes = board.stream(CALLS, deps=gate, signal=signal)

    assert next(outcomes).unwrap() == "Pi"
    signal.cancel("enough")
    assert [each.is_error for each in outcomes] == [True, True]
    assert list(outcomes) == []


def test_closing_a_stream_stops_what_runs_before_it_returns(board: Board) -> None:
    gate = Gate()

    with closing(board.stream(CALLS, deps=gate)) as outcomes:
        next(outcomes)
        gate.begun.wait(10)

    assert gate.stopped.is_set()
    assert board.running == ()
    assert list(outcomes) == []


def test_a_break_stops_what_runs_soon(board: Board) -> None:
    gate = Gate()

    for _ in board.stream(CALLS, deps=gate):
        gate.begun.wait(10)
        break

    assert gate.stopped.wait(10)


def test_a_stream_that_is_forgotten_in_a_cycle_stops_what_runs_soon(board: Board) -> None:
    gate = Gate()
    kept: list[object] = [board.stream(CALLS, deps=gate)]
    next(kept[0])  # type: ignore[call-overload]
    kept.append(kept)
    gate.begun.wait(10)

    del kept
    gc.collect()

    assert gate.stopped.wait(10)


def test_an_exception_thrown_into_a_stream_ends_it(board: Board) -> None:
    gate = Gate()
    outcomes = board.stream(CALLS, deps=gate)
    next(outcomes)

    with pytest.raises(LookupError):
        outcomes.throw(LookupError())

    assert board.running == ()
    assert list(outcomes) == []


def test_a_stream_that_nobody_reads_never_begins(board: Board) -> None:
    gate = Gate()

    board.stream(CALLS, deps=gate).close()
    outcomes = board.stream(CALLS, deps=gate)
    del outcomes

    assert not gate.begun.is_set()


def test_ctrl_c_while_the_next_is_waited_for_ends_a_stream(board: Board) -> None:
    gate = Gate()
    outcomes = board.stream(CALLS, deps=gate)
    next(outcomes)

    with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(gate.begun):
        next(outcomes)

    assert gate.stopped.is_set()
    assert list(outcomes) == []


def test_a_stream_ends_with_its_host(host: Host, board: Board) -> None:
    gate = Gate()
    outcomes = board.stream(CALLS, deps=gate)
    next(outcomes)

    host.close(grace=0)

    assert gate.stopped.is_set()
    with pytest.raises(HostClosedError):
        next(outcomes)
    outcomes.close()


def test_a_reader_that_waits_while_the_host_is_closed_goes_on(host: Host, board: Board) -> None:
    gate = Gate()
    outcomes: list[object] = []

    def read() -> None:
        outcomes.extend(board.stream(CALLS, deps=gate))

    reading = threading.Thread(target=read)
    reading.start()
    gate.begun.wait(10)
    host.close(grace=0)
    reading.join(10)

    assert not reading.is_alive()
    assert len(outcomes) == 3


def test_what_happened_while_nobody_waited_is_told_with_the_next(board: Board) -> None:
    calls = [ToolCall(each, "steps", {"count": 1}) for each in "ab"]
    events = list(board.events(calls))

    assert [each.call_id for each in events if isinstance(each, Progress)] == ["a", "b"]


def test_a_batch_goes_on_while_its_reader_does_something_else(board: Board) -> None:
    gate = Gate()
    outcomes = board.stream(CALLS, deps=gate)

    next(outcomes)

    assert gate.begun.wait(10)
    outcomes.close()

"""One thread reads a stream; any may close it, and nothing of it is lost in silence."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pegboard import Config, Failure, PegboardError, RunContext, ToolCall, tool
from pegboard.blocking import Board, Host
from pegboard_blocking import Gate, echo, steps, wait

CALLS = [ToolCall("1", "echo", {"value": "Pi"}), ToolCall("2", "wait"), ToolCall("3", "wait")]
WAITED_FOR = "what comes next is waited for already"


@tool
def held(context: RunContext) -> str:
    """Wait in a thread until it may go on."""
    context.deps.begun.set()
    assert context.deps.go.wait(10)
    return "held"


@pytest.fixture
def host() -> Iterator[Host]:
    """An open host with a few tools."""
    with Host(Config(stop_grace=0.5), discover=False) as host:
        for each in (echo, held, steps, wait):
            host.register(each)
        yield host


@pytest.fixture
def board(host: Host) -> Board:
    """A board of it."""
    return host.board("b")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Other threads."""
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.mark.parametrize("is_told", [True, False])
def test_a_second_thread_that_reads_is_refused_and_disturbs_nobody(
    board: Board, pool: ThreadPoolExecutor, is_told: bool
) -> None:
    gate, hear = Gate(), (lambda progress: None) if is_told else None
    calls = [CALLS[0], ToolCall("2", "held")]
    outcomes = board.stream(calls, deps=gate, on_progress=hear)
    reading = pool.submit(list, outcomes)
    gate.begun.wait(10)

    with pytest.raises(PegboardError, match=WAITED_FOR):
        next(outcomes)
    gate.go.set()

    assert [each.unwrap() for each in reading.result(10)] == ["Pi", "held"]
    assert list(outcomes) == []


def test_threads_that_take_turns_read_every_outcome(board: Board) -> None:
    calls = [ToolCall(str(number), "echo", {"value": "Pi"}) for number in range(4)]
    outcomes = board.stream(calls)

    found = []
    for _ in calls:
        with ThreadPoolExecutor(1) as pool:
            found.append(pool.submit(next, outcomes).result(10).call_id)

    assert found == ["0", "1", "2", "3"]


def test_a_stop_button_ends_what_another_thread_reads(
    board: Board, pool: ThreadPoolExecutor
) -> None:
    gate = Gate()
    outcomes = board.stream(CALLS, deps=gate)
    assert next(outcomes).unwrap() == "Pi"
    reading = pool.submit(list, outcomes)
    gate.begun.wait(10)
    time.sleep(0.05)

    outcomes.close()

    assert gate.stopped.is_set()
    assert board.running == ()
    assert reading.result(10) == []


def test_many_may_close_at_once(board: Board, pool: ThreadPoolExecutor) -> None:
    gate = Gate()
    events = board.events(CALLS, deps=gate)
    reading = pool.submit(list, events)
    gate.begun.wait(10)

    closing = [pool.submit(events.close) for _ in range(6)]

    assert [each.result(10) for each in closing] == [None] * 6
    assert not any(isinstance(each, Failure) for each in reading.result(10))
    assert board.running == ()


def test_a_stream_may_be_closed_and_not_read_while_progress_is_told(board: Board) -> None:
    refused: list[str] = []

    def hear(_: Any) -> None:
        with pytest.raises(PegboardError, match=WAITED_FOR):
            next(outcomes)
        refused.append("once")
        outcomes.close()

    outcomes = board.stream([ToolCall("1", "steps", {"count": 1}), CALLS[0]], on_progress=hear)

    assert len(list(outcomes)) <= 1
    assert refused == ["once"]
    assert list(outcomes) == []


def test_a_stream_that_was_closed_has_ended_though_its_host_is_closed_too(
    host: Host, board: Board
) -> None:
    outcomes = board.stream(CALLS, deps=Gate())
    next(outcomes)

    outcomes.close()
    host.close()

    assert list(outcomes) == []
    outcomes.close()


def test_an_error_of_the_waiting_does_not_end_a_stream(host: Host, board: Board) -> None:
    outcomes = board.stream([CALLS[0]])

    async def early() -> None:
        """Read on the loop, which can't wait for itself."""
        next(outcomes)

    board.register(tool(early))
    refused = board.call("early")

    assert refused.message.startswith("this would hold up the loop")
    assert [each.unwrap() for each in outcomes] == ["Pi"]


def test_closing_at_any_moment_leaves_nothing_that_runs_or_waits(
    board: Board, pool: ThreadPoolExecutor
) -> None:
    calls = [ToolCall(str(number), "echo", {"value": "Pi"}) for number in range(5)]
    for moment in range(60):
        outcomes = board.stream(calls)
        reading = pool.submit(list, outcomes)
        time.sleep(moment / 30_000)
        outcomes.close()

        read = [each.call_id for each in reading.result(10)]
        assert read == [each.id for each in calls][: len(read)]
        assert board.running == ()

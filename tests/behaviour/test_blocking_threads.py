"""A host without async serves any thread, those of its own tools included."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest
from pegboard import (
    Allow,
    Config,
    Deny,
    Execution,
    Failure,
    Progress,
    Signal,
    ToolCall,
    hookimpl,
    tool,
)
from pegboard.blocking import Board, Host
from pegboard_blocking import Gate, echo, shout, steps, wait

HELD_UP = "this would hold up the loop"


@pytest.fixture
def host() -> Iterator[Host]:
    """An open host with a few tools."""
    with Host(Config(stop_grace=0.5, max_threads=2), discover=False) as host:
        for each in (echo, shout, steps, wait):
            host.register(each)
        yield host


@pytest.fixture
def board(host: Host) -> Board:
    """A board of it."""
    return host.board("b")


def asking(board: Board, ask: Callable[[Board], Any]) -> tuple[Any, Any]:
    """A tool that asks its own board for something, in a thread and on the loop."""

    def in_a_thread() -> str:
        """Ask in a thread."""
        return str(ask(board))

    async def on_the_loop() -> str:
        """Ask on the loop."""
        return str(ask(board))

    return tool(in_a_thread), tool(on_the_loop)


def test_many_threads_may_call_at_once(board: Board) -> None:
    def call(number: int) -> object:
        return board.call("echo", {"value": str(number)}).unwrap()

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(call, range(400))) == [str(number) for number in range(400)]


def test_a_tool_in_a_thread_may_call_its_own_board(board: Board) -> None:
    board.register(asking(board, lambda it: it.call("shout", {"value": "pi"}).unwrap())[0])

    assert board.call("in_a_thread").unwrap() == "PI"


def test_a_tool_on_the_loop_is_told_how_to_call(board: Board) -> None:
    board.register(asking(board, lambda it: it.call("echo", {"value": "pi"}))[1])

    outcome = board.call("on_the_loop")

    assert isinstance(outcome, Failure)
    assert outcome.code == "crashed"
    assert outcome.message.startswith(HELD_UP)
    assert "`context.call(…)`" in outcome.message


def test_what_needs_no_waiting_works_on_the_loop_too(board: Board) -> None:
    board.register(asking(board, lambda it: (it.revision, len(it.tools), it.running[0].tool))[1])

    assert board.call("on_the_loop").unwrap() == "(0, 5, 'on_the_loop')"


def test_a_hook_may_call_by_way_of_a_thread(host: Host, board: Board) -> None:
    async def before(execution: Execution) -> Allow | Deny | None:
        if execution.tool != "echo":
            return None
        outcome = await asyncio.to_thread(board.call, "shout", {"value": "no"})
        return Deny(str(outcome.unwrap()))

    host.hook(before_call=before)

    assert board.call("echo", {"value": "Pi"}).message == "NO"


def test_the_loop_of_another_host_isn_t_held_up_either(host: Host, board: Board) -> None:
    async def elsewhere() -> str:
        """Call a board of another host."""
        return str(board.call("echo", {"value": "Pi"}))

    with Host(discover=False) as other:
        other.register(tool(elsewhere))
        outcome = other.board("b").call("elsewhere")

    assert isinstance(outcome, Failure)
    assert outcome.message.startswith(HELD_UP)


def test_tools_in_threads_that_wait_for_each_other_leave_threads_for_those(board: Board) -> None:
    barrier = threading.Barrier(2)

    @tool(concurrency_safe=True)
    def outer() -> str:
        """Shout once every thread is taken."""
        barrier.wait(10)
        return str(board.call("shout", {"value": "pi"}).unwrap())

    board.register(outer)

    outcomes = board.run([ToolCall(each, "outer") for each in "ab"])

    assert [each.unwrap() for each in outcomes] == ["PI", "PI"]


def test_tools_that_call_themselves_without_end_are_stopped() -> None:
    with Host(Config(max_nesting=3), discover=False) as host:
        board = host.board("b")

        @tool
        def deeper() -> str:
            """Call itself."""
            outcome = board.call("deeper")
            return "x" + (outcome.message if isinstance(outcome, Failure) else str(outcome.value))

        host.register(deeper)

        outcome = board.call("deeper")

    assert outcome.unwrap() == "xxxcalls inside calls go at most 3 levels deep"


def test_the_threads_that_were_lent_end(board: Board) -> None:
    before = threading.active_count()
    test_tools_in_threads_that_wait_for_each_other_leave_threads_for_those(board)

    deadline = time.monotonic() + 5
    while threading.active_count() > before + 2 and time.monotonic() < deadline:
        time.sleep(0.01)

    assert threading.active_count() == before + 2


def test_a_tool_in_a_thread_may_unload_its_own_plugin(host: Host, board: Board) -> None:
    @tool
    def unload() -> list[str]:
        """Unload its own plugin."""
        return list(host.unload("p").still_running)

    class Plugin:
        @hookimpl
        def pegboard_tools(self) -> list[object]:
            return [unload]

    host.load(Plugin(), name="p")

    assert board.call("unload", id="call-1").unwrap() == ["call-1"]


def test_a_tool_in_a_thread_may_close_the_host() -> None:
    host = Host(discover=False).open()
    board = host.board("b")

    @tool
    def close() -> str:
        """Close the host."""
        return str(host.close())

    host.register(close)

    assert board.call("close").unwrap() == "[]"
    assert host.close() == []


def test_a_signal_cancels_from_another_thread(board: Board) -> None:
    signal, gate = Signal(), Gate()

    def cancel() -> None:
        gate.begun.wait(10)
        signal.cancel("enough")

    with ThreadPoolExecutor(1) as pool:
        pool.submit(cancel)
        outcome = board.call("wait", signal=signal, deps=gate)

    assert (outcome.code, outcome.message) == ("aborted", "enough")


def test_another_thread_may_cancel_what_runs_on_a_board(board: Board) -> None:
    gate = Gate()

    with ThreadPoolExecutor(1) as pool:
        calling = pool.submit(board.run, [ToolCall(each, "wait") for each in "ab"], deps=gate)
        gate.begun.wait(10)
        board.cancel("enough")

    assert {(each.code, each.message) for each in calling.result()} == {("aborted", "enough")}


def test_the_caller_s_context_reaches_the_body(board: Board) -> None:
    user: ContextVar[str] = ContextVar("user")
    board.register(asking(board, lambda _: user.get("nobody"))[0])

    user.set("Ada")

    assert board.call("in_a_thread").unwrap() == "Ada"


def test_progress_is_told_in_the_thread_that_waits(board: Board) -> None:
    seen: list[tuple[float | None, int]] = []

    def on_progress(progress: Progress) -> None:
        seen.append((progress.progress, threading.get_ident()))
        assert board.call("echo", {"value": "inside"}).unwrap() == "inside"

    board.call("steps", {"count": 2}, on_progress=on_progress)

    assert seen == [(0, threading.get_ident()), (1, threading.get_ident())]


def test_progress_of_a_batch_is_told_before_its_outcomes_are_there(board: Board) -> None:
    seen: list[str] = []
    calls = [ToolCall(each, "steps", {"count": 2}) for each in "ab"]

    board.run(calls, on_progress=lambda each: seen.append(each.call_id))
    told = [len(seen) for _ in board.stream(calls, on_progress=lambda _: seen.append("again"))]

    assert seen[:4] == ["a", "a", "b", "b"]
    assert (told[-1], len(seen)) == (8, 8)


def test_an_async_on_progress_runs_on_the_loop(board: Board) -> None:
    seen: list[str] = []

    async def on_progress(progress: Progress) -> None:
        await asyncio.sleep(0)
        seen.append(threading.current_thread().name)

    board.call("steps", {"count": 1}, on_progress=on_progress)

    assert seen == ["pegboard-loop"]


def test_what_on_progress_raises_is_logged(board: Board, caplog: pytest.LogCaptureFixture) -> None:
    outcome = board.call("steps", {"count": 1}, id="call-1", on_progress=lambda _: 1 / 0)

    assert outcome.unwrap() == 1
    assert "on_progress of call 'call-1' raised" in caplog.text


def test_hooks_that_are_functions_run_on_the_loop(host: Host, board: Board) -> None:
    seen: list[str] = []
    host.hook(call_finished=lambda: seen.append(threading.current_thread().name))
    board.guard(lambda execution: seen.append(threading.current_thread().name))

    board.call("echo", {"value": "Pi"})

    assert seen == ["pegboard-loop"] * 2


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_what_would_stop_a_loop_is_logged_and_the_loop_goes_on(
    board: Board, kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def stray() -> None:
        raise kind("stray")

    async def start() -> None:
        """Have something raised on the loop soon."""
        asyncio.get_running_loop().call_soon(stray)

    board.register(tool(start))
    board.call("start")

    assert board.call("echo", {"value": "Pi"}).unwrap() == "Pi"
    assert "something on the loop of a host raised" in caplog.text

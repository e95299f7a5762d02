"""The bugs of section Time, cancellation, concurrency."""

import asyncio
import subprocess
import sys
import threading
import time
from contextvars import ContextVar
from typing import Any

import pytest
from pegboard import JSON, Ask, Code, Config, Failure, RunContext, Signal, Tool, ToolCall, tool
from pegboard_cases import raw, says
from pegboard_policies import PATIENCE, failed, gate, kind, noting, standing, until

who: ContextVar[str] = ContextVar("who", default="?")


async def test_b_025_sync_tools_overlap_and_see_the_context_of_their_caller() -> None:
    together = threading.Barrier(2)

    @tool(concurrency_safe=True)
    def nap() -> str:
        """Wait for the other one."""
        together.wait(PATIENCE)
        return who.get()

    @tool(concurrency_safe=True)
    def odd() -> str:
        """Raise what a future can't hold."""
        raise StopIteration("x")

    who.set("agent-7")
    async with standing(nap, odd) as (_, board):
        calls = [ToolCall("a", "nap", {}), ToolCall("b", "nap", {}), ToolCall("c", "odd", {})]
        outcomes = await asyncio.wait_for(board.run(calls), PATIENCE)

    assert [each.unwrap() for each in outcomes[:2]] == ["agent-7"] * 2
    assert failed(outcomes[2], Code.CRASHED)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_b_025_what_a_tool_sets_in_its_context_stays_in_its_call(is_async: bool) -> None:
    def change(arguments: JSON, context: RunContext) -> str:
        before = who.get()
        who.set("somebody else")
        return before

    async def change_on_the_loop(arguments: JSON, context: RunContext) -> str:
        return change(arguments, context)

    who.set("agent-7")
    async with standing(raw(change_on_the_loop if is_async else change)) as (_, board):
        seen = [(await board.call("raw")).unwrap() for _ in range(2)]

    assert (seen, who.get()) == (["agent-7"] * 2, "agent-7")


async def test_b_025_the_loop_turns_while_a_sync_tool_runs() -> None:
    turned = threading.Event()

    def wait(arguments: JSON, context: RunContext) -> bool:
        return turned.wait(PATIENCE)

    async with standing(raw(wait)) as (host, board):
        task = asyncio.create_task(board.call("raw"))
        await until(lambda: host.running)
        turned.set()

        assert (await task).unwrap() is True


async def test_b_025_fifty_hung_sync_tools_stop_no_async_tool_and_nobody_else() -> None:
    with gate() as released:

        def hang(arguments: JSON, context: RunContext) -> None:
            released.wait(60)

        async def ping(arguments: JSON, context: RunContext) -> str:
            return "pong"

        tools = (raw(hang, concurrency_safe=True), raw(ping, name="ping"))
        async with standing(*tools, config=Config(max_threads=50)) as (host, board):
            hung = [asyncio.create_task(board.call("raw")) for _ in range(50)]
            await until(lambda: len(host.running) == 50)
            pinged = await asyncio.wait_for(board.call("ping"), PATIENCE)
            other = await asyncio.wait_for(asyncio.to_thread(lambda: "thread"), PATIENCE)
            released.set()
            outcomes = await asyncio.gather(*hung)

    assert (pinged.unwrap(), other) == ("pong", "thread")
    assert {kind(each) for each in outcomes} == {"ok"}


async def test_b_026_control_comes_back_though_the_thread_is_stuck() -> None:
    with gate() as released:
        spin = raw(lambda *_: released.wait(60), name="spin", timeout=0.2)
        ping = raw(lambda *_: "pong", name="ping")
        async with standing(spin, ping, config=Config(stop_grace=0.2)) as (host, board):
            started = time.monotonic()
            failure = failed(await board.call("spin"), Code.TIMED_OUT)
            took = time.monotonic() - started
            pinged = await board.call("ping")
            released.set()
            await until(lambda: not host.running)

    assert says(failure.message, "0.2")
    assert (failure.details, took < 2.0) == ({"still_running": True}, True)
    assert pinged.unwrap() == "pong"


SPINNING = """
import asyncio, time
from pegboard import Config, Host, tool

@tool(timeout=0.1)
def spin() -> str:
    time.sleep(30)
    return "late"

async def main():
    async with Host(Config(stop_grace=0.1), discover=False) as host:
        host.register(spin)
        board = await host.board("a")
        print((await board.call("spin")).code)

asyncio.run(main())
"""


def test_b_026_the_interpreter_ends_though_a_thread_is_stuck() -> None:
    started = time.monotonic()

    ran = subprocess.run(
        [sys.executable, "-c", SPINNING], stdout=subprocess.PIPE, check=True, timeout=25, text=True
    )

    assert ran.stdout == "timed_out\n"
    assert time.monotonic() - started < 10


async def test_b_026_waiting_for_an_approval_does_not_count() -> None:
    async def approve() -> str:
        await asyncio.sleep(0.3)
        return "once"

    tool = raw(lambda *_: "done", timeout=0.1)
    async with standing(tool) as (host, board):
        host.hook(before_call=noting([], "", Ask("sure?")), approve=approve)

        assert (await board.call("raw")).unwrap() == "done"


def says_again(arguments: Any, context: RunContext) -> str:
    """Answer with the call's id."""
    return context.call_id


class Mixture:
    """Tools that end in every way, the first of them only after the second was refused."""

    CALLS = (("a", {}), ("c", {}), ("b", {"bad": 1}), ("nope", {}), ("d", {}), ("b", {}))
    CODES = ("ok", "denied", "invalid_arguments", "unknown_tool", "timed_out", "ok")

    def __init__(self, *, is_safe: bool) -> None:
        self.is_safe = is_safe
        self.refused = asyncio.Event()

    async def slow(self, arguments: JSON, context: RunContext) -> str:
        """Take longer than the refusal."""
        if self.is_safe:
            await self.refused.wait()
        await asyncio.sleep(0.01)
        return context.call_id

    async def hang(self, arguments: JSON, context: RunContext) -> None:
        """Take too long."""
        await asyncio.sleep(60)

    def refuse(self, execution: Any) -> str | None:
        """Refuse `c`."""
        if execution.tool != "c":
            return None
        self.refused.set()
        return "no"

    def tools(self) -> list[Tool]:
        """The tools."""
        closed: JSON = {"type": "object", "properties": {}}
        safe: dict[str, Any] = {"concurrency_safe": self.is_safe}
        return [
            raw(self.slow, name="a", **safe),
            raw(says_again, name="b", parameters=closed, extra="forbid", **safe),
            raw(says_again, name="c", **safe),
            raw(self.hang, name="d", timeout=0.05, **safe),
        ]


@pytest.mark.parametrize("is_safe", [True, False])
async def test_b_027_outcomes_come_in_the_order_of_the_calls_whatever_they_are(
    is_safe: bool,
) -> None:
    mixture = Mixture(is_safe=is_safe)
    async with standing(*mixture.tools()) as (host, board):
        host.guard(mixture.refuse)
        calls = [ToolCall(f"i{n}", *each) for n, each in enumerate(Mixture.CALLS, 1)]
        outcomes = await asyncio.wait_for(board.run(calls), PATIENCE)

    assert [each.call_id for each in outcomes] == [f"i{n}" for n in range(1, 7)]
    assert tuple(kind(each) for each in outcomes) == Mixture.CODES


async def test_b_028_a_tool_has_stopped_when_control_comes_back_from_a_cancelled_run() -> None:
    signal, left, rounds = Signal(), [], [0]

    async def loop(arguments: JSON, context: RunContext) -> None:
        try:
            while True:
                rounds[0] += 1
                await asyncio.sleep(0)
        finally:
            left.append(rounds[0])

    async with standing(raw(loop)) as (_, board):
        task = asyncio.create_task(board.call("raw", signal=signal))
        await until(lambda: rounds[0] > 3)
        signal.cancel("enough")
        outcome = await asyncio.wait_for(task, PATIENCE)
        assert left == [rounds[0]]
        await asyncio.sleep(0.01)

    assert failed(outcome, Code.ABORTED).message == "enough"
    assert left == [rounds[0]]


async def test_b_029_sync_tools_start_at_once_while_others_use_up_the_default_pool() -> None:
    with gate() as released:
        waiting: list[asyncio.Task[bool]] = []

        async def flood(arguments: JSON, context: RunContext) -> None:
            sleeps = (asyncio.to_thread(released.wait, 60) for _ in range(100))
            waiting.extend(map(asyncio.create_task, sleeps))
            await asyncio.sleep(0)

        async with standing(raw(flood), raw(says_again, name="again")) as (_, board):
            flooded = await board.call("raw")
            again = await asyncio.wait_for(board.call("again", id="g"), PATIENCE)
            at_work = sum(not each.done() for each in waiting)
            released.set()
            await asyncio.gather(*waiting)

    assert not isinstance(flooded, Failure)
    assert (again.unwrap(), at_work) == ("g", 100)

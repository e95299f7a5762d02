"""A host under load for a while: every call has its one outcome, and nothing is left behind.

`PEGBOARD_SOAK` says for how many seconds, 3 unless given; memory is judged from 30 on.
"""

import asyncio
import logging
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import (
    Allow,
    Board,
    Config,
    Execution,
    Failure,
    Host,
    Outcome,
    Signal,
    ToolCall,
    ToolError,
    tool,
)

CALLERS = 1_000
SECONDS = float(os.environ.get("PEGBOARD_SOAK", "3"))


@tool
async def quick(n: int) -> int:
    """Give it back."""
    await asyncio.sleep(random.random() / 100)
    return n


@tool
def threaded(n: int) -> int:
    """Give it back from a thread."""
    time.sleep(0.001)
    return n


@tool
async def failing(n: int) -> int:
    """Fail."""
    await asyncio.sleep(0)
    if n % 2:
        raise ToolError(f"no {n}")
    raise ValueError(n)


@tool(timeout=0.02)
async def late(n: int) -> int:
    """Take too long."""
    await asyncio.sleep(5)
    return n


@tool
async def held(n: int) -> int:
    """Wait to be cancelled."""
    await asyncio.sleep(5)
    return n


EXPECTED = {
    "quick": {"ok"},
    "threaded": {"ok"},
    "failing": {"tool_error", "crashed"},
    "late": {"timed_out"},
    "held": {"aborted", "aborted_before_start"},
}
MIX = ["quick"] * 5 + ["threaded"] * 2 + ["failing", "late", "held"]


async def slow_policy(execution: Execution) -> Allow:
    """Think for a while, sometimes."""
    if random.random() < 0.1:
        await asyncio.sleep(0.005)
    return Allow()


@attrs.define
class Soak:
    """What has happened.

    Attributes:
        outcomes: how many of each code, by tool.
        finished: how many calls the observer has seen, by id.
        wrong: what should not have happened.
    """

    outcomes: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    finished: Counter[str] = attrs.field(factory=Counter)
    wrong: list[str] = attrs.field(factory=list)

    def observe(self, execution: Execution) -> None:
        """Count a call that has ended."""
        self.finished[execution.call_id] += 1

    def take(self, call: ToolCall, outcome: Outcome) -> None:
        """Check one outcome."""
        code = str(outcome.code) if isinstance(outcome, Failure) else "ok"
        self.outcomes[call.name, code] += 1
        if (outcome.call_id, outcome.tool) != (call.id, call.name):
            self.wrong.append(f"{call} got the outcome of {outcome.call_id} {outcome.tool}")
        if code not in EXPECTED[call.name] or self.finished.pop(call.id, 0) != 1:
            self.wrong.append(f"{call} ended in {outcome}")


async def caller(number: int, board: Board, soak: Soak, until: float) -> None:
    """Make one call after the other."""
    count = 0
    while time.monotonic() < until:
        count += 1
        call = ToolCall(f"{number}-{count}", random.choice(MIX), {"n": count})
        if call.name != "held":
            soak.take(call, await board.call(call))
            continue
        signal = Signal()
        asyncio.get_running_loop().call_later(random.random() / 50, signal.cancel, "enough")
        soak.take(call, await board.call(call, signal=signal))


def resident() -> int:
    """The memory of this process in KiB."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


@pytest.fixture
def silent() -> Iterator[None]:
    """Keep what failing tools log out of the memory that is measured."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@attrs.define
class Left:
    """What was there besides at the end of the load, before the host was closed.

    Attributes:
        tasks: tasks that aren't idle carriers.
        threads: threads, up to the pool's most.
    """

    tasks: int = 0
    threads: int = 0


async def loaded(soak: Soak, left: Left) -> list[int]:
    """Put a host under load; gives the memory of this process in KiB, over time."""
    sizes = []
    tasks, threads = len(asyncio.all_tasks()), threading.active_count()
    async with Host(Config(max_threads=8), discover=False) as host:
        for each in (quick, threaded, failing, late, held):
            host.register(each)
        host.hook(before_call=slow_policy, call_finished=soak.observe)
        board = await host.board("soak")
        until = time.monotonic() + SECONDS
        callers = [asyncio.create_task(caller(n, board, soak, until)) for n in range(CALLERS)]
        while time.monotonic() < until:
            await asyncio.sleep(SECONDS / 8)
            sizes.append(resident())
        await asyncio.gather(*callers)
        assert not host.running
        carried = [each for each in asyncio.all_tasks() if each.get_name() == "pegboard-body"]
        left.tasks = len(asyncio.all_tasks()) - tasks - len(carried)
        left.threads = threading.active_count() - threads
    return sizes


@pytest.mark.usefixtures("silent")
def test_a_thousand_callers_leave_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    soak, left = Soak(), Left()

    sizes = asyncio.run(loaded(soak, left))

    if SECONDS >= 30:
        with capsys.disabled():
            total = sum(soak.outcomes.values())
            sys.stdout.write(
                f"\n\n{total} calls in {SECONDS:g} s: {dict(sorted(soak.outcomes.items()))}"
            )
            sys.stdout.write(f"\nresident KiB over time: {sizes}; {left}\n")
    assert (soak.wrong[:5], soak.finished) == ([], Counter())
    assert (left.tasks, left.threads <= 8) == (0, True)
    assert SECONDS < 30 or sizes[-1] - sizes[len(sizes) // 2] < 2_000

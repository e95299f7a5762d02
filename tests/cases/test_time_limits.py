"""The cases of section Time limits."""

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pegboard import JSON, Code, Config, Failure, Host, Outcome, RunContext
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw, says
from pegboard_policies import (
    PATIENCE,
    Work,
    failed,
    gate,
    kind,
    plugin_with,
    standing,
    succeeded,
    until,
)

BRIEF = Config(stop_grace=0.05)


async def sleeping(arguments: JSON, context: RunContext) -> str:
    """Sleep for a minute."""
    await asyncio.sleep(60)
    return "late"


def stuck_at(event: threading.Event) -> Any:
    """A body that holds its thread until an event."""

    def stay(arguments: JSON, context: RunContext) -> str:
        event.wait(60)
        return "late"

    return stay


async def test_p_166_a_fast_body_is_untouched_by_its_limit() -> None:
    async with standing(Work().tool()) as (host, board):
        without = await board.call("work", id="a")
        host.register(raw(Work().run, name="limited", timeout=5.0))
        limited = succeeded(await board.call("limited", id="a"))

    assert (limited.value, limited.content) == (without.unwrap(), without.content)


def timers() -> list[asyncio.TimerHandle]:
    """The timers that are set on this loop."""
    scheduled: list[asyncio.TimerHandle] = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
    return [each for each in scheduled if not each.cancelled()]


@pytest.mark.parametrize(("limit", "most"), [(None, 0), (50.0, 1)])
async def test_p_167_a_body_without_a_limit_has_no_timer(limit: float | None, most: int) -> None:
    seen: list[int] = []

    async def body(arguments: JSON, context: RunContext) -> None:
        seen.append(len(timers()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        seen.append(len(timers()))

    before = len(timers())
    async with standing(raw(body, timeout=limit)) as (_, board):
        assert kind(await board.call("raw")) == "ok"

    assert seen[-1] - before == most
    assert len(timers()) == before


async def test_p_168_whatever_a_body_raises_at_its_deadline_it_timed_out() -> None:
    async def body(arguments: JSON, context: RunContext) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ValueError("kettle") from None

    async with standing(raw(body, timeout=0.02)) as (_, board):
        assert failed(await board.call("raw"), Code.TIMED_OUT)


async def test_p_168_whatever_a_body_gives_after_its_deadline_it_timed_out() -> None:
    async def body(arguments: JSON, context: RunContext) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "late-value"
        return "later"

    async with standing(raw(body, timeout=0.02)) as (_, board):
        failure = failed(await board.call("raw"), Code.TIMED_OUT)

    assert "late-value" not in repr(failure)


async def test_p_169_a_call_that_timed_out_keeps_its_contexts() -> None:
    async def body(arguments: JSON, context: RunContext) -> None:
        context.defer("n1")
        context.conclude()
        await asyncio.sleep(60)

    async with standing(raw(body, timeout=0.02)) as (_, board):
        failure = failed(await board.call("raw"), Code.TIMED_OUT)

    assert (failure.contexts, failure.concludes) == (("n1",), False)


async def test_p_170_a_thread_that_is_stuck_gives_an_honest_outcome_in_time() -> None:
    others: list[str] = []
    with gate() as released:
        async with standing(
            raw(stuck_at(released), timeout=0.2),
            raw(lambda *_: "pong", name="ping"),
            config=Config(stop_grace=0.2),
        ) as (host, board):
            started = time.monotonic()
            task = asyncio.create_task(board.call("raw"))
            others.append((await board.call("ping")).unwrap())
            failure = failed(await task, Code.TIMED_OUT)
            took = time.monotonic() - started
            others.append((await board.call("ping")).unwrap())
            released.set()
            await until(lambda: not host.running)

    assert failure.details == {"still_running": True}
    assert 0.2 <= took < 2.0
    assert others == ["pong", "pong"]


async def test_p_171_the_late_value_of_such_a_body_reaches_no_outcome() -> None:
    recorder = RecordingPlugin()
    with gate() as released:
        tool = raw(stuck_at(released), timeout=0.02)
        async with standing(tool, config=BRIEF) as (host, board):
            await host.load(recorder)
            outcome = await board.call("raw", id="s1")
            listed = [(each.call_id, each.tool, each.abandoned) for each in host.running]
            released.set()
            await until(lambda: not host.running)

    assert listed == [("s1", "raw", True)]
    assert [seen for _, seen, _ in recorder.finished] == [outcome]
    assert "late" not in repr(outcome)


async def test_p_172_an_async_body_that_stops_at_once_leaves_nothing_running() -> None:
    async with standing(raw(sleeping, timeout=0.2)) as (host, board):
        started = time.monotonic()
        failure = failed(await board.call("raw"), Code.TIMED_OUT)
        assert host.running == ()

    assert failure.details is None
    assert 0.2 <= time.monotonic() - started < 2.0


async def test_p_173_the_message_names_limit_and_tool() -> None:
    async with standing(raw(sleeping, name="napper", timeout=0.02)) as (_, board):
        failure = failed(await board.call("napper"), Code.TIMED_OUT)

    assert says(failure.message, "napper", "0.02")


async def stuck_twice(host: Host, released: threading.Event) -> list[Outcome]:
    """Fill the threads of plugin `p` with two calls that don't stop."""
    stay = raw(stuck_at(released), name="stay", timeout=0.02)
    await host.load(plugin_with(stay), name="p")
    await host.load(plugin_with(raw(lambda *_: "pong", name="ping")), name="q")
    board = await host.board("case")
    return [await board.call("stay") for _ in range(2)]


async def test_p_174_a_plugin_whose_threads_are_all_stuck_refuses_more_and_only_that_one() -> None:
    config = Config(stop_grace=0.02, max_threads=2)
    with gate() as released:
        async with standing(config=config) as (host, board):
            held = await stuck_twice(host, released)
            refused = failed(await board.call("stay"), Code.BUSY)
            other = await board.call("ping")
            released.set()
            await until(lambda: not host.running)
            again = await board.call("stay")

    assert [kind(each) for each in held] == ["timed_out"] * 2
    assert says(refused.message, "'p'")
    assert (kind(other), kind(again)) == ("ok", "ok")


async def test_p_174_a_call_waits_for_a_thread_that_is_only_at_work() -> None:
    config = Config(max_threads=1)
    with gate() as released:
        async with standing(raw(stuck_at(released)), config=config) as (host, board):
            first = asyncio.create_task(board.call("raw"))
            second = asyncio.create_task(board.call("raw"))
            await until(lambda: [each.stage for each in host.running] == ["body"] * 2)
            released.set()
            outcomes = await asyncio.wait_for(asyncio.gather(first, second), PATIENCE)

    assert [kind(each) for each in outcomes] == ["ok", "ok"]


HUNDRED = """
import asyncio, time
from collections import Counter
from pegboard import Config, Host, tool

@tool(timeout=0.3)
def stay() -> str:
    time.sleep(600)
    return "late"

@tool
async def ping() -> str:
    return "pong"

async def main():
    async with Host(Config(stop_grace=0.1, max_threads=MOST), discover=False) as host:
        host.register(stay)
        host.register(ping)
        board = await host.board("a")
        stuck = await asyncio.gather(*(board.call("stay") for _ in range(100)))
        print(sorted(Counter(str(each.code) for each in stuck).items()))
        print((await board.call("ping")).unwrap(), await asyncio.to_thread(lambda: "thread"))
        print(sum(each.abandoned for each in host.running))
    print("left")

asyncio.run(main())
print("over")
"""


@pytest.mark.parametrize("most", [100, 16])
def test_p_175_a_hundred_stuck_threads_stop_nothing_and_nobody(most: int) -> None:
    command = [sys.executable, "-c", HUNDRED.replace("MOST", str(most))]

    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=30, text=True)

    codes, *rest = ran.stdout.splitlines()
    if most == 100:
        assert codes == "[('timed_out', 100)]"
    assert codes.count("timed_out") == 1
    assert rest == ["pong thread", str(most), "left", "over"]


@pytest.mark.parametrize("ends", ["stops", "goes on"])
async def test_p_176_an_observer_that_sleeps_does_not_hold_the_outcome_back(ends: str) -> None:
    over, log = asyncio.Event(), []

    async def watch() -> None:
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                log.append("cancelled")
                if ends == "stops":
                    raise

    config = Config(hook_timeout=0.05, stop_grace=0.05)
    async with standing(Work().tool(), config=config) as (host, board):
        host.hook(call_finished=watch)
        outcome = await asyncio.wait_for(board.call("work"), PATIENCE)
        over.set()

    assert (kind(outcome), log) == ("ok", ["cancelled"])


CONFIGURED = """
default_timeout = 0.2

[tools."slow_*"]
timeout = 5
"""


LIMITED = {
    "plain": "0.2",
    "slow_one": "",
    "slow_own": "0.05",
    "own": "0.05",
    "patient": "",
}


@pytest.mark.parametrize("name", LIMITED)
async def test_p_374_the_configured_limits_hold_for_tools_that_have_none(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "pegboard.toml").write_text(CONFIGURED)
    own = {"slow_own": 0.05, "own": 0.05, "patient": 5.0}.get(name)

    async def body(arguments: JSON, context: RunContext) -> None:
        await asyncio.sleep(0.5)

    given = raw(body, name=name, timeout=own)
    async with Host(tmp_path / "pegboard.toml", discover=False) as host:
        host.register(given)
        outcome = await (await host.board("a")).call(name)

    if LIMITED[name]:
        assert says(failed(outcome, Code.TIMED_OUT).message, LIMITED[name])
    else:
        assert not isinstance(outcome, Failure)

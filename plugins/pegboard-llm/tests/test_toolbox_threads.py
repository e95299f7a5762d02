"""The thread in which a toolbox lives."""

import asyncio
import threading
from typing import Any

import pytest
from pegboard import Code, Failure, Host, Signal
from pegboard_llm.lane import Lane

SLOW = """
import llm, threading

begun, go, ran = threading.Event(), threading.Event(), []


class Slow(llm.Toolbox):
    def wait(self) -> str:
        begun.set()
        go.wait(10)
        return "waited"

    def note(self) -> list:
        ran.append(1)
        return ran


def begin() -> bool:
    return begun.wait(10)


def end() -> str:
    go.set()
    return "go"


def noted() -> int:
    return len(ran)


@llm.hookimpl
def register_tools(register):
    for each in (Slow, begin, end, noted):
        register(each)
"""
ASYNC = """
import asyncio, threading
import llm

begun = threading.Event()


class Lived(llm.Toolbox):
    def __init__(self):
        self.busy, self.home = 0, threading.get_ident()

    def told(self, busy):
        return [threading.get_ident() == self.home, busy]

    def sync(self) -> list:
        return asyncio.run(self.later())

    async def later(self) -> list:
        self.busy += 1
        busy = self.busy
        await asyncio.sleep(0.01)
        self.busy -= 1
        return self.told(busy)

    async def wait(self) -> None:
        begun.set()
        await asyncio.sleep(30)

    def odd(self) -> None:
        raise ODD("odd")

    async def odd_later(self) -> None:
        await asyncio.sleep(0)
        raise ODD("odd")

    async def leaves(self) -> None:
        self.odd()


def begin() -> bool:
    return begun.wait(10)


@llm.hookimpl
def register_tools(register):
    register(Lived)
    register(begin)
"""


async def call(host: Host, tool: str, board: str = "a", **arguments: Any) -> Any:
    """What a call gives."""
    outcome = await (await host.board(board)).call(tool, arguments)
    return outcome.message if isinstance(outcome, Failure) else outcome.value


async def test_its_async_methods_live_in_its_thread_too_one_call_after_the_other(
    plugins: Any,
) -> None:
    plugins.install(ASYNC)
    async with plugins.hosted() as host:
        tools = ["Lived_sync", "Lived_later", "Lived_later", "Lived_sync"]
        found = await asyncio.gather(*(call(host, each) for each in tools))

    assert found == [[True, 1]] * 4


async def test_its_async_method_is_cancelled_in_its_thread(plugins: Any) -> None:
    plugins.install(ASYNC)
    async with plugins.hosted() as host:
        signal = Signal()
        board = await host.board("a")
        waiting = asyncio.ensure_future(board.call("Lived_wait", signal=signal))
        await call(host, "begin", "b")
        signal.cancel()
        outcome = await waiting

        assert (outcome.code, outcome.details) == (Code.ABORTED, None)  # type: ignore[union-attr]
        assert (await call(host, "Lived_sync"))[1] == 1


@pytest.mark.parametrize("tool", ["Lived_odd", "Lived_odd_later", "Lived_leaves"])
@pytest.mark.parametrize("odd", ["StopIteration", "SystemExit", "asyncio.CancelledError"])
async def test_whatever_a_method_raises_is_a_crash_and_the_next_call_works(
    plugins: Any, tool: str, odd: str
) -> None:
    plugins.install(ASYNC.replace("ODD", odd))
    async with plugins.hosted() as host:
        outcome = await (await host.board("a")).call(tool)

        assert outcome.code is Code.CRASHED  # type: ignore[union-attr]
        assert (await call(host, "Lived_sync"))[1] == 1


async def test_a_call_that_is_cancelled_while_another_has_the_toolbox_never_runs(
    plugins: Any,
) -> None:
    plugins.install(SLOW)
    async with plugins.hosted() as host:
        board = await host.board("a")
        first = asyncio.ensure_future(board.call("Slow_wait"))
        await call(host, "begin", "b")
        signal = Signal()
        second = asyncio.ensure_future(board.call("Slow_note", signal=signal))
        while len(host.running) < 2:
            await asyncio.sleep(0)
        signal.cancel()
        await call(host, "end", "b")

        assert (await first).unwrap() == "waited"
        assert (await second).code is Code.ABORTED  # type: ignore[union-attr]
        assert await call(host, "noted") == 0


async def test_a_call_that_is_cancelled_while_it_waits_for_the_toolbox_ends_at_once(
    plugins: Any,
) -> None:
    plugins.install(SLOW)
    async with plugins.hosted() as host:
        first = asyncio.ensure_future((await host.board("a")).call("Slow_wait"))
        await call(host, "begin", "b")
        signal = Signal()
        second = asyncio.ensure_future((await host.board("a")).call("Slow_note", signal=signal))
        while len(host.running) < 2:
            await asyncio.sleep(0)
        signal.cancel()
        outcome = await asyncio.wait_for(second, 2)

        assert (outcome.code, outcome.details) == (Code.ABORTED, None)  # type: ignore[union-attr]
        assert not first.done()
        await call(host, "end", "b")
        assert (await first).unwrap() == "waited"


async def test_a_thread_that_is_held_by_a_call_is_told_when_its_plugin_is_unloaded(
    plugins: Any,
) -> None:
    plugins.install(SLOW)
    async with plugins.hosted(stop_grace=0.1) as host:
        held = asyncio.ensure_future((await host.board("a")).call("Slow_wait", id="held"))
        await call(host, "begin", "b")
        import mine

        report = await host.unload("mine", grace=0)
        mine.go.set()

    assert (report.still_running, report.leaked) == (("held",), ("thread pegboard-llm-Slow",))
    assert (await held).details == {"still_running": True}  # type: ignore[union-attr]


async def test_a_program_that_ends_does_not_wait_for_a_thread_that_is_held() -> None:
    lane, go = Lane("held", module=__name__), threading.Event()
    waiting = asyncio.ensure_future(lane.submit(lambda: go.wait(10)).ended())
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.sleep(0.05)
    is_patient = not waiting.done()
    waiting.cancel()
    await asyncio.wait([waiting])
    go.set()
    lane.close(go.clear)

    assert (is_patient, waiting.cancelled()) == (True, True)

"""What was closed inside a call that goes on: others who close it, load it or open it again."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import (
    Board,
    Code,
    Config,
    Failure,
    Host,
    HostClosedError,
    PluginLoadError,
    Success,
    ToolCall,
    hookimpl,
    tool,
)
from pegboard.blocking import Host as BlockingHost
from pegboard.testing import site_at
from pegboard_programs import Inside, coded, running

GREETING = '''
from pegboard import tool

@tool
def greet() -> str:
    """Greet."""
    return "hej"
'''
Do = Callable[[], Awaitable[Any]]


@attrs.define
class Lingering:
    """Has the tool `stop`, which does something and goes on until it is let go."""

    do: Do
    done: asyncio.Event = attrs.field(factory=asyncio.Event)
    let_go: asyncio.Event = attrs.field(factory=asyncio.Event)

    @hookimpl
    def pegboard_tools(self) -> list[Any]:
        """Offer it."""
        return [tool(self.stop)]

    async def stop(self) -> str:
        """Do it, and go on."""
        await self.do()
        self.done.set()
        await self.let_go.wait()
        return "done"


async def begun(board: Board, plugin: Lingering) -> "asyncio.Task[Any]":
    """A call of `stop` that has done what it does, and goes on."""
    call = asyncio.create_task(board.call("stop"))
    await plugin.done.wait()
    return call


ENDINGS: dict[str, tuple[Callable[[Host], Do], Callable[[Host], Awaitable[Any]]]] = {
    "the host, twice": (lambda host: host.close, lambda host: host.close(grace=0.01)),
    "the plugin, twice": (
        lambda host: lambda: host.unload("p"),
        lambda host: host.unload("p", grace=0.01),
    ),
    "the plugin, then the host": (
        lambda host: lambda: host.unload("p"),
        lambda host: host.close(grace=0.01),
    ),
}


@pytest.mark.parametrize("kind", ENDINGS)
async def test_who_ends_it_from_outside_waits_no_longer_than_their_grace(kind: str) -> None:
    inside, outside = ENDINGS[kind]
    async with asyncio.timeout(30), Host(discover=False) as host:
        plugin = Lingering(inside(host))
        await host.load(plugin, name="p")
        call = await begun(await host.board("b"), plugin)
        await outside(host)

        outcome = await call
        assert isinstance(outcome, Failure)
        assert outcome.code is Code.ABORTED
        assert host.running == ()


async def test_leaving_the_block_of_a_host_ends_the_call_that_closed_it() -> None:
    async with asyncio.timeout(30):
        async with Host(discover=False) as host:
            plugin = Lingering(host.close)
            host.register(tool(plugin.stop))
            call = await begun(await host.board("b"), plugin)
            leaving = asyncio.create_task(host.close(grace=0.01))

        await leaving
        assert (await call).code is Code.ABORTED


def test_a_blocking_host_that_is_closed_again_waits_no_longer_than_its_grace() -> None:
    host = BlockingHost(Config(stop_grace=0.2), discover=False).open()
    closed, let_go = threading.Event(), threading.Event()

    @tool
    def stop() -> str:
        """Close the host, and go on."""
        host.close()
        closed.set()
        let_go.wait(30)
        return "done"

    host.register(stop)
    board = host.board("b")
    with ThreadPoolExecutor(1) as pool:
        calling = pool.submit(board.call, "stop")
        assert closed.wait(30)
        host.close(grace=0.01)
        outcome = calling.result(10)
        let_go.set()

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.ABORTED


@pytest.mark.parametrize("name", ["p", None])
async def test_a_plugin_of_a_closed_board_is_forgotten_once_its_last_call_has_ended(
    name: str | None,
) -> None:
    async with asyncio.timeout(30), Host(discover=False) as host:
        before = dict(host.plugins)
        boards: list[Board] = []

        async def close() -> None:
            await boards[-1].close()

        for number in range(3):
            plugin = Lingering(close)
            boards.append(await host.board(f"b{number}"))
            await boards[-1].load(plugin, name=name)
            call = await begun(boards[-1], plugin)
            plugin.let_go.set()
            assert (await call).is_error is False
        while dict(host.plugins) != before:
            await asyncio.sleep(0.001)

        assert host.running == ()


async def test_a_load_of_the_same_name_waits_for_what_a_call_still_uses() -> None:
    async with asyncio.timeout(30), Host(discover=False) as host:
        boards = [await host.board("one")]

        async def close() -> None:
            await boards[0].close()

        plugin = Lingering(close)
        await boards[0].load(plugin, name="p")
        call = await begun(boards[0], plugin)
        two = await host.board("two")
        loading = asyncio.create_task(two.load(Lingering(close), name="p"))
        plugin.let_go.set()
        await asyncio.gather(call, loading)

        assert list(two.tools) == ["stop"]
        assert (host.plugins["p"].state, host.plugins["p"].tools) == ("loaded", ("stop",))


async def test_a_program_goes_on_with_its_calls_after_it_has_closed_the_host() -> None:
    hosts: list[Host] = []

    @tool
    async def stop() -> str:
        """Close the host."""
        await hosts[0].close()
        return "stopped"

    @tool
    async def echo() -> str:
        """Say so."""
        return "here"

    async def body(it: Inside) -> Any:
        return [await it.make("stop"), await it.make("echo")]

    async with asyncio.timeout(30), coded(body, stop, echo) as (host, board):
        hosts.append(host)
        outcome = await running(board)

    assert isinstance(outcome, Success)
    assert outcome.value["result"] == ["stopped", "here"]


async def test_a_batch_makes_no_call_after_one_that_has_closed_the_host() -> None:
    async with asyncio.timeout(30), Host(discover=False) as host:

        @tool(concurrency_safe=False)
        async def stop() -> str:
            """Close the host."""
            await host.close()
            return "stopped"

        host.register(stop)
        board = await host.board("b")
        outcomes = await board.run([ToolCall(each, "stop") for each in "abc"])

    first, *others = outcomes
    assert isinstance(first, Success)
    assert {each.code for each in others} == {Code.ABORTED_BEFORE_START}
    assert len(outcomes) == 3


async def test_a_host_that_was_closed_can_be_opened_again() -> None:
    plugin = Lingering(asyncio.Event().wait)
    host = Host(discover=False)
    for _ in range(3):
        async with asyncio.timeout(30), host:
            await host.load(plugin, name="p")
            board = await host.board("b")
            host_tool = host.register(tool(echoing))
            assert (await board.call("echoing")).is_error is False
            host_tool.close()

    assert host.plugins["p"].state == "unloaded"


async def echoing() -> str:
    """Say so."""
    return "here"


async def test_a_host_whose_required_plugin_was_missing_opens_once_it_is_there(
    tmp_path: Path,
) -> None:
    with site_at(tmp_path / "site") as site:
        host = Host(Config(required=("w",)))
        with pytest.raises(PluginLoadError):
            await host.open()
        site.install("w-dist", entry_points={"w": "w_mod"}, files={"w_mod.py": GREETING})
        async with host:
            board = await host.board("b")

            assert (await board.call("greet")).is_error is False


async def test_opening_while_it_is_being_closed_waits_for_that() -> None:
    async with asyncio.timeout(30):
        host = await Host(discover=False).open()
        plugin = Lingering(host.close)
        await host.load(plugin, name="p")
        call = await begun(await host.board("b"), plugin)
        opening = asyncio.create_task(host.open())
        await asyncio.sleep(0.01)
        waited = not opening.done()
        plugin.let_go.set()
        await asyncio.gather(call, opening)

        assert waited
        assert (await host.board("b")).name == "b"
        await host.close()


async def test_opening_inside_the_call_that_closed_it_is_refused() -> None:
    async with asyncio.timeout(30), Host(discover=False) as host:
        seen: list[str] = []

        async def again() -> None:
            await host.close()
            try:
                await host.open()
            except HostClosedError as error:
                seen.append(str(error))

        plugin = Lingering(again)
        plugin.let_go.set()
        host.register(tool(plugin.stop))
        await (await host.board("b")).call("stop")

    assert "again" in seen[0]

"""A host or a board that is closed inside a call: withdrawn at once, ended after that call."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import attrs
import pytest
from pegboard import Board, Code, Failure, Host, HostClosedError, Success, hookimpl, tool

Close = Callable[[], Awaitable[Any]]
HOW = pytest.mark.parametrize("by_plugin", [True, False], ids=["of_a_plugin", "of_the_program"])


@attrs.define
class Closer:
    """Has a tool that closes something, and notes in which order what ends."""

    close: Close
    seen: list[Any] = attrs.field(factory=list)

    @hookimpl
    def pegboard_tools(self) -> list[Any]:
        """Offer it."""
        return [tool(self.stop)]

    async def stop(self) -> str:
        """Close something."""
        self.seen.append(await self.close())
        await asyncio.sleep(0.05)
        self.seen.append("body")
        return "stopped"

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_lifespan(self) -> AsyncIterator[None]:
        """Note the end."""
        yield
        self.seen.append("plugin")

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_board(self) -> AsyncIterator[None]:
        """Note the end of a board."""
        yield
        self.seen.append("board")


async def put(host: Host, closer: Closer, *, by_plugin: bool) -> Board:
    """A board with the tool that closes."""
    if by_plugin:
        await host.load(closer, name="closer")
    else:
        host.register(tool(closer.stop))
    return await host.board("agent")


@HOW
async def test_a_host_that_is_closed_inside_a_call_ends_after_that_call(by_plugin: bool) -> None:
    async with asyncio.timeout(20), Host(discover=False) as host:
        closer = Closer(host.close)
        board = await put(host, closer, by_plugin=by_plugin)

        outcome = await board.call("stop")

    reports, *order = closer.seen
    assert isinstance(outcome, Success)
    assert [each.still_running for each in reports] == [(outcome.call_id,)] * by_plugin
    assert order == ["body", "board", "plugin"][: 1 + 2 * by_plugin]
    assert host.running == ()
    with pytest.raises(HostClosedError):
        await host.board("other")


@HOW
async def test_observers_hear_of_the_call_that_closed_its_host(by_plugin: bool) -> None:
    heard: list[str] = []

    async def note(outcome: Any) -> None:
        await asyncio.sleep(0)
        heard.append(outcome.tool)

    async with asyncio.timeout(20), Host(discover=False) as host:
        host.hook(call_finished=note)
        board = await put(host, Closer(host.close), by_plugin=by_plugin)
        await board.call("stop")

    assert heard == ["stop"]


@HOW
async def test_closing_twice_inside_of_calls_and_outside_ends_once(by_plugin: bool) -> None:
    async with asyncio.timeout(20), Host(discover=False) as host:
        closer = Closer(host.close)
        board = await put(host, closer, by_plugin=by_plugin)
        calls = [asyncio.create_task(board.call("stop")) for _ in range(5)]
        await asyncio.sleep(0.01)
        await asyncio.gather(host.close(), host.close())

        assert host.running == ()
        outcomes = [await each for each in calls]

    assert {isinstance(each, Success) or each.code for each in outcomes} <= {True, Code.ABORTED}
    assert closer.seen.count("plugin") == by_plugin


async def test_a_call_on_another_host_waits_for_the_end_of_the_one_it_closes() -> None:
    async with asyncio.timeout(20), Host(discover=False) as outer:
        inner = await Host(discover=False).open()
        left = Closer(outer.close)
        await inner.load(left, name="closer")

        async def end_inner() -> bool:
            """Close another host."""
            await inner.close()
            return "plugin" in left.seen

        outer.register(tool(end_inner))
        assert (await (await outer.board("b")).call("end_inner")).unwrap() is True


async def test_closing_goes_on_where_who_awaits_it_is_cancelled() -> None:
    async with asyncio.timeout(20), Host(discover=False) as host:
        closer = Closer(host.close)
        await host.load(closer, name="closer")
        closing = asyncio.create_task(host.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait([closing])

        assert closing.cancelled()
        await host.close()
        assert closer.seen == ["plugin"]


async def test_the_shorter_grace_of_two_holds() -> None:
    async def wait() -> None:
        """Wait for ever."""
        await asyncio.sleep(3600)

    async with asyncio.timeout(20), Host(discover=False) as host:
        host.register(tool(wait))
        board = await host.board("b")
        running = asyncio.create_task(board.call("wait"))
        await asyncio.sleep(0.01)
        await asyncio.gather(host.close(grace=3600), host.close(grace=0.01))

        outcome = await running
    assert isinstance(outcome, Failure)
    assert outcome.code is Code.ABORTED


async def test_what_a_call_uses_of_its_board_is_left_after_it_where_it_closes_the_board() -> None:
    async with asyncio.timeout(20), Host(discover=False) as host:
        boards: list[Board] = []

        async def close() -> None:
            await boards[0].close()

        closer = Closer(close)
        boards.append(await put(host, closer, by_plugin=True))
        outcome = await boards[0].call("stop")
        while "board" not in closer.seen:
            await asyncio.sleep(0)

        assert isinstance(outcome, Success)
        assert closer.seen[1:] == ["body", "board"]
        assert "agent" not in host.boards


async def test_a_board_that_was_closed_inside_a_call_can_be_made_anew_at_once() -> None:
    async with asyncio.timeout(20), Host(discover=False) as host:
        boards: list[Board] = []

        async def again() -> list[str]:
            await boards[0].close()
            return sorted((await host.board("agent")).tools)

        closer = Closer(again)
        boards.append(await put(host, closer, by_plugin=True))
        await boards[0].call("stop")
        await asyncio.sleep(0.05)

        assert closer.seen[:2] == [["stop"], "body"]
        assert (await host.boards["agent"].call("stop")).is_error is False

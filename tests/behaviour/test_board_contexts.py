"""What plugins keep for each board lives as long as both the plugin and the board."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pegboard import (
    BoardConfig,
    BoardError,
    Config,
    Failure,
    Host,
    PegboardError,
    PluginContext,
    PluginLoadError,
    RunContext,
    Tool,
    hookimpl,
    tool,
)


def named(name: str) -> Tool:
    """A tool that gives the state of its plugin for the board it is called on."""

    async def run(arguments: Any, context: RunContext) -> Any:
        return context.state

    return Tool(name=name, description="S.", parameters={"type": "object"}, run=run)


class Todo:
    """A plugin with a list for each board."""

    def __init__(self, *, fails_on: str = "") -> None:
        self.log: list[str] = []
        self.fails_on = fails_on
        self.kept: list[Any] = []

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_board(self, plugin: PluginContext, board: Any) -> AsyncIterator[list[str]]:
        """Keep a list, and offer a tool for it."""
        if board.name == self.fails_on:
            raise OSError("no list")
        self.log.append(f"in {board.name}")
        self.kept.append(board.register(named("todo_list")))
        yield [board.name]
        self.log.append(f"out {board.name}")


async def test_each_board_has_its_own_state_whichever_came_first() -> None:
    async with Host(discover=False) as host:
        before = await host.board("before")
        await host.load(Todo(), name="todo")
        after = await host.board("after")

        values = [(await board.call("todo_list")).unwrap() for board in (before, after)]

    assert values == [["before"], ["after"]]


async def test_contexts_are_left_once_with_the_board_or_with_the_plugin() -> None:
    plugin = Todo()
    async with Host(discover=False) as host:
        await host.load(plugin, name="todo")
        one, two = await host.board("one"), await host.board("two")
        await one.close()
        await host.unload("todo")
        tools = list(two.tools)

    assert plugin.log == ["in one", "in two", "out one", "out two"]
    assert tools == []


async def test_masks_of_the_board_reach_what_a_global_plugin_puts_on_it() -> None:
    async with Host(discover=False) as host:
        await host.load(Todo(), name="todo")
        board = await host.board("a")
        child = await host.board("c", parent=board)
        mask = board.restrict(deny=["todo_*"])
        hidden = list(board.tools)
        mask.close()

        assert (hidden, list(board.tools), list(child.tools)) == ([], ["todo_list"], ["todo_list"])


async def test_a_tool_that_the_plugin_took_back_itself_is_gone() -> None:
    plugin = Todo()
    async with Host(discover=False) as host:
        await host.load(plugin, name="todo")
        board = await host.board("a")
        plugin.kept[0].close()

        assert list(board.tools) == []
        await host.unload("todo")


async def test_a_context_that_raises_for_a_new_board_makes_no_board() -> None:
    plugin = Todo(fails_on="bad")
    async with Host(discover=False) as host:
        await host.load(plugin, name="todo")
        with pytest.raises(PegboardError, match="no list"):
            await host.board("bad")

        assert "bad" not in host.boards
        assert list((await host.board("good")).tools) == ["todo_list"]


async def test_a_context_that_raises_for_an_old_board_fails_the_plugin_as_a_whole() -> None:
    plugin = Todo(fails_on="bad")
    async with Host(discover=False) as host:
        good, bad = await host.board("good"), await host.board("bad")
        with pytest.raises(PluginLoadError, match="no list"):
            await host.load(plugin, name="todo")

        assert list(good.tools) == list(bad.tools) == []
    assert plugin.log == ["in good", "out good"]


async def test_a_plugin_loaded_on_a_board_reaches_its_children_and_no_other() -> None:
    plugin = Todo()
    async with Host(discover=False) as host:
        parent = await host.board("p")
        await host.board("other")
        await parent.load(plugin)
        await host.board("child", parent=parent)

    assert plugin.log[:2] == ["in p", "in child"]
    assert sorted(plugin.log[2:]) == ["out child", "out p"]


async def test_errors_of_leaving_are_reported_and_stop_nobody() -> None:
    class Broken(Todo):
        @hookimpl
        @contextlib.contextmanager
        def pegboard_board(self, board: Any) -> Iterator[None]:
            """Fail when it is left."""
            yield
            raise OSError("kept open")

    plugin = Todo()
    async with Host(discover=False) as host:
        await host.load(Broken(), name="broken")
        await host.load(plugin, name="todo")
        report = await (await host.board("a")).close()

    assert "kept open" in "".join(report.errors)
    assert plugin.log == ["in a", "out a"]


async def test_two_who_ask_for_one_board_at_once_get_one() -> None:
    plugin = Todo()
    async with Host(discover=False) as host:
        await host.load(plugin, name="todo")

        one, other = await asyncio.gather(host.board("a"), host.board("a"))

        assert one is other
    assert plugin.log == ["in a", "out a"]


async def test_calls_on_a_board_that_closes_drain_or_are_cancelled() -> None:
    @tool
    async def slow(seconds: float) -> str:
        """Sleep."""
        await asyncio.sleep(seconds)
        return "done"

    async with Host(discover=False) as host:
        host.register(slow)
        board = await host.board("a")
        calls = [asyncio.create_task(board.call("slow", {"seconds": each})) for each in (0.05, 60)]
        await asyncio.sleep(0.01)

        await board.close(grace=0.2)
        outcomes = [await call for call in calls]

    assert not outcomes[0].is_error
    assert isinstance(outcomes[1], Failure)
    assert "closed" in outcomes[1].message


async def test_a_grant_lifts_the_boards_own_mask_and_no_other() -> None:
    async with Host(discover=False) as host:
        host.register(named("shell_run"))
        host.register(named("other"))
        parent = await host.board("p")
        child = await host.board("c", parent=parent, deny=["shell_*", "other"])
        before = list(child.tools)
        with child.grant("shell_run"):
            granted = list(child.tools)
            with parent.restrict(deny=["shell_run"]):
                by_parent = list(child.tools)
            with host.restrict(deny=["shell_run"]):
                by_host = list(child.tools)

        assert (before, granted, by_parent, by_host) == ([], ["shell_run"], [], [])
        assert list(child.tools) == []


async def test_boards_that_are_their_own_ancestors_are_refused() -> None:
    boards = {"a": BoardConfig(parent="b"), "b": BoardConfig(parent="a")}
    async with Host(Config(boards=boards), discover=False) as host:
        with pytest.raises(BoardError, match="'a' -> 'b' -> 'a'"):
            await host.board("a")


async def test_nothing_of_a_boards_own_plugin_is_listed_after_the_board_closed() -> None:
    async with Host(discover=False) as host:
        before = dict(host.plugins)
        async with host.board("short") as board:
            await board.load(Todo())
            assert "Todo@short" in host.plugins

        assert dict(host.plugins) == before


async def test_a_board_may_be_closed_while_its_host_is() -> None:
    class Slow:
        @hookimpl
        @contextlib.asynccontextmanager
        async def pegboard_board(self) -> AsyncIterator[None]:
            """Leave slowly."""
            yield
            await asyncio.sleep(0.01)

    async with Host(discover=False) as host:
        await host.load(Slow())
        boards = [await host.board(name) for name in "abc"]
        await asyncio.gather(host.close(), *(each.close() for each in boards), host.close())

        assert dict(host.boards) == {}


@pytest.mark.parametrize("guard", [None, 3, "x"])
async def test_a_guard_that_cannot_be_called_is_refused_for_a_board_too(guard: Any) -> None:
    class Sloppy:
        @hookimpl
        @contextlib.contextmanager
        def pegboard_board(self, board: Any) -> Iterator[None]:
            """Offer what is no guard."""
            board.guard(guard)
            yield

    async with Host(discover=False) as host:
        await host.board("a")
        with pytest.raises(PluginLoadError, match="a guard of plugin"):
            await host.load(Sloppy(), name="sloppy")

"""A plugin has its tools asked for again: swapped in one step, or not at all."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from pegboard import (
    Ask,
    Config,
    Host,
    PluginConfig,
    PluginContext,
    PluginLoadError,
    RunContext,
    Tool,
    hookimpl,
    tool,
)
from pegboard_lives import named, offering, plugin

QUICK = Config(load_timeout=0.3, stop_grace=0.3)


class Changing:
    """A plugin whose tools change.

    Attributes:
        tools: what it offers now.
        context: what it was given.
    """

    context: PluginContext

    def __init__(self, *tools: Tool) -> None:
        self.tools: Any = list(tools)

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> list[Tool]:
        """Give them."""
        self.context = plugin
        return self.tools() if callable(self.tools) else self.tools


@contextlib.asynccontextmanager
async def loaded(changing: Changing, **config: Any) -> AsyncIterator[Host]:
    """A host with the plugin as `p`."""
    async with Host(Config(load_timeout=0.3, stop_grace=0.3, **config), discover=False) as host:
        await host.load(changing, name="p")
        yield host


async def test_what_the_plugin_offers_now_takes_the_place_of_what_it_offered() -> None:
    changing = Changing(named("a"), named("b"))
    async with loaded(changing) as host:
        board = await host.board("x")
        before = board.revision
        changing.tools = [named("c"), named("b")]

        await changing.context.refresh()

        assert list(board.tools) == ["c", "b"]
        assert host.plugins["p"].tools == ("c", "b")
        assert board.revision == before + 1


async def test_refreshing_what_has_not_changed_leaves_the_revision_alone() -> None:
    changing = Changing(named("a"), named("b"))
    async with loaded(changing) as host:
        board = await host.board("x")
        before = (board.revision, board.definitions())

        await changing.context.refresh()

        assert (board.revision, board.definitions()) == before


async def test_a_running_call_keeps_its_tool_and_its_lease() -> None:
    gate, started = asyncio.Event(), asyncio.Event()

    @tool
    async def slow() -> str:
        """Wait."""
        started.set()
        await gate.wait()
        return "old"

    changing = Changing(slow)
    async with loaded(changing) as host:
        board = await host.board("x")
        call = asyncio.create_task(board.call("slow"))
        await started.wait()
        changing.tools = [named("slow", "new")]
        await changing.context.refresh()
        new = await board.call("slow")
        unloading = asyncio.create_task(host.unload("p"))
        await asyncio.sleep(0.02)
        is_waiting = not unloading.done()
        gate.set()

        assert (new.unwrap(), (await call).unwrap()) == ("new", "old")
        assert is_waiting
        assert (await unloading).drained == 1


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        (lambda: 1 / 0, "ZeroDivisionError"),
        (sys.exit, "SystemExit"),
        (lambda: [named("new"), "no tool"], "no tool"),
        (lambda: [named("new"), named("new")], "already registered"),
        (lambda: [named("new"), named("taken")], "already registered by plugin 'other'"),
        (lambda: [named("new"), named("run_code")], "reserved"),
        (lambda: 3, "a list is expected"),
    ],
)
async def test_a_refresh_that_fails_changes_nothing(tools: Callable[[], Any], reason: str) -> None:
    changing = Changing(named("a"), named("b"))
    async with loaded(changing) as host:
        await host.load(offering("taken"), name="other")
        board = await host.board("x")
        before = (board.revision, list(board.tools), host.plugins["p"])
        changing.tools = tools

        with pytest.raises(PluginLoadError, match=reason) as caught:
            await changing.context.refresh()

        assert "stay as they were" in str(caught.value)
        assert (board.revision, list(board.tools), host.plugins["p"]) == before
        assert (await board.call("a")).unwrap() == "a"


async def test_a_refresh_that_hangs_ends_at_the_limit_and_is_not_tried_beside_itself() -> None:
    release = threading.Event()
    changing = Changing(named("a"))
    async with loaded(changing) as host:
        changing.tools = lambda: release.wait(10) and []
        for reason in ("load_timeout", "still goes on"):
            with pytest.raises(PluginLoadError, match=reason):
                await changing.context.refresh()
        report = await host.unload("p")
        release.set()

    assert report.leaked == ("thread pegboard-load-pegboard_tools of 'p'",)


async def test_many_refreshes_at_once_end_with_what_is_offered_last() -> None:
    changing = Changing(named("a"))
    numbers: Iterator[int] = iter(range(100))
    async with loaded(changing) as host:
        changing.tools = lambda: [named(f"t{next(numbers)}")]

        await asyncio.gather(*(changing.context.refresh() for _ in range(10)))

        assert list(host.tools) == ["t9"]


async def test_a_refresh_that_an_unload_overtakes_brings_nothing_back() -> None:
    entered, release = threading.Event(), threading.Event()

    def slow() -> list[Tool]:
        entered.set()
        release.wait(5)
        return [named("late")]

    changing = Changing(named("a"))
    async with loaded(changing) as host:
        changing.tools = slow
        refreshing = asyncio.create_task(changing.context.refresh())
        await asyncio.to_thread(entered.wait, 5)
        unloading = asyncio.create_task(host.unload("p"))
        await asyncio.sleep(0.02)
        release.set()

        with pytest.raises(PluginLoadError, match="unloaded"):
            await refreshing
        assert (list(host.tools), (await unloading).leaked) == ([], ())


async def test_a_plugin_that_is_gone_cannot_be_refreshed() -> None:
    changing = Changing(named("a"))
    async with loaded(changing) as host:
        await host.unload("p")

        with pytest.raises(PluginLoadError, match="unloaded"):
            await changing.context.refresh()


async def test_a_tool_refreshes_its_own_plugin() -> None:
    @tool
    async def more(context: RunContext) -> list[str]:
        """Offer more."""
        changing.tools = [more, named("b")]
        await context.plugin.refresh()
        return list(changing.context.name)

    changing = Changing(more)
    async with loaded(changing) as host:
        board = await host.board("x")

        assert (await asyncio.wait_for(board.call("more"), 5)).unwrap() == ["p"]
        assert list(board.tools) == ["more", "b"]


async def test_a_change_that_comes_while_the_plugin_loads_is_not_lost() -> None:
    offered = [named("early")]

    @contextlib.asynccontextmanager
    async def lifespan(self: object, plugin: PluginContext) -> AsyncIterator[None]:
        await plugin.refresh()
        yield

    def tools(self: object) -> list[Tool]:
        given = list(offered)
        offered.append(named("late"))
        return given

    living = plugin(pegboard_lifespan=lifespan, pegboard_tools=tools)
    async with Host(QUICK, discover=False) as host:
        await host.load(living, name="p")
        async with asyncio.timeout(5):
            while host.plugins["p"].tools != ("early", "late"):
                await asyncio.sleep(0.01)

        assert list(host.tools) == ["early", "late"]


async def test_the_operators_names_hold_for_refreshed_tools_too() -> None:
    changing = Changing(named("a"))
    async with loaded(changing, plugins={"p": PluginConfig(prefix="web_")}) as host:
        changing.tools = [named("b")]

        await changing.context.refresh()

        assert list(host.tools) == ["web_b"]


async def test_an_approval_for_an_unchanged_tool_outlives_a_refresh() -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def approve(request: object) -> str:
        asked.set()
        await answer.wait()
        return "once"

    changing = Changing(named("a"))
    async with loaded(changing) as host:
        board = await host.board("x")
        board.hook(before_call=lambda execution: Ask("may it?"), approve=approve)
        call = asyncio.create_task(board.call("a"))
        await asked.wait()
        changing.tools = [*changing.tools, named("b")]
        await changing.context.refresh()
        answer.set()

        assert (await call).unwrap() == "a"


async def test_a_module_without_hooks_is_read_again() -> None:
    import types

    module = types.ModuleType("some_tools")
    module.__dict__["a"] = named("a")

    @tool
    async def grow(context: RunContext) -> None:
        """Put another tool into the module."""
        module.__dict__["b"] = named("b")
        await context.plugin.refresh()

    module.__dict__["grow"] = grow
    async with Host(QUICK, discover=False) as host:
        await host.load(module)
        board = await host.board("x")

        await board.call("grow")

        assert list(board.tools) == ["a", "grow", "b"]

"""A plugin's life: found, loaded all or nothing, called, unloaded without a trace."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
import pytest
from pegboard import (
    Code,
    Config,
    Failure,
    Host,
    PegboardError,
    PluginConfig,
    PluginContext,
    PluginLoadError,
    RunContext,
    Tool,
    UnknownNameError,
    hookimpl,
    tool,
)
from pegboard.testing import host_with


@tool
def ghost() -> str:
    """Answer."""
    return "boo"


class Offering:
    """A plugin that offers one tool."""

    def __init__(self, offered: Tool) -> None:
        self.offered = offered

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tool."""
        return [self.offered]


async def test_a_hook_that_names_an_unknown_argument_leaves_nothing() -> None:
    class Half:
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            return [ghost]

        @hookimpl
        def pegboard_call_finished(self, no_such_argument: object) -> None: ...

    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="no_such_argument"):
            await host.load(Half(), name="p1")
        board = await host.board("a")
        state, tools = host.plugins["p1"].state, list(board.tools)
        await host.load(Offering(ghost), name="p1")

        assert (state, tools) == ("failed", [])
        assert (await board.call("ghost")).unwrap() == "boo"


async def test_a_hook_that_does_not_exist_is_refused_with_the_near_name() -> None:
    class Misspelt:
        @hookimpl
        def pegboard_tool(self) -> list[Tool]:
            return []

    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="'pegboard_tools'"):
            await host.load(Misspelt())


async def test_the_loser_of_a_collision_fails_as_a_whole() -> None:
    async with Host(discover=False) as host:
        await host.load(Offering(ghost), name="first")
        with pytest.raises(PluginLoadError, match="already registered by plugin 'first'"):
            await host.load(Offering(ghost), name="second")

        assert host.plugins["second"].state == "failed"
        assert host.plugins["first"].tools == ("ghost",)


async def test_a_prefix_or_a_new_name_is_the_way_out_of_a_collision() -> None:
    options = {
        "second": PluginConfig(prefix="web_"),
        "third": PluginConfig(rename={"ghost": "spectre"}),
    }
    async with Host(Config(plugins=options), discover=False) as host:
        for name in ("first", "second", "third"):
            await host.load(Offering(ghost), name=name)
        board = await host.board("a")

        assert list(board.tools) == ["ghost", "web_ghost", "spectre"]
        assert (await board.call("spectre")).unwrap() == "boo"
        assert "'ghost'" in str(board.explain("web_ghost"))


async def test_the_order_of_loading_does_not_show() -> None:
    listings = []
    for order in (("b", "a"), ("a", "b")):
        async with Host(discover=False) as host:
            for name in order:
                await host.load(Offering(_named(f"of_{name}")), name=name)
            listings.append(list(host.tools))

    assert listings == [["of_a", "of_b"]] * 2


async def test_a_lifespan_is_entered_before_the_tools_and_left_after_them() -> None:
    log: list[str] = []

    class Living:
        @hookimpl
        @contextlib.asynccontextmanager
        async def pegboard_lifespan(self, plugin: PluginContext) -> AsyncIterator[str]:
            log.append("in")
            plugin.on_unload(lambda: log.append("callback"))
            yield "resource"
            log.append("out")

        @hookimpl
        def pegboard_tools(self, plugin: PluginContext) -> list[Tool]:
            log.append(f"tools with {plugin.resource}")
            return [ghost]

    async with host_with(Living()):
        pass

    assert log == ["in", "tools with resource", "callback", "out"]


async def test_a_lifespan_that_raises_takes_everything_back() -> None:
    class Broken:
        @hookimpl
        @contextlib.contextmanager
        def pegboard_lifespan(self) -> Iterator[None]:
            raise OSError("no database")
            yield

        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            return [ghost]

    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="no database"):
            await host.load(Broken(), name="p")

        assert list(host.tools) == []


@attrs.frozen
class Settings:
    """Settings of a plugin."""

    root: str
    most: int = 3


class Configured:
    """A plugin with settings, whose tool tells them."""

    @hookimpl
    def pegboard_settings(self) -> type:
        """Give the class."""
        return Settings

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give a tool that reads them."""

        @tool
        def told(context: RunContext) -> list[Any]:
            """Tell the settings."""
            settings = context.plugin.settings
            return [settings.root, settings.most]

        return [told]


async def test_settings_are_structured_and_reach_the_tool() -> None:
    async with Host(Config(plugins={"c": PluginConfig({"root": "x"})}), discover=False) as host:
        await host.load(Configured(), name="c")
        board = await host.board("a")

        assert (await board.call("told")).unwrap() == ["x", 3]


async def test_all_mistakes_in_settings_are_told_at_once() -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(Configured(), name="c", settings={"rot": "x", "most": "many"})

    for word in ("root", "rot", "most"):
        assert word in str(caught.value)


async def test_a_plugin_loaded_for_one_board_stands_on_that_board_only() -> None:
    class Watching(Offering):
        @hookimpl
        def pegboard_guards(self) -> list[Any]:
            return [lambda execution: "closed" if execution.tool == "other" else None]

    async with Host(discover=False) as host:
        host.register(_named("other"))
        board, second = await host.board("a"), await host.board("b")
        info = await board.load(Watching(ghost))

        outcomes = [await each.call("other") for each in (board, second)]

        assert (info.name, list(second.tools)) == ("Watching@a", ["other"])
        assert [outcome.is_error for outcome in outcomes] == [True, False]


async def test_a_running_call_goes_on_while_its_plugin_is_unloaded() -> None:
    gate = asyncio.Event()

    async def run(arguments: Any, context: RunContext) -> str:
        await gate.wait()
        return "done"

    slow = Tool(name="slow", description="S.", parameters={"type": "object"}, run=run)
    async with Host(discover=False) as host:
        await host.load(Offering(slow), name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("slow"))
        await asyncio.sleep(0.01)
        unloading = asyncio.create_task(host.unload("p"))
        await asyncio.sleep(0.01)
        refused = await board.call("slow")
        gate.set()

        assert isinstance(refused, Failure)
        assert refused.code is Code.UNKNOWN_TOOL
        assert (await call).unwrap() == "done"
        assert (await unloading).drained == 1


async def test_a_call_that_outlasts_the_grace_is_cancelled_and_has_its_outcome() -> None:
    async def run(arguments: Any, context: RunContext) -> None:
        await asyncio.sleep(60)

    slow = Tool(name="slow", description="S.", parameters={"type": "object"}, run=run)
    async with Host(discover=False) as host:
        await host.load(Offering(slow), name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("slow"))
        await asyncio.sleep(0.01)

        report = await host.unload("p", grace=0.05)
        outcome = await call

    assert (report.drained, report.cancelled) == (0, 1)
    assert isinstance(outcome, Failure)
    assert outcome.code is Code.ABORTED
    assert "unloaded" in outcome.message


async def test_a_tool_can_unload_its_own_plugin() -> None:
    async with Host(discover=False) as host:

        async def run(arguments: Any, context: RunContext) -> list[str]:
            report = await host.unload("p")
            return list(report.still_running)

        leave = Tool(name="leave", description="L.", parameters={"type": "object"}, run=run)
        await host.load(Offering(leave), name="p")
        board = await host.board("a")

        outcome = await asyncio.wait_for(board.call("leave", id="c1"), 5)
        await asyncio.sleep(0.05)

        assert outcome.unwrap() == ["c1"]
        assert host.plugins["p"].state == "unloaded"


async def test_unloading_what_is_not_there() -> None:
    async with Host(Config(required=()), discover=False) as host:
        await host.load(Offering(ghost), name="files")
        with pytest.raises(UnknownNameError, match="'files'"):
            await host.unload("flies")
        await host.unload("files")

        again = await host.unload("files")

    assert (again.drained, again.cancelled, again.leaked) == (0, 0, ())


async def test_a_required_plugin_is_unloaded_by_force_only() -> None:
    async with Host(Config(required=("p",)), discover=False) as host:
        await host.load(Offering(ghost), name="p")
        with pytest.raises(PegboardError, match="force=True"):
            await host.unload("p")

        await host.unload("p", force=True)

        assert list(host.tools) == []


async def test_a_plugin_whose_settings_hook_hangs_fails_within_the_limit() -> None:
    release = __import__("threading").Event()

    class Hanging:
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            release.wait(20)
            return []

    async with Host(Config(load_timeout=0.1), discover=False) as host:
        with pytest.raises(PluginLoadError, match="load_timeout"):
            await host.load(Hanging(), name="h")
        release.set()

        assert host.plugins["h"].state == "failed"


async def test_a_reserved_name_is_its_owners_alone_and_free_when_the_owner_goes() -> None:
    class Shell(Offering):
        @hookimpl
        def pegboard_reserved_names(self) -> dict[str, str]:
            return {"bash": "the operator's shell"}

    async with Host(discover=False) as host:
        await host.load(Shell(_named("bash")), name="shell")
        for name in ("bash", "Bash", "BASH"):
            with pytest.raises(PluginLoadError, match="the operator's shell"):
                await host.load(Offering(_named(name)), name="evil")
        assert host.plugins["shell"].tools == ("bash",)
        await host.unload("shell")

        await host.load(Offering(_named("bash")), name="evil")

        assert host.plugins["evil"].state == "loaded"


def _named(name: str) -> Tool:
    async def run(arguments: Any, context: RunContext) -> str:
        return name

    return Tool(name=name, description=f"{name}.", parameters={"type": "object"}, run=run)

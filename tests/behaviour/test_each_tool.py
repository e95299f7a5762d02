"""A plugin whose tools stand by themselves: one that can't be offered costs only itself."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    Config,
    EachTool,
    Host,
    PluginConfig,
    PluginContext,
    PluginInfo,
    PluginLoadError,
    Tool,
    hookimpl,
)
from pegboard_lives import named

OBJECT = {"type": "object"}


class Many:
    """A plugin that offers what it is given.

    Attributes:
        tools: what it offers.
        context: what it was given.
    """

    context: PluginContext

    def __init__(self, *tools: Any) -> None:
        self.tools: Sequence[Any] = tools

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> EachTool:
        """Give them one by one."""
        self.context = plugin
        return EachTool(self.tools)


def odd(name: str = "odd", *, parameters: Any = None, description: str = "") -> Tool:
    """A tool that may be wrong."""

    async def run(_arguments: Any, _context: Any) -> None: ...

    return Tool(name=name, description=description, parameters=parameters or OBJECT, run=run)


def reasons(info: PluginInfo) -> dict[str, str]:
    """Why tools are left out, by name."""
    return {each.name: each.reason for each in info.refused}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (odd("bad name"), "can't be the name of a tool"),
        (odd(parameters={"type": "string"}), '"type": "object"'),
        (odd(parameters={"type": "object", "required": None}), "can't be enforced"),
        (odd(description="a\u200bb"), "hidden character U+200B"),
        (odd("run_code"), "reserved"),
        (odd("taken"), "already registered by the program"),
        (odd("TAKEN"), "case doesn't tell names apart"),
        (odd("a"), "already registered by plugin 'm'"),
        (odd("A"), "already registered by plugin 'm'"),
        ("no tool", "is no tool"),
    ],
    ids=["name", "root", "schema", "text", "reserved", "taken", "case", "twice", "spelling", "str"],
)
async def test_what_can_t_be_offered_is_left_out_with_its_reason(wrong: Any, says: str) -> None:
    async with Host(discover=False) as host:
        host.register(named("taken"))
        info = await host.load(Many(named("a"), wrong, named("b")), name="m")
        shown = list((await host.board("x")).tools)

    assert (info.state, info.tools) == ("loaded", ("a", "b"))
    (refused,) = info.refused
    assert says in refused.reason
    assert refused.plugin == "m"
    assert shown == ["taken", "a", "b"]


async def test_explain_says_that_a_tool_is_left_out_and_why() -> None:
    async with Host(discover=False) as host:
        await host.load(Many(named("a"), odd("bad name")), name="m")
        board = await host.board("x")
        explanation = board.explain("bad name")

    assert not explanation.visible
    assert [each.kind for each in explanation.reasons] == ["refused"]
    assert "of plugin 'm' is left out" in str(explanation)


async def test_a_refresh_judges_every_tool_anew() -> None:
    many = Many(named("a"), named("taken"))
    async with Host(discover=False) as host:
        taken = host.register(named("taken"))
        await host.load(many, name="m")
        before = reasons(host.plugins["m"])
        taken.close()
        many.tools = [named("taken"), odd("bad name"), named("a"), named("a")]
        await many.context.refresh()
        board = await host.board("x")
        shown, after = list(board.tools), reasons(host.plugins["m"])

    assert list(before) == ["taken"]
    assert shown == ["taken", "a"]
    assert sorted(after) == ["a", "bad name"]


async def test_unloading_forgets_what_was_left_out() -> None:
    async with Host(discover=False) as host:
        await host.load(Many(odd("bad name")), name="m")
        await host.unload("m")

        assert host.plugins["m"].refused == ()


async def test_a_prefix_is_the_way_out_of_a_name_that_is_taken() -> None:
    config = Config(plugins={"m": PluginConfig(prefix="m_")})
    async with Host(config, discover=False) as host:
        host.register(named("taken"))
        info = await host.load(Many(named("taken")), name="m")

    assert (info.tools, info.refused) == (("m_taken",), ())


async def test_renaming_what_isn_t_there_stops_no_other_tool() -> None:
    config = Config(plugins={"m": PluginConfig(rename={"gone": "here"})})
    async with Host(config, discover=False) as host:
        info = await host.load(Many(named("a")), name="m")

    assert info.tools == ("a",)
    assert "no such tool" in reasons(info)["gone"]


@given(
    names=st.lists(st.sampled_from(["a", "A", "b", "c", "d e", "run_code", "taken", "Taken"])),
)
async def test_a_tool_stands_exactly_if_it_could_stand_after_those_before_it(
    names: list[str],
) -> None:
    free: dict[str, str] = {}
    for name in names:
        if name not in ("d e", "run_code") and name.lower() != "taken":
            free.setdefault(name.lower(), name)

    async with Host(discover=False) as host:
        host.register(named("taken"))
        info = await host.load(Many(*map(odd, names)), name="m")

    assert info.tools == tuple(free.values())
    assert len(info.refused) == len(names) - len(free)


async def test_tools_of_one_list_still_stand_or_fall_together(tmp_path: Path) -> None:
    file = tmp_path / "whole.py"
    file.write_text(
        "from pegboard import Tool, hookimpl\n"
        "async def run(arguments, context): ...\n"
        "def made(name): return Tool(name=name, parameters={'type': 'object'}, run=run)\n"
        "@hookimpl\n"
        "def pegboard_tools(): return [made('a'), made('bad name')]\n"
    )
    async with Host(discover=False) as host:
        with pytest.raises(Exception, match="can't be the name of a tool"):
            await host.load(str(file))

        assert host.plugins["whole"].state == "failed"


async def test_what_a_plugin_leaves_out_itself_is_listed_with_the_others() -> None:
    class Picky:
        @hookimpl
        def pegboard_tools(self) -> EachTool:
            return EachTool([named("a")], refused={"b": "it has no database"})

    async with Host(discover=False) as host:
        info = await host.load(Picky(), name="m")

    assert (info.tools, reasons(info)) == (("a",), {"b": "it has no database"})


async def test_a_tool_whose_name_was_taken_comes_once_the_name_is_free() -> None:
    async with Host(discover=False) as host:
        await host.load(Many(named("shared")), name="a")
        await host.load(Many(named("shared"), named("own")), name="b")
        before = reasons(host.plugins["b"])
        await host.unload("a")
        await _until(lambda: host.plugins["b"].refused == ())
        board = await host.board("x")
        shown = list(board.tools)

    assert list(before) == ["shared"]
    assert shown == ["shared", "own"]


@pytest.mark.parametrize(
    ("tools", "refused", "says"),
    [
        (None, {}, "takes a list of tools, not NoneType"),
        ("ab", {}, "takes a list of tools, not str"),
        ([], None, "takes names with reasons, not NoneType"),
        ([], ["x"], "takes names with reasons, not list"),
        ([], {7: "y"}, "takes text with text, not int with str"),
        ([], {"x": 5}, "takes text with text, not str with int"),
    ],
)
async def test_what_is_no_list_of_tools_fails_the_plugin_and_says_so(
    tools: Any, refused: Any, says: str
) -> None:
    class Wrong:
        @hookimpl
        def pegboard_tools(self) -> EachTool:
            return EachTool(tools, refused)

    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match=says):
            await host.load(Wrong(), name="m")
        board = await host.board("x")

        assert [each.kind for each in board.explain("echo").reasons] == ["unknown", "failed"]


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():
            await asyncio.sleep(0.001)

"""What a catalogue knows is shown at once, and imported by the first call of one of its tools."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import (
    Code,
    Failure,
    PegboardError,
    PluginConfig,
    PluginLoadError,
    Select,
    Signal,
    ToolCall,
)
from pegboard.testing import Site, site_at
from pegboard_deferred import GREET, hosted, imports, install, known, variable

MORE = '''
from contextlib import nullcontext as pegboard_nothing

from pegboard import hookimpl, tool


@tool
def more() -> int:
    """One more."""
    return 1


@hookimpl
def {hook}({arguments}):
    {body}


@hookimpl
def pegboard_tools():
    return [more]
'''
PICKY = """
from pegboard import EachTool, Tool, hookimpl


async def run(arguments, context):
    return 1


@hookimpl
def pegboard_tools():
    tools = [Tool(name=name, parameters={"type": "object"}, run=run) for name in NAMES]
    return EachTool(tools, refused={"later": "it has no database"})
"""
SEEN = """
from contextlib import nullcontext

from pegboard import hookimpl
from pegboard_deferred import imports, variable


@hookimpl
def pegboard_lifespan(plugin):
    imports.append(variable.get())
    return nullcontext()
"""
HOOKS = [
    ("pegboard_settings", "", "from pegboard_deferred import Empty; return Empty", "deferred"),
    (
        "pegboard_lifespan",
        "plugin",
        "import contextlib; return contextlib.nullcontext()",
        "deferred",
    ),
    ("pegboard_guards", "", "return [lambda execution: None]", "loaded"),
    ("pegboard_reserved_names", "", "return {'mine': 'it is mine'}", "loaded"),
    ("pegboard_before_call", "execution", "return None", "loaded"),
    ("pegboard_event", "event", "return None", "loaded"),
    ("pegboard_board", "board", "return pegboard_nothing()", "loaded"),
]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with `greet` in it."""
    with site_at(tmp_path / "site") as site:
        install(site)
        yield site


async def test_everything_that_is_shown_is_the_same_before_and_after_the_import(
    site: Site,
) -> None:
    async with hosted("greet") as host:
        board = await host.board("a")
        first = [shown(each) for each in board.tools.values()]

    async with hosted("greet") as host:
        board = await host.board("a")
        deferred = [shown(each) for each in board.tools.values()]
        chosen = board.restrict(allow=[Select(tags=["polite"], read_only=True)])
        visible = list(board.tools)
        chosen.close()
        await board.call("leave")
        imported = [shown(each) for each in board.tools.values()]

    assert first == deferred == imported
    assert visible == ["greet"]


def shown(tool: object) -> tuple[object, ...]:
    """All of a tool that anybody is shown."""
    names = ("name", "description", "parameters", "title", "timeout", "tags", "annotations")
    rest = ("defer_loading", "concurrency_safe", "extra", "coerce", "passthrough")
    output = tool.output.schema  # type: ignore[attr-defined]
    return (*(getattr(tool, name) for name in (*names, *rest)), output)


async def test_calls_that_come_together_import_the_plugin_once_and_all_succeed(site: Site) -> None:
    install(site, code=f"from pegboard_deferred import imports\nimports.append(1)\n{GREET}")
    await known("greet")
    imports.clear()
    async with hosted("greet") as host:
        board = await host.board("a")
        calls = [ToolCall(str(n), "greet" if n % 2 else "leave", {"name": "x"}) for n in range(20)]
        alone = [asyncio.ensure_future(board.call(each)) for each in calls]
        together = await board.run(calls)
        outcomes = [*await asyncio.gather(*alone), *together]

    assert [each.call_id for each in outcomes] == [str(n) for n in range(20)] * 2
    assert not any(each.is_error for each in outcomes)
    assert imports == [1]


async def test_a_call_that_is_cancelled_while_it_waits_for_the_import_never_starts(
    site: Site,
) -> None:
    install(site, code=f"import time\ntime.sleep(0.2)\n{GREET}")
    await known("greet")
    async with hosted("greet") as host:
        board = await host.board("a")
        signal = Signal()
        call = asyncio.ensure_future(board.call("leave", signal=signal))
        while not host.running:
            await asyncio.sleep(0)
        stage = host.running[0].stage
        signal.cancel()

        outcome = await call

        assert stage == "parked"
        assert isinstance(outcome, Failure)
        assert outcome.code is Code.ABORTED_BEFORE_START
        assert not (await board.call("leave")).is_error


@pytest.mark.parametrize(("hook", "arguments", "body", "state"), HOOKS)
async def test_a_plugin_is_deferred_that_has_nothing_but_tools_settings_and_a_lifespan(
    site: Site, hook: str, arguments: str, body: str, state: str
) -> None:
    install(site, "more", MORE.format(hook=hook, arguments=arguments, body=body))
    await known("more")

    async with hosted("more") as host:
        assert host.plugins["more"].state == state


async def test_a_plugin_that_is_required_or_called_eager_is_imported_on_entering(
    site: Site,
) -> None:
    await known("greet")
    async with hosted("greet", required=["greet"]) as host:
        required = host.plugins["greet"].state
    async with hosted("greet", plugins={"greet": PluginConfig(eager=True)}) as host:
        eager = host.plugins["greet"].state

    assert (required, eager) == ("loaded", "loaded")


@pytest.mark.parametrize(
    "options", [PluginConfig(prefix="x_"), PluginConfig(rename={"greet": "hail"})]
)
async def test_a_plugin_of_which_the_operator_says_something_else_is_imported_anew(
    site: Site, options: PluginConfig
) -> None:
    await known("greet")
    async with hosted("greet", plugins={"greet": options}) as host:
        first = (host.plugins["greet"].state, list(host.tools))
    async with hosted("greet", plugins={"greet": options}) as host:
        board = await host.board("a")
        second = (host.plugins["greet"].state, list(host.tools))
        outcome = await board.call(second[1][0], {"name": "Ada"})

    assert (first[0], second[0], first[1]) == ("loaded", "deferred", second[1])
    assert outcome.unwrap() == ["hello Ada"]


async def test_the_tool_of_a_plugin_that_is_not_imported_says_how_it_is_called(site: Site) -> None:
    await known("greet")
    async with hosted("greet") as host:
        with pytest.raises(PegboardError, match="'greet' isn't imported yet; call it through"):
            host.tools["greet"]("Ada")


async def test_a_plugin_that_can_be_imported_no_more_ends_the_calls_that_wait_and_is_failed(
    site: Site,
) -> None:
    await known("greet")
    async with hosted("greet") as host:
        (site.path / "greet.py").write_text("raise OSError('no disk')")
        board = await host.board("a")
        revision = board.revision
        outcomes = await board.run([ToolCall("1", "greet", {"name": "x"}), ToolCall("2", "leave")])

        assert [each.code for each in outcomes if isinstance(each, Failure)] == [
            Code.UNKNOWN_TOOL
        ] * 2
        assert "its plugin 'greet' could not be loaded" in outcomes[0].message  # type: ignore[union-attr]
        assert "no disk" not in outcomes[0].message  # type: ignore[union-attr]
        assert (host.plugins["greet"].state, list(board.tools)) == ("failed", [])
        assert board.revision != revision
        assert "no disk" in str(board.explain("greet"))


async def test_loading_it_imports_it_and_reloading_too(site: Site) -> None:
    await known("greet")
    async with hosted("greet") as host:
        loaded = await host.load("greet")
    async with hosted("greet") as host:
        reloaded = await host.reload("greet")

    assert [(each.state, each.generation) for each in (loaded, reloaded)] == [("loaded", 1)] * 2


async def test_loading_it_once_more_is_refused_as_ever(site: Site) -> None:
    await known("greet")
    async with hosted("greet") as host:
        await host.load("greet")
        with pytest.raises(PluginLoadError, match="loaded already"):
            await host.load("greet")


async def test_unloading_it_takes_its_tools_and_imports_nothing(site: Site) -> None:
    await known("greet")
    async with hosted("greet") as host:
        report = await host.unload("greet")

        assert (report.generation, host.plugins["greet"].state, list(host.tools)) == (
            0,
            "unloaded",
            [],
        )
        assert "greet" not in sys.modules
        assert (await host.load("greet")).state == "loaded"


async def test_unloading_it_while_it_is_imported_takes_all_of_it(site: Site) -> None:
    install(site, code=f"import time\ntime.sleep(0.2)\n{GREET}")
    await known("greet")
    async with hosted("greet") as host:
        board = await host.board("a")
        call = asyncio.ensure_future(board.call("leave"))
        while not host.running:
            await asyncio.sleep(0)
        report = await host.unload("greet")
        outcome = await call

        assert report.leaked == ()
        assert not outcome.is_error or outcome.code is Code.UNKNOWN_TOOL  # type: ignore[union-attr]
        assert (host.plugins["greet"].state, list(board.tools)) == ("unloaded", [])


async def test_a_sync_reloads_what_was_upgraded_and_touches_nothing_else(site: Site) -> None:
    install(site, "other", GREET.replace("greet", "hail").replace("leave", "part"))
    await known("greet", "other")
    async with hosted("greet", "other") as host:
        nothing = await host.sync()
        install(site, code=GREET.replace("goodbye", "farewell"), version="2.0")
        report = await host.sync()
        states = {name: host.plugins[name].state for name in ("greet", "other")}

        assert (nothing.reloaded, nothing.loaded, nothing.unloaded) == ((), (), ())
        assert (report.reloaded, report.failed) == (("greet",), ())
        assert states == {"greet": "loaded", "other": "deferred"}
        assert host.tools["leave"].description == "Say farewell."


async def test_a_sync_takes_away_what_was_uninstalled(site: Site) -> None:
    await known("greet")
    async with hosted("greet") as host:
        site.uninstall("greet")
        report = await host.sync()

        assert (report.unloaded, list(host.tools), "greet" in host.plugins) == (
            ("greet",),
            [],
            False,
        )


async def test_a_nested_call_imports_the_plugin_of_the_inner_tool(site: Site) -> None:
    outer = '''
from pegboard import RunContext, tool

@tool
async def outer(context: RunContext) -> list[str]:
    """Greet from inside."""
    return (await context.call("greet", {"name": "Ada"})).unwrap()
'''
    install(site, "outer", outer)
    await known("greet", "outer")
    async with hosted("greet", "outer") as host:
        outcome = await (await host.board("a")).call("outer")

    assert outcome.unwrap() == ["hello Ada"]


async def test_the_import_runs_outside_of_the_call_that_asked_for_it(site: Site) -> None:
    install(site, code=GREET + SEEN)
    await known("greet")
    async with hosted("greet") as host:
        board = await host.board("a")
        variable.set("caller")
        outcome = await board.call("leave")

    assert (outcome.unwrap(), imports.pop()) == ("bye", "opener")


async def test_what_is_left_out_for_good_is_listed_without_an_import(site: Site) -> None:
    install(site, "picky", PICKY.replace("NAMES", "('one', 'bad name')"))
    await known("picky")

    async with hosted("picky") as host:
        info = host.plugins["picky"]

    assert (info.state, info.tools) == ("deferred", ("one",))
    assert [each.name for each in info.refused] == ["bad name", "later"]


async def test_a_plugin_with_a_tool_whose_name_was_taken_is_asked_again(site: Site) -> None:
    install(site, "picky", PICKY.replace("NAMES", "('one', 'leave')"))
    await known("picky", "greet")

    async with hosted("picky", "greet") as host:
        before = host.plugins["picky"]
        await host.unload("greet")

    async with hosted("picky") as host:
        after = host.plugins["picky"]

    assert (before.state, before.tools) == ("loaded", ("one",))
    assert (after.state, after.tools) == ("loaded", ("one", "leave"))

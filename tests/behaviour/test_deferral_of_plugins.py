"""Who finds deferred tools: one plugin a board, which may be upgraded, unloaded and come again."""

import asyncio
import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    BoardError,
    Config,
    Host,
    PegboardError,
    PluginBoard,
    PluginLoadError,
    Tool,
    hookimpl,
)
from pegboard_cases import named, raw
from pegboard_finding import FINDER, RARE, SCARCE, USUAL, Finding, finding, said, waiting
from pegboard_versions import versions_at

CODE = '''
"""A plugin that finds what its tool is told to."""

from contextlib import contextmanager

from pegboard import RunContext, hookimpl, tool

V = {version}


@tool
async def gauge_find(context: RunContext, name: str) -> int:
    """Find a tool."""
    context.state.show([name])
    return V


@hookimpl
def pegboard_tools():
    return []


@hookimpl
@contextmanager
def pegboard_board(board):
    yield board.defer(gauge_find)
'''


async def test_a_second_plugin_that_wants_to_find_them_too_is_refused() -> None:
    async with finding(RARE) as (host, board, _):
        with pytest.raises(PluginLoadError, match="'finding' finds the deferred tools of board"):
            await host.load(Finding(), name="second")

        assert (said(board), waiting(board)) == ([], ["rare"])


async def test_a_board_for_which_two_plugins_want_to_find_them_is_not_made() -> None:
    async with Host(discover=False) as host:
        for name in ("one", "two"):
            await host.load(Finding(), name=name)
        with pytest.raises(PegboardError, match=r"'one' finds .* of board 'a' already"):
            await host.board("a")
        await host.unload("one")

        assert said(await host.board("a")) == []


async def test_a_plugin_that_asks_twice_for_one_board_is_refused() -> None:
    class Twice:
        @hookimpl
        @contextmanager
        def pegboard_board(self, board: PluginBoard) -> Iterator[None]:
            board.defer()
            with pytest.raises(BoardError, match="already"):
                board.defer()
            yield

    async with Host(discover=False) as host:
        await host.load(Twice(), name="twice")

        assert said(await host.board("a")) == []


async def test_once_the_first_is_unloaded_a_second_may_find_them_and_begins_anew() -> None:
    async with finding(RARE) as (host, board, deferral):
        deferral.show(["rare"])
        await host.unload("finding")
        second = Finding(FINDER)
        await host.load(second, name="second")

        assert (said(board), waiting(board)) == (["finder"], ["rare"])
        assert second.deferrals["case"].found == frozenset()


async def test_unloading_shows_every_tool_again_and_takes_the_finder_away() -> None:
    async with finding(USUAL, RARE, finder=FINDER) as (host, board, deferral):
        before = said(board)
        report = await host.unload("finding")
        deferral.show(["rare"])

        assert (before, said(board)) == (["usual", "finder"], ["usual", "rare"])
        assert (report.still_running, report.errors, report.leaked) == ((), (), ())
        assert (list(deferral.waiting), deferral.found) == ([], frozenset())


async def test_closing_it_shows_every_tool_again_and_twice_is_harmless() -> None:
    async with finding(RARE) as (_, board, deferral):
        deferral.close()
        deferral.close()

        assert (said(board), deferral.is_open, deferral.show(["rare"])) == (["rare"], False, ())


async def test_after_it_was_closed_the_same_plugin_may_begin_again() -> None:
    plugin = Finding()
    async with Host(discover=False) as host:
        await host.load(plugin, name="finding")
        host.register(RARE)
        board = await host.board("a")
        plugin.deferrals["a"].close()
        again = plugin.boards["a"].defer(FINDER)

        assert (said(board), waiting(board), again.found) == (["finder"], ["rare"], frozenset())


async def test_a_board_that_is_closed_keeps_nothing_back_and_takes_no_more() -> None:
    plugin = Finding()
    async with Host(discover=False) as host:
        await host.load(plugin, name="finding")
        host.register(RARE)
        await (await host.board("a")).close()

        assert not plugin.deferrals["a"].is_open
        with pytest.raises(BoardError, match="closed"):
            plugin.boards["a"].defer()
        assert said(await host.board("a")) == []


async def test_a_plugin_that_fails_while_it_is_loaded_keeps_nothing_back() -> None:
    class Broken(Finding):
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            return [USUAL, USUAL]

    async with Host(discover=False) as host:
        host.register(RARE)
        board = await host.board("a")
        with pytest.raises(PluginLoadError):
            await host.load(Broken(FINDER), name="broken")

        assert said(board) == ["rare"]
        await host.load(Finding(), name="finding")
        assert waiting(board) == ["rare"]


async def test_before_its_plugin_is_shown_nothing_is_kept_back() -> None:
    seen: list[Any] = []

    class Looking(Finding):
        @hookimpl
        @contextmanager
        def pegboard_board(self, board: PluginBoard) -> Iterator[None]:
            deferral = board.defer()
            seen.extend([list(deferral.waiting), deferral.show(["rare"])])
            yield

    async with Host(discover=False) as host:
        host.register(RARE)
        host.register(SCARCE)
        board = await host.board("a")
        await host.load(Looking(), name="looking")

        assert seen == [[], ("rare",)]
        assert (said(board), waiting(board)) == (["rare"], ["scarce"])


async def test_a_plugin_on_one_board_keeps_tools_back_there_and_on_its_children() -> None:
    async with Host(discover=False) as host:
        host.register(RARE)
        parent, other = await host.board("parent"), await host.board("other")
        await parent.load(Finding(FINDER), name="finding")
        child = await host.board("child", parent=parent)

        assert [said(each) for each in (parent, child, other)] == [["finder"]] * 2 + [["rare"]]


async def test_an_upgrade_keeps_what_was_found(tmp_path: Path) -> None:
    with versions_at(tmp_path) as versions:
        versions.install(1, code=CODE.format(version=1))
        async with Host(Config(only=["gauge"])) as host:
            host.register(RARE)
            host.register(SCARCE)
            board = await host.board("case")
            found = [(await board.call("gauge_find", {"name": "rare"})).unwrap()]
            before = said(board), board.revision
            versions.install(2, code=CODE.format(version=2))
            await host.reload("gauge")
            after = said(board), board.revision
            found.append((await board.call("gauge_find", {"name": "scarce"})).unwrap())

            assert found == [1, 2]
            assert before == after == (["rare", "gauge_find"], 0)
            assert said(board) == ["rare", "scarce", "gauge_find"]


async def test_an_upgrade_that_fails_leaves_what_was_kept_back_as_it_was(tmp_path: Path) -> None:
    with versions_at(tmp_path) as versions:
        versions.install(1, code=CODE.format(version=1))
        async with Host(Config(only=["gauge"])) as host:
            host.register(RARE)
            board = await host.board("case")
            broken = CODE.format(version=2) + "    raise OSError('no way back')\n"
            versions.install(2, code=broken.replace("    yield", "    raise OSError\n    yield"))
            with pytest.raises(PluginLoadError):
                await host.reload("gauge")

            assert (said(board), waiting(board)) == (["gauge_find"], ["rare"])
            assert (await board.call("gauge_find", {"name": "rare"})).unwrap() == 1
            assert said(board) == ["rare", "gauge_find"]


class Bringing:
    """A plugin with a tool that waits to be found."""

    async def run(self, arguments: Any, context: Any) -> None:
        """Do nothing."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tool."""
        return [raw(self.run, name="brought", defer_loading=True)]


async def is_gone(kept: "weakref.ref[Bringing]") -> bool:
    """Whether nothing holds a plugin any more, once the task that unloaded it has ended."""
    for _ in range(100):
        gc.collect()
        if kept() is None:
            return True
        await asyncio.sleep(0.01)
    return False


@pytest.mark.parametrize("is_used", [False, True], ids=["a quiet board", "a board in use"])
async def test_nothing_of_an_unloaded_plugin_stays_with_what_was_shown(is_used: bool) -> None:
    async with finding(named("other")) as (host, board, deferral):
        plugin = Bringing()
        kept = weakref.ref(plugin)
        await host.load(plugin, name="bringing")
        deferral.show(["brought"])
        assert said(board) == ["other", "brought"]
        host.hook(event=lambda event: is_used and board.tools.get("other") and None)
        del plugin
        await host.unload("bringing")

        assert await is_gone(kept)

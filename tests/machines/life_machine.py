"""A machine that loads, refreshes and unloads plugins on boards that come and go, with faults."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from pegboard import Config, Host, PegboardError, PluginContext, Tool, hookimpl
from pegboard_lives import named

T = TypeVar("T")
PLUGINS = ("p0", "p1", "p2")
BOARDS = ("b0", "b1", "b2")
STEPS = ("none", "lifespan", "tools", "guards", "board b0", "board b1", "collision")
LEAVING = ("none", "task", "callback", "board", "leave")

plugins = st.sampled_from(PLUGINS)
boards = st.sampled_from(BOARDS)
steps = st.sampled_from(("none",) * 6 + STEPS)
lefts = st.sampled_from(LEAVING)


@attrs.define
class Living:
    """One load of a plugin, which fails at one step of its coming and one of its going.

    Attributes:
        name: the plugin.
        coming: where loading it fails.
        going: where leaving it fails.
        log: what was entered, and what was left.
        tools: how many it offers.
    """

    name: str
    coming: str
    going: str
    log: list[str]
    tools: int = 1
    context: PluginContext | None = None

    def _fail(self, *, on: bool) -> None:
        if on:
            raise OSError(self.name)

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_lifespan(self, plugin: PluginContext) -> AsyncIterator[None]:
        """Keep a resource, with a task and a callback."""
        self.context = plugin
        self.log.append(f"+{self.name}")
        plugin.on_unload(self._called)
        plugin.create_task(self._working())
        await asyncio.sleep(0)
        try:
            self._fail(on=self.coming == "lifespan")
            yield
        finally:
            self.log.append(f"-{self.name}")
            self._fail(on=self.going == "leave")

    def _called(self) -> None:
        self.log.append(f"callback {self.name}")
        self._fail(on=self.going == "callback")

    async def _working(self) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            self.log.append(f"task {self.name}")
            self._fail(on=self.going == "task")

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tools."""
        self._fail(on=self.coming == "tools")
        tools = [named(f"{self.name}_{number}") for number in range(self.tools)]
        return [*tools, named("program")] if self.coming == "collision" else tools

    @hookimpl
    def pegboard_guards(self) -> list[object]:
        """Give a guard that has no objection."""
        self._fail(on=self.coming == "guards")
        return [lambda execution: None]

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_board(self, board: Any) -> AsyncIterator[None]:
        """Put a tool on every board."""
        self.log.append(f"+{self.name} on {board.name}")
        board.register(named(f"{self.name}_on_board"))
        try:
            self._fail(on=self.coming == f"board {board.name}")
            yield
        finally:
            self.log.append(f"-{self.name} on {board.name}")
            self._fail(on=self.going == "board")


class LifeMachine(RuleBasedStateMachine):
    """Keeps what should be loaded and open, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.log: list[str] = []
        self.loaded: dict[str, Living] = {}
        self.open: set[str] = set()
        self.host = Host(Config(stop_grace=0.5), discover=False)
        self._do(self.host.open())
        self.host.register(named("program"))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    @initialize(lives=st.dictionaries(plugins, lefts, min_size=1), opened=st.sets(boards))
    def begin(self, lives: dict[str, str], opened: set[str]) -> None:
        """Have something to begin with."""
        for board in sorted(opened):
            self.open_board(board)
        for name, going in sorted(lives.items()):
            self.load(name, "none", going)

    @rule(name=plugins, coming=steps, going=lefts)
    def load(self, name: str, coming: str, going: str) -> None:
        """Load a plugin, unless it is loaded or fails."""
        living = Living(name, coming, going, self.log)
        board = coming.removeprefix("board ")
        fails = coming != "none" and (board == coming or board in self.open)
        try:
            self._do(self.host.load(living, name=name))
        except PegboardError:
            assert fails or name in self.loaded
        else:
            assert not fails
            assert name not in self.loaded
            self.loaded[name] = living

    @rule(name=plugins)
    def unload(self, name: str) -> None:
        """Unload a plugin, if it was ever known."""
        if name in self.host.plugins:
            report = self._do(self.host.unload(name))
            living = self.loaded.pop(name, None)
            told = living is not None and living.going in ("callback", "leave")
            assert bool(report.errors) >= told
            assert report.leaked == ()

    @rule(name=boards)
    def open_board(self, name: str) -> None:
        """Open a board, unless a plugin can't enter it."""
        fails = any(each.coming == f"board {name}" for each in self.loaded.values())
        try:
            self._do(_opened(self.host, name))
        except PegboardError:
            assert fails
            assert name not in self.open
        else:
            self.open.add(name)

    @rule(name=boards)
    def close_board(self, name: str) -> None:
        """Close a board that is open."""
        if name in self.open:
            self._do(self.host.boards[name].close())
            self.open.remove(name)

    @rule(name=plugins, tools=st.integers(0, 3), fails=st.booleans())
    def refresh(self, name: str, tools: int, *, fails: bool) -> None:
        """Have a plugin offer other tools, or fail to."""
        living = self.loaded.get(name)
        if living is None or living.context is None:
            return
        before, living.tools = living.tools, tools
        living.coming = "tools" if fails else living.coming
        try:
            self._do(living.context.refresh())
        except PegboardError:
            assert living.coming == "tools"
            living.tools = before
        else:
            assert living.coming != "tools"

    @rule(name=plugins, board=boards, going=st.booleans())
    def at_once(self, name: str, board: str, *, going: bool) -> None:
        """Do two things at the same time."""
        if name not in self.loaded or board not in self.open:
            return
        self._do(_both(self.host, name, board, is_first=going))
        self.loaded.pop(name)
        self.open.remove(board)

    @invariant()
    def states_are_what_they_should_be(self) -> None:
        """Compare the states of the plugins."""
        known = {name for name, each in self.host.plugins.items() if each.state == "loaded"}
        assert known & set(PLUGINS) == self.loaded.keys()

    @invariant()
    def boards_show_what_is_loaded(self) -> None:
        """Compare the tools of every board, and the lists that the host gives."""
        assert self.host.boards.keys() == self.open
        given = {
            f"{name}_{number}" for name, each in self.loaded.items() for number in range(each.tools)
        }
        for name in self.open:
            kept = {f"{each}_on_board" for each in self.loaded}
            assert set(self.host.boards[name].tools) == {"program", *given, *kept}
        for name, each in self.loaded.items():
            assert len(self.host.plugins[name].tools) == each.tools

    @invariant()
    def what_is_entered_is_what_is_loaded(self) -> None:
        """Compare what was entered and not left, once each, with what there is."""
        count = Counter(each[1:] for each in self.log if each[0] == "+")
        count.subtract(each[1:] for each in self.log if each[0] == "-")
        entered = {name for name, number in count.items() if number}
        assert set(count.values()) <= {0, 1}
        assert entered == set(_expected(self.loaded, self.open))

    def teardown(self) -> None:
        """Close the host: everything is left, and no task goes on."""
        try:
            self._do(self.host.close())
            self.loaded.clear()
            self.open.clear()
            self.what_is_entered_is_what_is_loaded()
        finally:
            self.runner.close()


def _expected(loaded: dict[str, Living], opened: set[str]) -> Iterator[str]:
    yield from loaded
    yield from (f"{name} on {board}" for name in loaded for board in opened)


async def _opened(host: Host, name: str) -> None:
    await host.board(name)


async def _both(host: Host, name: str, board: str, *, is_first: bool) -> None:
    work = [host.unload(name), host.boards[board].close()]
    await asyncio.gather(*(work if is_first else work[::-1]))

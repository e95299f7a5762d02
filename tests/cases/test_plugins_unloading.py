"""The rows "Plugins: unloading", by id."""

import asyncio
import contextlib
import gc
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    Ask,
    Code,
    Config,
    Failure,
    Host,
    Outcome,
    PluginContext,
    RunContext,
    Tool,
    UnknownNameError,
    hookimpl,
    tool,
)
from pegboard.testing import Site, site_at
from pegboard_gates import gate
from pegboard_lives import is_collected, named, offering, plugin

QUICK = Config(stop_grace=0.1)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty folder of installed distributions."""
    with site_at(tmp_path / "site") as made:
        yield made


def raw(name: str, run: Callable[..., Any]) -> Tool:
    """A tool with this body."""
    return Tool(name=name, description="T.", parameters={"type": "object"}, run=run)


def code_of(outcome: Outcome) -> str:
    """How a call ended."""
    return outcome.code if isinstance(outcome, Failure) else "success"


class Held:
    """A plugin with a tool that waits; it is told when it was left.

    Attributes:
        started: set once the body runs.
        go: lets it end.
        log: what has happened.
    """

    def __init__(self) -> None:
        self.started, self.go = asyncio.Event(), asyncio.Event()
        self.log: list[str] = []

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_lifespan(self) -> AsyncIterator[None]:
        """Keep the order."""
        yield
        self.log.append("left")

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tool."""

        async def run(arguments: Any, context: RunContext) -> str:
            self.started.set()
            await self.go.wait()
            self.log.append("ended")
            return "done"

        return [raw("held", run)]


async def test_p_248_running_calls_go_on_for_the_grace_and_new_ones_find_no_tool() -> None:
    held = Held()
    async with Host(QUICK, discover=False) as host:
        await host.load(held, name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("held"))
        await held.started.wait()
        unloading = asyncio.create_task(host.unload("p"))
        await asyncio.sleep(0.02)
        refused = await board.call("held")
        held.go.set()
        report = await unloading

        assert code_of(refused) == Code.UNKNOWN_TOOL
        assert (await call).unwrap() == "done"
        assert (report.drained, report.cancelled, held.log) == (1, 0, ["ended", "left"])


async def test_p_248_a_call_that_outlasts_the_grace_is_cancelled() -> None:
    held = Held()
    async with Host(QUICK, discover=False) as host:
        await host.load(held, name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("held"))
        await held.started.wait()

        report = await host.unload("p", grace=0.02)

        assert (report.drained, report.cancelled, report.still_running) == (0, 1, ())
        assert code_of(await call) == Code.ABORTED


async def test_p_249_a_body_that_outlasts_everything_is_named_and_keeps_its_lease() -> None:
    release, started = threading.Event(), threading.Event()

    def stuck(arguments: Any, context: RunContext) -> None:
        started.set()
        release.wait(10)

    async with Host(QUICK, discover=False) as host:
        await host.load(plugin(pegboard_tools=lambda self: [raw("stuck", stuck)]), name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("stuck", id="c1"))
        await asyncio.to_thread(started.wait, 5)

        report = await host.unload("p", grace=0.02)
        running = [(each.call_id, each.abandoned) for each in host.running]
        release.set()
        outcome = await call

        assert (report.still_running, report.cancelled) == (("c1",), 1)
        assert report.leaked == ("thread pegboard-p",)
        assert running == [("c1", True)]
        assert isinstance(outcome, Failure)
        assert outcome.details == {"still_running": True}


@pytest.mark.parametrize("kind", ["async", "sync"])
async def test_p_250_a_tool_unloads_its_own_plugin_without_a_deadlock(kind: str) -> None:
    async with Host(QUICK, discover=False) as host:
        loop = asyncio.get_running_loop()

        @tool
        async def leave() -> str:
            """Go."""
            await host.unload("p")
            return "gone"

        @tool
        def leave_sync() -> str:
            """Go, from a thread."""
            asyncio.run_coroutine_threadsafe(host.unload("p", grace=0.05), loop)
            return "gone"

        tools = {"async": leave, "sync": leave_sync}
        await host.load(plugin(pegboard_tools=lambda self: [tools[kind]]), name="p")
        board = await host.board("a")

        outcome = await asyncio.wait_for(board.call(tools[kind].name), 5)
        await asyncio.sleep(0.1)

        assert outcome.unwrap() == "gone"
        assert host.plugins["p"].state == "unloaded"


async def test_p_251_two_unloads_at_once_are_one() -> None:
    held = Held()
    async with Host(QUICK, discover=False) as host:
        await host.load(held, name="p")

        reports = await asyncio.gather(host.unload("p"), host.unload("p"))

        assert [each.name for each in reports] == ["p", "p"]
        assert held.log == ["left"]


async def test_p_251_an_unload_while_it_loads_waits_and_then_unloads() -> None:
    log: list[str] = []

    @contextlib.asynccontextmanager
    async def slow(self: object) -> AsyncIterator[None]:
        await asyncio.sleep(0.05)
        log.append("in")
        yield
        log.append("out")

    async with Host(QUICK, discover=False) as host:
        loading = asyncio.create_task(host.load(plugin(pegboard_lifespan=slow), name="p"))
        await asyncio.sleep(0.02)
        await host.unload("p")

        assert (await loading).state == "loaded"
        assert (host.plugins["p"].state, log) == ("unloaded", ["in", "out"])


async def test_p_252_a_pending_approval_becomes_void() -> None:
    asked, late = asyncio.Event(), asyncio.Event()

    async def approve(request: object) -> str:
        asked.set()
        await late.wait()
        return "once"

    ran: list[int] = []
    async with Host(QUICK, discover=False) as host:
        body = raw("body", lambda arguments, context: ran.append(1))
        await host.load(plugin(pegboard_tools=lambda self: [body]), name="p")
        board = await host.board("a")
        board.hook(before_call=lambda execution: Ask("may it?"), approve=approve)
        call = asyncio.create_task(board.call("body"))
        await asked.wait()
        await asyncio.wait_for(host.unload("p"), 2)
        late.set()

        assert code_of(await call) == Code.DENIED
    assert ran == []


async def test_p_253_an_owned_task_is_awaited_before_the_lifespan_is_left() -> None:
    log: list[str] = []

    async def session() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.01)
            log.append("closed")

    @contextlib.asynccontextmanager
    async def lifespan(self: object, plugin: PluginContext) -> AsyncIterator[None]:
        plugin.create_task(session())
        yield
        log.append("left")

    async with Host(QUICK, discover=False) as host:
        await host.load(plugin(pegboard_lifespan=lifespan), name="p")
        await asyncio.sleep(0)
        report = await host.unload("p")

    assert (log, report.leaked) == (["closed", "left"], ())


async def test_p_254_everything_is_left_in_reverse_though_some_of_it_raises() -> None:
    log: list[str] = []

    def noting(word: str, error: Exception | None = None) -> Callable[[], None]:
        def note() -> None:
            log.append(word)
            if error is not None:
                raise error

        return note

    class Living:
        @hookimpl
        @contextlib.asynccontextmanager
        async def pegboard_lifespan(self, plugin: PluginContext) -> AsyncIterator[None]:
            plugin.on_unload(noting("first"))
            plugin.on_unload(noting("second", OSError("callback")))
            plugin.on_unload(noting("third"))
            yield
            log.append("lifespan")
            raise ValueError("lifespan")

        @hookimpl
        @contextlib.contextmanager
        def pegboard_board(self, plugin: PluginContext, board: Any) -> Iterator[None]:
            yield
            noting(board.name, KeyError("board") if board.name == "b" else None)()

    async with Host(QUICK, discover=False) as host:
        for name in ("a", "b"):
            await host.board(name)
        await host.load(Living(), name="p")
        report = await host.unload("p")

    assert log == ["third", "second", "first", "b", "a", "lifespan"]
    assert [
        word in text
        for word, text in zip(("callback", "board", "lifespan"), report.errors, strict=True)
    ]
    assert len(report.errors) == 3


async def test_p_255_a_thread_that_the_plugin_started_is_named(site: Site) -> None:
    code = """
import threading, a_gate
def work():
    a_gate.pass_through()
threading.Thread(target=work, name="worker-of-t", daemon=True).start()
from pegboard import tool
@tool
def t() -> int:
    return 1
"""
    site.install("t", entry_points={"t": "t_mod"}, files={"t_mod.py": code})
    with gate("a_gate") as made:
        async with Host(QUICK, discover=False) as host:
            await host.load("t")
            await asyncio.to_thread(made.reached.wait, 5)
            report = await host.unload("t")

    assert "thread worker-of-t" in report.leaked


TOOL = "from pegboard import tool\n@tool\ndef {name}() -> int:\n    return 1\n"


async def test_p_256_modules_of_the_distribution_go_unless_another_plugin_imports_them(
    site: Site,
) -> None:
    files = {
        "one_mod.py": f"import one_beside, space.one\n{TOOL.format(name='one')}",
        "one_beside.py": "def beside(): ...",
        "one_used.py": "",
        "space/one/__init__.py": "import one_used",
        "space/one/deep.py": "",
    }
    two = f"import one_used, space.two\n{TOOL.format(name='two')}"
    site.install("one", entry_points={"one": "one_mod"}, files=files)
    site.install(
        "two", entry_points={"two": "two_mod"}, files={"two_mod.py": two, "space/two.py": ""}
    )
    async with Host(Config(only=["one", "two"], stop_grace=0.1)) as host:
        await host.unload("one")
        left = {each for each in sys.modules if each.startswith(("one", "two", "space"))}
        await host.load("one")
        await host.unload("two")
        await host.unload("one")
        after = {each for each in sys.modules if each.startswith(("one_", "two_", "space."))}

    assert left == {"one_used", "two_mod", "space", "space.two"}
    assert after == set()
    sys.modules.pop("space", None)


async def test_p_257_nothing_of_a_plugin_is_in_any_chain_and_its_objects_can_go() -> None:
    class Everything:
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            return [named("own")]

        @hookimpl
        def pegboard_guards(self) -> list[object]:
            return [lambda execution: "no" if execution.tool == "other" else None]

        @hookimpl
        def pegboard_reserved_names(self) -> dict[str, str]:
            return {"mine": "it is mine"}

        @hookimpl
        def pegboard_before_call(self, execution: object) -> None: ...

    everything = Everything()
    watched = weakref.ref(everything)
    async with Host(QUICK, discover=False) as host:
        host.register(named("other"))
        boards = [await host.board("a"), await host.board("b", parent="a", deny=["ow*"])]
        await host.load(everything, name="p")
        before = [code_of(await each.call("other")) for each in boards]
        await host.unload("p")
        del everything
        after = [code_of(await each.call("other")) for each in boards]
        host.register(named("mine"))

        assert (before, after) == ([Code.DENIED] * 2, ["success"] * 2)
        assert await is_collected(watched)


async def test_p_258_fifty_loads_and_unloads_of_an_installed_plugin_leave_nothing(
    site: Site,
) -> None:
    code = f"import attrs\n@attrs.frozen\nclass A:\n    x: int\n{TOOL.format(name='one')}"
    site.install("one", entry_points={"one": "one_mod"}, files={"one_mod.py": code})

    def counted() -> tuple[int, ...]:
        gc.collect()
        tasks = [each for each in asyncio.all_tasks() if each.get_name() != "pegboard-body"]
        return len(gc.get_objects()), len(sys.modules), threading.active_count(), len(tasks)

    async with Host(QUICK, discover=False) as host:
        board = await host.board("a")
        counts = []
        for number in range(50):
            await host.load("one")
            assert (await board.call("one")).unwrap() == 1
            assert (await host.unload("one")).leaked == ()
            if number in (9, 10, 49):
                counts.append(counted())

    objects = [each[0] for each in counts]
    assert objects[2] - objects[1] < 39  # not even one object a cycle
    assert counts[1][1:] == counts[2][1:]


async def test_p_259_unknown_names_are_refused_and_what_is_gone_is_no_error() -> None:
    async with Host(QUICK, discover=False) as host:
        await host.load(plugin(pegboard_event=lambda self, event: None), name="quiet")
        with pytest.raises(UnknownNameError, match="'quiet'"):
            await host.unload("quite")
        reports = [await host.unload("quiet") for _ in range(2)]

        assert [(each.errors, each.leaked) for each in reports] == [((), ())] * 2


async def test_p_393_a_tool_that_awaits_the_unload_of_its_plugin_ends_normally() -> None:
    seen: list[object] = []
    async with Host(QUICK, discover=False) as host:

        @tool
        async def leave() -> str:
            """Go."""
            report = await host.unload("p")
            seen.extend([report.still_running, code_of(await board.call("other"))])
            seen.append(host.plugins["p"].state)
            return "done"

        tools = [leave, named("other")]
        await host.load(plugin(pegboard_tools=lambda self: tools), name="p")
        board = await host.board("a")
        outcome = await asyncio.wait_for(board.call("leave", id="c7"), 5)
        await asyncio.sleep(0.05)

        assert outcome.unwrap() == "done"
        assert seen == [("c7",), Code.UNKNOWN_TOOL, "draining"]
        assert host.plugins["p"].state == "unloaded"


async def test_p_394_cancelling_who_awaits_an_unload_changes_nothing() -> None:
    held = Held()
    async with Host(QUICK, discover=False) as host:
        await host.load(held, name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("held"))
        await held.started.wait()
        unloading = asyncio.create_task(host.unload("p", grace=0.05))
        await asyncio.sleep(0.01)
        unloading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await unloading
        await call
        await asyncio.sleep(0.05)

        assert (host.plugins["p"].state, held.log) == ("unloaded", ["left"])


async def test_a_plugin_that_offers_nothing_more_is_still_unloaded() -> None:
    async with Host(QUICK, discover=False) as host:
        await host.load(offering("a"), name="p")

        assert (await host.unload("p")).drained == 0

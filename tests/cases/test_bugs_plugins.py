"""The bugs "Discovery" and "Unloading" that others had, by id."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import (
    Board,
    Code,
    Config,
    Failure,
    Host,
    PluginContext,
    PluginLoadError,
    RunContext,
    hookimpl,
    tool,
)
from pegboard.plugins.discovery import normalised
from pegboard.testing import Site, site_at
from pegboard_gates import gate
from pegboard_lives import named, offering, plugin

TOOL = '''
from pegboard import tool

@tool
def {name}() -> str:
    """Answer."""
    return "{answer}"
'''


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty folder of installed distributions."""
    with site_at(tmp_path / "site") as made:
        yield made


def source(name: str, answer: str = "") -> str:
    """A module with one tool."""
    return TOOL.format(name=name, answer=answer or name)


async def test_b_015_each_plugin_that_fails_is_listed_and_the_others_work(site: Site) -> None:
    site.install("good", entry_points={"good": "good_mod"}, files={"good_mod.py": source("good")})
    bodies = [
        "import not_there",
        "raise SystemExit(2)",
        "1/0",
        "def (",
        "raise BaseException('odd')",
    ]
    for i, body in enumerate(bodies):
        site.install(
            f"bad{i}", entry_points={f"bad{i}": f"bad_mod{i}"}, files={f"bad_mod{i}.py": body}
        )
    site.install("bad9", entry_points={"bad9": "good_mod:missing"})

    async with Host() as host:
        failed = [each for each in host.plugins.values() if each.state == "failed"]
        board = await host.board("a")
        answer = (await board.call("good")).unwrap()
        reports = [await host.unload(each.name) for each in failed]

    assert (len(failed), answer) == (6, "good")
    assert all(each.distribution and each.version and each.error for each in failed)
    assert [each.errors for each in reports] == [()] * 6


async def test_b_016_left_over_metadata_is_skipped_reported_and_hides_nothing(
    site: Site, tmp_path: Path
) -> None:
    with site_at(tmp_path / "later") as later:
        sys.path.remove(str(later.path))
        sys.path.append(str(later.path))
        later.install("up", "1.0", entry_points={"old": "gone_mod"})
        site.install("up", "2.0", entry_points={"new": "up_mod"}, files={"up_mod.py": source("n")})
        (site.path / "up-0.9.dist-info").mkdir()
        async with Host() as host:
            found = [each for each in host.plugins if host.plugins[each].distribution == "up"]
            problems = [each.path for each in host.problems]

    assert found == ["new"]
    assert set(problems) == {
        str(site.path / "up-0.9.dist-info"),
        str(later.path / "up-1.0.dist-info"),
    }


async def test_b_017_of_two_distributions_one_is_hidden_until_the_other_goes(site: Site) -> None:
    for owner, answer in (("b", "B"), ("a", "A")):
        site.install(
            f"vend-{owner}",
            entry_points={"vend": f"v{owner}"},
            files={f"v{owner}.py": source("read", answer)},
        )
    async with Host() as host:
        board = await host.board("x")
        first = (await board.call("read")).unwrap()
        site.uninstall("vend-a")
        await host.sync()

        assert (first, (await board.call("read")).unwrap()) == ("A", "B")


async def test_b_017_two_entry_points_that_name_one_module_are_no_abort(site: Site) -> None:
    site.install("twin", entry_points={"x": "tw", "y": "tw"}, files={"tw.py": source("twin", "T")})
    async with Host() as host:
        board = await host.board("a")
        answer = (await board.call("twin")).unwrap()
        states = [host.plugins[each].state for each in "xy"]
        error = str(host.plugins["y"].error)

    assert (answer, states) == ("T", ["loaded", "failed"])
    assert "plugin 'x'" in error
    assert "plugin 'y'" in error


@pytest.mark.parametrize("name", ["Demo_Tool", "demo-tool", "demo.tool", "DEMO--tool"])
def test_b_018_spellings_of_one_distribution_are_one(name: str) -> None:
    assert normalised(name) == "demo-tool"


async def test_b_018_a_plugin_whose_dependency_is_gone_fails_at_the_next_load(site: Site) -> None:
    needs = f"import demo_dep\n{source('needy')}"
    site.install("needy", entry_points={"needy": "needy_mod"}, files={"needy_mod.py": needs})
    site.install("demo.dep", files={"demo_dep.py": ""})
    async with Host() as host:
        before = host.plugins["needy"].state
        await host.unload("needy")
        sys.modules.pop("demo_dep", None)
        site.uninstall("demo.dep")
        with pytest.raises(PluginLoadError, match="demo_dep"):
            await host.load("needy")

        assert (before, host.plugins["needy"].state) == ("loaded", "failed")


@pytest.mark.parametrize("text", ["[pegboard]\na = m\na = n\n", "\x00[pegboard", "[pegboard]\n= 3"])
async def test_b_019_broken_entry_points_are_reported_and_the_scan_goes_on(
    site: Site, text: str
) -> None:
    site.install("aaa", entry_points=text)
    site.install("zzz", entry_points={"zzz": "zzz_mod"}, files={"zzz_mod.py": source("zzz")})
    async with Host() as host:
        state = host.plugins["zzz"].state
        reported = [each.distribution for each in host.problems]

    assert (state, reported) == ("loaded", ["aaa-1.0.dist-info"])


@pytest.mark.parametrize("block", [["nobody"], ["quiet", "quiet"], ["quiet"], []])
async def test_b_020_blocking_what_is_not_there_or_gives_nothing_is_no_error(
    site: Site, block: list[str]
) -> None:
    quiet = "from pegboard import hookimpl\n@hookimpl\ndef pegboard_event(event): ...\n"
    site.install("quiet", entry_points={"quiet": "quiet_mod"}, files={"quiet_mod.py": quiet})
    async with Host(Config(block=block)) as host:
        assert host.plugins["quiet"].state == ("blocked" if "quiet" in block else "loaded")


@attrs.define
class Counting:
    """A resource that counts."""

    opened: int = 0
    closed: int = 0


async def test_b_021_owned_tasks_close_what_they_hold_fifty_times() -> None:
    res = Counting()

    async def session() -> None:
        res.opened += 1
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.001)
            res.closed += 1

    @contextlib.asynccontextmanager
    async def lifespan(self: object, plugin: PluginContext) -> AsyncIterator[None]:
        plugin.create_task(session())
        await asyncio.sleep(0)
        yield
        1 / 0  # noqa: B018 - what the case is about

    plug = plugin(pegboard_lifespan=lifespan)
    async with Host(discover=False) as host:
        for _ in range(50):
            await host.load(plug, name="p")
            report = await host.unload("p", grace=1.0)
            assert "ZeroDivisionError" in str(report.errors)
            assert not report.leaked

    assert res.opened == res.closed == 50


async def test_b_022_a_load_that_fails_half_way_leaves_nothing() -> None:
    class Half:
        @hookimpl
        def pegboard_tools(self) -> list[object]:
            return [named("ghost")]

        @hookimpl
        def pegboard_call_finished(self, no_such_argument: object) -> None: ...

    async with Host(discover=False) as host:
        board = await host.board("a")
        with pytest.raises(PluginLoadError, match="no_such_argument"):
            await host.load(Half(), name="p1")
        before = ("ghost" in board.tools, host.plugins["p1"].state)
        await host.load(offering("ghost"), name="p1")

        assert before == (False, "failed")
        assert (await board.call("ghost")).unwrap() == "ghost"


async def test_b_023_a_running_call_keeps_its_tool_and_the_next_one_finds_none() -> None:
    started, go = asyncio.Event(), asyncio.Event()

    @tool
    async def slow() -> str:
        """Wait."""
        started.set()
        await go.wait()
        return "slow"

    async with Host(discover=False) as host:
        held = host.register(slow)
        board = await host.board("a")
        task = asyncio.create_task(board.call("slow"))
        await started.wait()
        held.close()
        refused = await board.call("slow")
        go.set()

        assert isinstance(refused, Failure)
        assert refused.code is Code.UNKNOWN_TOOL
        assert (await task).unwrap() == "slow"


async def test_b_023_a_tool_registers_unregisters_and_unloads_its_own_plugin() -> None:
    async with Host(discover=False) as host:

        @tool
        async def grow(context: RunContext) -> list[str]:
            """Change everything."""
            host.register(named("fresh"))
            host.register(named("brief")).close()
            await host.unload("p")
            return list(board.tools)

        await host.load(plugin(pegboard_tools=lambda self: [grow]), name="p")
        board = await host.board("a")

        outcome = await asyncio.wait_for(board.call("grow"), 5)

        assert outcome.unwrap() == ["fresh"]


async def test_b_023_listing_and_calling_while_plugins_come_and_go_raise_nothing() -> None:
    async with Host(Config(stop_grace=0.5), discover=False) as host:
        board = await host.board("a")
        loop = asyncio.get_running_loop()
        until = loop.time() + 0.5

        async def write(number: int) -> None:
            while loop.time() < until:
                await host.load(offering(f"t{number}", f"u{number}"), name=f"p{number}")
                await asyncio.sleep(0)
                await host.unload(f"p{number}")

        await asyncio.gather(*map(write, range(4)), *(_read(board, until) for _ in range(8)))

        assert list(board.tools) == []


async def _read(board: Board, until: float) -> None:
    while asyncio.get_running_loop().time() < until:
        for name, each in board.tools.items():
            outcome = await board.call(name)
            assert each.name == name
            assert not isinstance(outcome, Failure) or outcome.code is Code.UNKNOWN_TOOL
        board.definitions()
        await asyncio.sleep(0)


async def test_b_024_a_thread_that_outlives_its_plugin_is_named_after_every_load(
    site: Site,
) -> None:
    code = f"""
import threading, a_gate
def work():
    while not a_gate.pass_through():
        break
threading.Thread(target=work, name="endless", daemon=True).start()
{source("one")}"""
    site.install("one", entry_points={"one": "one_mod"}, files={"one_mod.py": code})
    with gate("a_gate"):
        async with Host(discover=False) as host:
            await host.load("one")
            first = await host.unload("one")
            await host.load("one")
            second = await host.unload("one")
        alive = [each for each in threading.enumerate() if each.name == "endless"]
    for each in alive:
        each.join(5)

    assert (first.name, first.leaked.count("thread endless")) == ("one", 1)
    assert (second.leaked.count("thread endless"), len(alive)) == (2, 2)

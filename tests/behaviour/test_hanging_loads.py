"""A load that hangs fails within its limit; its thread is listed, and what it imports removed."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import Config, Host, PluginContext, PluginLoadError, hookimpl
from pegboard.testing import Site, site_at
from pegboard_gates import Gate, gate
from pegboard_lives import named, offering

QUICK = Config(load_timeout=0.2, stop_grace=0.2)
HANGING = """
import a_gate
a_gate.pass_through()
import late_part
from late_part import greet
"""
PART = '''
from pegboard import tool

@tool
def greet() -> str:
    """Greet."""
    return "hej"
'''
THREAD = "thread pegboard-load-importing 'slow'"


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Gate]:
    """An installed plugin `slow` whose import waits at a gate."""
    with site_at(tmp_path / "site") as site, gate("a_gate") as made:
        install(site)
        yield made


def install(site: Site) -> None:
    """Install a plugin that hangs, and one that doesn't."""
    files = {"slow_mod.py": HANGING, "late_part.py": PART}
    site.install("slow-dist", "2.1", entry_points={"slow": "slow_mod"}, files=files)
    good = {"good_mod.py": PART.replace("greet", "good")}
    site.install("good", entry_points={"good": "good_mod"}, files=good)


def threads() -> list[threading.Thread]:
    """The load threads that are alive."""
    return [each for each in threading.enumerate() if each.name.startswith("pegboard-load")]


async def ended(gate: Gate) -> None:
    """Open the gate, and wait until the thread behind it has ended and the host has heard of it."""
    gate.opened.set()
    async with asyncio.timeout(5):
        while threads():
            await asyncio.sleep(0.001)
    for _ in range(10):  # what the thread has told goes through futures
        await asyncio.sleep(0)


async def test_the_plugin_fails_with_distribution_version_and_thread(hanging: Gate) -> None:
    async with Host(QUICK) as host:
        slow, good = host.plugins["slow"], host.plugins["good"]

        assert (slow.state, slow.distribution, slow.version) == ("failed", "slow-dist", "2.1")
        assert "importing 'slow' took longer than load_timeout = 0.2 s" in (slow.error or "")
        assert THREAD in (slow.error or "")
        assert good.state == "loaded"
        assert "slow_mod" not in sys.modules
        await ended(hanging)


async def test_what_the_thread_still_imports_is_removed(hanging: Gate) -> None:
    async with Host(QUICK):
        await ended(hanging)

        assert not {"slow_mod", "late_part"} & sys.modules.keys()


async def test_what_the_thread_imports_after_the_host_has_closed_is_removed(hanging: Gate) -> None:
    async with Host(QUICK):
        pass
    await ended(hanging)

    assert not {"slow_mod", "late_part"} & sys.modules.keys()


def test_what_the_thread_imports_after_the_loop_has_closed_is_removed(hanging: Gate) -> None:
    async def opened_and_closed() -> None:
        async with Host(QUICK):
            pass

    asyncio.run(opened_and_closed())
    hanging.opened.set()
    for each in threads():
        each.join(5)

    assert not {"slow_mod", "late_part"} & sys.modules.keys()


async def test_a_retry_needs_a_restart_while_the_thread_lives_and_works_after(
    hanging: Gate,
) -> None:
    async with Host(QUICK) as host:
        with pytest.raises(PluginLoadError, match=f"restart needed: {THREAD}"):
            await host.load("slow")
        before = host.plugins["slow"].state
        await ended(hanging)

        info = await host.load("slow")

        assert (before, info.state, info.tools) == ("failed", "loaded", ("greet",))


async def test_another_plugin_of_its_name_can_be_loaded_meanwhile(hanging: Gate) -> None:
    async with Host(QUICK) as host:
        info = await host.load(offering("other"), name="slow")
        await ended(hanging)

        assert (info.state, host.plugins["slow"].tools) == ("loaded", ("other",))
        assert "other" in host.tools


async def test_the_thread_is_listed_when_the_plugin_is_unloaded_or_the_host_closes(
    hanging: Gate,
) -> None:
    host = Host(QUICK)
    await host.open()
    report = await host.unload("slow")
    reports = {each.name: each for each in await host.close()}
    await ended(hanging)

    assert report.leaked == reports["slow"].leaked == (THREAD,)
    assert reports["good"].leaked == ()


async def test_a_load_that_is_cancelled_leaves_nothing_either(hanging: Gate) -> None:
    async with Host(Config(load_timeout=10), discover=False) as host:
        loading = asyncio.create_task(host.load("slow"))
        await asyncio.to_thread(hanging.reached.wait, 5)
        loading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading
        with pytest.raises(PluginLoadError, match="restart needed"):
            await host.load("slow")
        await ended(hanging)

        assert not {"slow_mod", "late_part"} & sys.modules.keys()
        assert (await host.load("slow")).state == "loaded"


@pytest.mark.usefixtures("hanging")
async def test_a_lifespan_that_swallows_its_cancellation_is_listed_until_it_ends() -> None:
    release = asyncio.Event()

    class Stubborn:
        @hookimpl
        @contextlib.asynccontextmanager
        async def pegboard_lifespan(self):
            yield
            while not release.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await release.wait()

    async with Host(QUICK, discover=False) as host:
        await host.load(Stubborn(), name="p")
        report = await host.unload("p")
        release.set()
        await asyncio.sleep(0.02)

    assert report.leaked == ("task of pegboard_lifespan of 'p'",)
    assert "didn't end within 0.2 s" in report.errors[0]


async def test_a_board_context_that_hangs_is_listed_when_the_plugin_is_unloaded(
    hanging: Gate,
) -> None:
    class PerBoard:
        @hookimpl
        def pegboard_board(self, plugin: PluginContext, board: object) -> None:
            hanging.pass_through()

        @hookimpl
        def pegboard_tools(self) -> list[object]:
            return [named("a")]

    async with Host(QUICK, discover=False) as host:
        await host.load(PerBoard(), name="p")
        with pytest.raises(PluginLoadError, match="load_timeout"):
            await host.board("a")

        report = await host.unload("p")
        hanging.opened.set()

    assert report.leaked == ("thread pegboard-load-pegboard_board of 'p' for board 'a'",)

"""Of what is under way as the host is closed, operators and hooks hear the truth."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest
from pegboard import Host, tool
from pegboard_control import Listening, asked, operated, raw, request, short_folder, until
from pegboard_versions import Versions, versions_at

HANGING = """
import asyncio
from contextlib import asynccontextmanager
from pegboard import hookimpl, tool

@tool
async def version() -> int:
    return 1

@hookimpl
@asynccontextmanager
async def pegboard_lifespan(plugin):
    await asyncio.sleep(3600)
    yield
"""


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


@tool
async def nap() -> str:
    """Sleep."""
    await asyncio.sleep(3600)
    return "rested"


@attrs.frozen
class Act:
    """Something that was asked for, and goes on.

    Attributes:
        host: the host.
        listening: keeps what hooks hear of it.
        answer: what the peer gets.
    """

    host: Host
    listening: Listening
    answer: "asyncio.Task[Any]"


def state_of(host: Host, plugin: str) -> str | None:
    """In which state a plugin is, if it is known."""
    info = host.plugins.get(plugin)
    return None if info is None else info.state


@asynccontextmanager
async def under_way(path: Path, method: str, state: str, **params: Any) -> AsyncIterator[Act]:
    """A host on which a change has begun; it is closed with the block at the latest."""
    listening = Listening()
    async with operated(path, stop_grace=0.2) as host, raw(path) as peer:
        host.hook(event=listening.pegboard_event)
        napping = ModuleType("napping")
        napping.__dict__["nap"] = nap
        await host.load(napping)
        call = asyncio.create_task(host.boards["desk"].call("nap"))
        await until(lambda: any(each.stage == "body" for each in host.running))
        answer = asyncio.create_task(peer.send(request(method, **params)).read())
        await until(lambda: state_of(host, params["name"]) == state)
        yield Act(host, listening, answer)
        await call


async def test_an_unload_that_the_close_ends_is_answered_and_told_as_done(path: Path) -> None:
    async with under_way(path, "unload", "draining", name="napping", grace=100) as act:
        await act.host.close(grace=0.1)
        answer = await act.answer

    report = answer["result"]
    assert (report["drained"], report["cancelled"], report["still_running"]) == (0, 1, [])
    assert act.listening.told() == [("unload", "asked"), ("unload", "done")]


async def test_a_load_that_the_close_cuts_off_is_never_told_as_a_failure_without_a_reason(
    path: Path, versions: Versions
) -> None:
    versions.install(1, code=HANGING)
    async with under_way(path, "load", "loading", name="gauge") as act:
        await act.host.close(grace=0.1)
        answer = await act.answer

    assert answer["error"]["kind"] in ("unfinished", "PluginLoadError", "HostClosedError")
    assert [stage for _, stage in act.listening.told()] in (
        ["asked", "unknown"],
        ["asked", "failed"],
    )
    assert "CancelledError" not in str(act.listening.acts[-1].error)


async def test_a_host_is_reached_until_what_was_asked_for_is_done(path: Path) -> None:
    async with under_way(path, "unload", "draining", name="napping", grace=100) as act:
        closing = asyncio.create_task(act.host.close(grace=0.2))
        await asyncio.sleep(0.05)
        status = await asked(path, "status")
        await closing
        await act.answer

    assert status["is_ready"] is False

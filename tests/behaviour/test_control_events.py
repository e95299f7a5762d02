"""What operators do is told to hooks: who, what, and how it ended."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import pytest
from pegboard import Host, OperatorActed, tool
from pegboard_control import (
    Listening,
    asked,
    calling,
    operated,
    raw,
    refused,
    request,
    short_folder,
    until,
)


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


@asynccontextmanager
async def heard(path: Path) -> AsyncIterator[tuple[Host, Listening]]:
    """A host, and a plugin that keeps what operators do on it."""
    listening = Listening()
    async with operated(path) as host:
        await host.load(listening, name="ear")
        yield host, listening


async def test_a_change_is_told_when_it_is_asked_for_and_when_it_is_done(path: Path) -> None:
    async with heard(path) as (_, listening):
        await asked(path, "deny", selectors=["echo", {"plugin": "ear"}])

    who = (os.geteuid(), os.getpid())
    details = {"selectors": ["echo", {"plugin": "ear"}]}
    assert listening.acts == [
        OperatorActed("deny", details, *who, "asked"),
        OperatorActed("deny", details, *who, "done"),
    ]


async def test_a_change_that_is_refused_is_told_with_the_reason(path: Path) -> None:
    async with heard(path) as (_, listening):
        await refused(path, "unload", name="nobody")

    assert listening.told() == [("unload", "asked"), ("unload", "failed")]
    assert listening.acts[-1].error == "unknown plugin 'nobody'"


async def test_what_only_looks_is_not_told(path: Path) -> None:
    async with heard(path) as (_, listening):
        for method in ("status", "running", "plugins", "boards", "tools"):
            await asked(path, method)
        await asked(path, "explain", name="echo", board="desk")
        await asked(path, "sync", dry_run=True)

    assert listening.acts == []


async def test_every_change_is_told(path: Path) -> None:
    async with heard(path) as (host, listening):
        async with calling(host):
            await asked(path, "cancel", board="desk")
        await asked(path, "deny", selectors=["echo"], board="desk")
        await asked(path, "allow", selectors=["echo"], board="desk")
        await asked(path, "sync")
        for method in ("load", "reload", "unload"):
            await refused(path, method, name="nobody")

    assert [each.action for each in listening.acts[::2]] == [
        "cancel",
        "deny",
        "allow",
        "sync",
        "load",
        "reload",
        "unload",
    ]


async def test_what_is_wrong_in_itself_is_no_act(path: Path) -> None:
    async with heard(path) as (_, listening):
        await refused(path, "unload", nme="echo")
        await refused(path, "unlod", name="echo")

    assert listening.acts == []


def slow_plugin(begun: asyncio.Event, go: asyncio.Event) -> ModuleType:
    """A plugin with a tool that waits for the program."""

    @tool
    async def slow() -> str:
        """Take a while."""
        begun.set()
        await go.wait()
        return "slow"

    module = ModuleType("slow")
    module.__dict__["slow"] = slow
    return module


async def test_an_unload_goes_on_and_is_told_though_who_asked_has_gone(path: Path) -> None:
    begun, go = asyncio.Event(), asyncio.Event()
    async with heard(path) as (host, listening):
        await host.load(slow_plugin(begun, go))
        call = asyncio.create_task(host.boards["desk"].call("slow"))
        await begun.wait()
        async with raw(path) as peer:
            peer.send(request("unload", name="slow", grace=30))
            await until(lambda: host.plugins["slow"].state == "draining")
        await asyncio.sleep(0.02)
        go.set()
        outcome = await call
        await until(lambda: len(listening.acts) == 2)

    assert outcome.unwrap() == "slow"
    assert listening.told() == [("unload", "asked"), ("unload", "done")]

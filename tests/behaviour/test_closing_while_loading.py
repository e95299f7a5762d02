"""A host that closes while it loads a plugin leaves nothing of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pegboard import Host, HostClosedError, PluginLoadError, hookimpl
from pegboard_lives import offering


class Slow:
    """A plugin whose lifespan begins slowly.

    Attributes:
        began: set once it begins.
        left: what has been left of it.
    """

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.left: list[str] = []

    @hookimpl
    @asynccontextmanager
    async def pegboard_lifespan(self) -> AsyncIterator[None]:
        """Begin, and never end beginning."""
        self.began.set()
        try:
            await asyncio.sleep(3600)
            yield
        finally:
            self.left.append("begun")


async def test_the_load_ends_and_its_caller_is_told() -> None:
    slow = Slow()
    async with Host(discover=False) as host:
        loading = asyncio.ensure_future(host.load(slow, name="slow"))
        await slow.began.wait()
        await host.close()

        with pytest.raises(HostClosedError, match="closed while it loaded"):
            await loading

    assert slow.left == ["begun"]
    assert host.plugins["slow"].state == "failed"


async def test_a_caller_that_is_cancelled_cancels_its_load() -> None:
    slow = Slow()
    async with Host(discover=False) as host:
        loading = asyncio.ensure_future(host.load(slow, name="slow"))
        await slow.began.wait()
        loading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading

        assert slow.left == ["begun"]


async def test_while_it_closes_nothing_more_is_loaded() -> None:
    refused: list[str] = []

    class Leaving:
        @hookimpl
        @asynccontextmanager
        async def pegboard_lifespan(self) -> AsyncIterator[None]:
            yield
            try:
                await host.load(offering("late"), name="late")
            except (HostClosedError, PluginLoadError) as error:
                refused.append(str(error))

    host = Host(discover=False)
    async with host:
        await host.load(Leaving(), name="leaving")

    assert len(refused) == 1
    assert "late" not in host.plugins


async def test_a_host_that_was_closed_loads_again_once_it_is_open() -> None:
    host = Host(discover=False)
    async with host:
        pass
    async with host:
        info = await host.load(offering("a"), name="p")

    assert info.tools == ("a",)

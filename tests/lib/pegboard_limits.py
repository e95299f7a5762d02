"""What the tests of `limits` share: configurations of rules, a clock, and calls that are held."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from unittest.mock import patch

import attrs
from pegboard import Board, Code, Config, Host, Outcome, PluginConfig
from pegboard_batches import Gated
from pegboard_policies import failed, succeeded

CALLS, MINUTE, RUNNING = "may be made on", "in a minute", "may run at once"


def limited(*rules: Any, **others: Any) -> Config:
    """A configuration with these rules."""
    settings = {"rules": [dict(each) for each in rules]}
    plugins = {"limits": PluginConfig(settings=settings)}
    return Config(plugins=plugins, **{"stop_grace": 0.02} | others)


@attrs.define
class Clock:
    """The time as the plugin and the bodies of calls see it."""

    now: float = 1_000.0

    def monotonic(self) -> float:
        """The time."""
        return self.now


@contextmanager
def clock() -> Iterator[Clock]:
    """A clock that stands still unless a test moves it."""
    made = Clock()
    places = ("pegboard.plugins.builtin.limits.time", "pegboard.calls.body.time")
    with patch(places[0], made), patch(places[1], made):
        yield made


@attrs.define
class Limited:
    """A host with limits, and a tool `free` whose bodies end when a test says so."""

    host: Host
    board: Board
    gated: Gated
    tasks: list["asyncio.Task[Outcome]"] = attrs.field(factory=list)

    async def start(self, *call_ids: str, board: Board | None = None, **options: Any) -> None:
        """Make calls, and wait until their bodies run."""
        on = board or self.board
        for call_id in call_ids:
            making = on.call("free", id=call_id, **options)
            self.tasks.append(asyncio.ensure_future(making))
        await self.gated.started(*call_ids)

    async def end(self) -> None:
        """Let every call end."""
        self.gated.is_open = True
        self.gated.let(*self.gated.gates)
        await asyncio.gather(*self.tasks, return_exceptions=True)


@asynccontextmanager
async def limiting(*rules: Any, **others: Any) -> AsyncIterator[Limited]:
    """A host with these rules."""
    gated = Gated()
    async with Host(limited(*rules, **others), discover=False) as host:
        assert host.plugins["limits"].state == "loaded", host.plugins["limits"].error
        host.register(gated.free())
        calls = Limited(host, await host.board("case"), gated)
        try:
            yield calls
        finally:
            await calls.end()


async def passes(board: Board, name: str = "free", arguments: Any = None) -> None:
    """A call has to succeed."""
    succeeded(await board.call(name, arguments))


async def denied(board: Board, name: str = "free", arguments: Any = None) -> str:
    """A call has to be denied; its message."""
    return failed(await board.call(name, arguments), Code.DENIED).message

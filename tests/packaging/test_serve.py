"""Real pip beside `pegboard serve --watch`: clients that stay connected see what it does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import mcp_types as t
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from pegboard_served import Served, served
from pegboard_watched import code
from pegboard_wheels import write_wheel

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 20.0
UNKNOWN = "Unknown tool: gauge"


@attrs.frozen
class Connected:
    """A client that stays connected, and what it is told."""

    client: Client
    told: asyncio.Event

    async def tools(self) -> list[str]:
        """The tools after the next notice."""
        async with asyncio.timeout(PATIENCE):
            await self.told.wait()
        self.told.clear()
        return [each.name for each in (await self.client.list_tools(cache_mode="bypass")).tools]

    async def call(self) -> str:
        """What the tool gives, or what the server says where it isn't there."""
        try:
            result = await self.client.call_tool("gauge", {})
        except MCPError as error:
            return str(error)
        return "".join(each.text for each in result.content if isinstance(each, t.TextContent))


@asynccontextmanager
async def older(target: Any) -> AsyncIterator[Connected]:
    """A client of the era with a handshake."""
    told = asyncio.Event()

    async def heard(message: object) -> None:
        if isinstance(message, t.ToolListChangedNotification):
            told.set()

    async with Client(target, mode="legacy", message_handler=heard) as client:
        yield Connected(client, told)


@asynccontextmanager
async def modern(target: Any) -> AsyncIterator[Connected]:
    """A client of the era without one, which listens."""
    told = asyncio.Event()

    async def listen(subscription: Any) -> None:
        async for _ in subscription:
            told.set()

    async with (
        Client(target, mode="2026-07-28") as client,
        client.listen(tools_list_changed=True) as subscription,
        asyncio.TaskGroup() as group,
    ):
        task = group.create_task(listen(subscription))
        yield Connected(client, told)
        task.cancel()


def over_stdio(serving: Served) -> StdioServerParameters:
    """The same, in a process of the client's own."""
    program, *words = serving.command
    return StdioServerParameters(
        command=program, args=words, env=dict(serving.variables), cwd=str(serving.folder)
    )


@pytest.fixture
def serving(
    environment: Any, wheels: dict[str, Path], pip: Callable[..., None]
) -> Iterator[Served]:
    """A board that is served from an environment which pip changes."""
    dist = environment.work / "dist"
    pip("wheel", "--no-deps", "--wheel-dir", dist, REPOSITORY / "plugins" / "pegboard-mcp")
    environment.install(f"{wheels['pegboard']}[watch]", *dist.iterdir())
    (environment.work / "pegboard.toml").write_text('only = ["gauge"]\n')
    with served(environment.work, "--watch", python=environment.python) as found:
        yield found


@pytest.fixture
def gauge(environment: Any) -> Path:
    """The wheel of a plugin."""
    return write_wheel(
        environment.work / "wheels",
        "gauge",
        "1.0",
        files={"gauge.py": code(1, name="gauge")},
        plugin="gauge = gauge",
    )


@asynccontextmanager
async def clients_of(serving: Served) -> AsyncIterator[list[Connected]]:
    """Clients of both eras, each over HTTP and over stdio."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(era(target))
            for era in (older, modern)
            for target in (serving.url, over_stdio(serving))
        ]


async def test_clients_that_stay_connected_see_what_pip_installs_and_uninstalls(
    serving: Served, gauge: Path, environment: Any, pip: Callable[..., None]
) -> None:
    to = ("--python", environment.python)
    async with clients_of(serving) as clients:
        before = [await each.call() for each in clients]
        await asyncio.to_thread(pip, *to, "install", "--no-index", "--no-deps", gauge)
        installed = [(await each.tools(), await each.call()) for each in clients]
        await asyncio.to_thread(pip, *to, "uninstall", "--yes", "gauge")
        uninstalled = [(await each.tools(), await each.call()) for each in clients]

    assert before == [UNKNOWN] * 4
    assert installed == [(["gauge"], "1001")] * 4
    assert uninstalled == [([], UNKNOWN)] * 4

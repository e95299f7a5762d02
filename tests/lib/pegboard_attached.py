"""What the tests of attached MCP servers share: hosts with one, and servers over HTTP."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pegboard import JSON, Board, Config, Host, Outcome
from pegboard_mcp import McpServer
from pegboard_scripted import Scripted, raw_of

SDK_SERVER = Path(__file__).parent / "pegboard_sdk_server.py"
OVER_STDIO = [sys.executable, str(SDK_SERVER), "stdio"]


@asynccontextmanager
async def attached(
    target: Any, *, config: Config | None = None, name: str = "s", **options: Any
) -> AsyncIterator[tuple[Host, Board]]:
    """A host on which a server is loaded, and a board of it."""
    place = target.command if isinstance(target, Scripted) else target
    async with Host(config, discover=False) as host:
        await host.load(McpServer(place, **options), name=name)
        yield host, await host.board("b")


async def calling(target: Any, tool: str, arguments: JSON = None, **options: Any) -> Outcome:
    """The outcome of one call, by the server's own name."""
    async with attached(target, **options) as (_, board):
        return await board.call(name_of(board, tool), arguments)


def name_of(board: Board, raw: str) -> str:
    """The name on a board for a server's own name."""
    return {theirs: ours for ours, theirs in raw_of(board).items()}[raw]


async def until(true: Callable[[], object], *, seconds: float = 10) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


class Served:
    """A server over HTTP in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self._process = process
        self.pid = process.pid
        self.url = f"http://127.0.0.1:{port}/mcp"

    async def kill(self) -> None:
        """End it by force."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@asynccontextmanager
async def over_http(*options: str, port: int | None = None) -> AsyncIterator[Served]:
    """A server over HTTP that answers."""
    port = port or free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SDK_SERVER), str(port), *options
    )
    served = Served(process, port)
    try:
        await until(lambda: _answers(port), seconds=30)
        yield served
    finally:
        await served.kill()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0

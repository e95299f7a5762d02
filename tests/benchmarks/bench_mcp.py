"""What a call through an MCP server costs: a board's, the SDK's own low level, and fastmcp's."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from fastmcp import Client as FastClient
from mcp import Client, StdioServerParameters
from mcp_servers import KINDS, add, bare_server, fast_server
from pegboard import Host, tool
from pegboard_mcp import BoardServer
from side_by_side import Figures, Way, measure

SERVERS = str(Path(__file__).with_name("mcp_servers.py"))
ARGUMENTS = {"a": 3, "b": 4, "label": "hello"}
ERAS = ("auto", "legacy")
CLIENTS = 200
CALLS = 10
ROUNDS = 15


@asynccontextmanager
async def clients(targets: Mapping[str, Any], mode: str) -> AsyncIterator[dict[str, Way]]:
    """A way of calling each server, by its kind."""
    async with AsyncExitStack() as stack:
        ways: dict[str, Way] = {}
        for kind, target in targets.items():
            client = await stack.enter_async_context(Client(target, mode=mode))
            result = await client.call_tool("add", ARGUMENTS)
            assert result.structured_content == {"sum": 7, "label": "hello"}
            ways[kind] = _calling(client)
        yield ways


def _calling(client: Client) -> Way:
    return lambda: client.call_tool("add", ARGUMENTS)


@asynccontextmanager
async def processes(kinds: tuple[str, ...]) -> AsyncIterator[dict[str, "Served"]]:
    """A process for each kind that serves HTTP on this machine."""
    served = {kind: Served.begun(kind) for kind in kinds}
    try:
        for each in served.values():
            await each.ready()
        yield served
    finally:
        for each in served.values():
            each.end()


@attrs.frozen
class Served:
    """A process that serves HTTP.

    Attributes:
        port: where.
        process: the process.
    """

    port: int
    process: "subprocess.Popen[bytes]"

    @classmethod
    def begun(cls, kind: str) -> "Served":
        """Start one on a free port."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, SERVERS, kind, str(port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return cls(port, subprocess.Popen(command, **quiet))  # type: ignore[call-overload]

    @property
    def url(self) -> str:
        """Where its tools are."""
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def memory(self) -> int:
        """Its resident memory in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    @property
    def seconds(self) -> float:
        """The processor time that it has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def ready(self) -> None:
        """Wait until it answers."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            await asyncio.sleep(0.05)
        raise TimeoutError(self.url)

    def end(self) -> None:
        """End it."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


def told(figures: Figures, title: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Print a table."""
    with capsys.disabled():
        print("\n\n" + figures.table(title, "SDK"))


@pytest.mark.parametrize("mode", ERAS)
async def test_in_memory(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    async with Host(discover=False) as host, AsyncExitStack() as stack:
        host.register(tool(add))
        board = await host.board("bench")
        targets = {"pegboard": BoardServer(board), "SDK": bare_server()}
        ways = await stack.enter_async_context(clients(targets, mode))
        ways["`board.call`, no server"] = lambda: board.call("add", ARGUMENTS)
        fast = await stack.enter_async_context(FastClient(fast_server()))
        ways["fastmcp, its own client"] = lambda: fast.call_tool("add", ARGUMENTS)
        figures = await measure(ways)
    told(figures, f"a call in memory, {mode}", capsys)

    assert figures.ratio("pegboard", "fastmcp, its own client") < 0.75


@pytest.mark.parametrize("mode", ERAS)
async def test_over_standard_input_and_output(
    mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    targets = {
        kind: StdioServerParameters(command=sys.executable, args=[SERVERS, kind]) for kind in KINDS
    }
    async with clients(targets, mode) as ways:
        figures = await measure(ways, rounds=ROUNDS, clock=time.perf_counter_ns)
    told(figures, f"a call over stdio, {mode}", capsys)

    assert figures.ratio("pegboard", "fastmcp") < 1.0


@pytest.mark.parametrize("mode", ERAS)
async def test_over_http(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    async with (
        processes(KINDS) as served,
        clients({kind: each.url for kind, each in served.items()}, mode) as ways,
    ):
        figures = await measure(ways, rounds=ROUNDS, clock=time.perf_counter_ns)
    told(figures, f"a call over HTTP, {mode}", capsys)

    assert figures.ratio("pegboard", "fastmcp") < 1.0


@pytest.mark.parametrize("mode", ERAS)
async def test_many_clients_of_one_http_server(
    mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {kind: await crowded(kind, mode) for kind in KINDS}
    columns = ("calls a second", "µs of the server a call", "MiB at first", "KiB a client")
    head = f"| {CLIENTS} clients over HTTP, {mode} | {' | '.join(columns)} |"
    rows = [f"| {kind} | {each.row} |" for kind, each in found.items()]
    with capsys.disabled():
        print("\n\n" + "\n".join([head, "|---|---:|---:|---:|---:|", *rows]))

    assert found["pegboard"].cost < found["fastmcp"].cost


@attrs.frozen
class Crowded:
    """What many clients make of a server.

    Attributes:
        rate: calls a second, of all together, clients included.
        cost: microseconds of the server's processor time a call.
        memory: KiB of the server with one client.
        added: KiB for each further one.
    """

    rate: float
    cost: float
    memory: int
    added: float

    @property
    def row(self) -> str:
        """The same as a part of a table."""
        return f"{self.rate:.0f} | {self.cost:.0f} | {self.memory / 1024:.0f} | {self.added:.0f}"


async def crowded(kind: str, mode: str) -> Crowded:
    """Have many clients call one server at once."""
    barrier = asyncio.Barrier(CLIENTS + 1)
    async with processes((kind,)) as served:
        server = served[kind]
        async with Client(server.url, mode=mode) as first:
            await first.call_tool("add", ARGUMENTS)
            before = server.memory
        async with asyncio.TaskGroup() as crowd:
            for _ in range(CLIENTS):
                crowd.create_task(_one(server.url, mode, barrier))
            await barrier.wait()
            added = (server.memory - before) / CLIENTS
            begun, taken = time.perf_counter(), server.seconds
            await barrier.wait()
            await barrier.wait()
            rate = CLIENTS * CALLS / (time.perf_counter() - begun)
            cost = (server.seconds - taken) / (CLIENTS * CALLS) * 1e6
    return Crowded(rate, cost, before, added)


async def _one(url: str, mode: str, barrier: asyncio.Barrier) -> None:
    async with Client(url, mode=mode) as client:
        await barrier.wait()
        await barrier.wait()
        for _ in range(CALLS):
            await client.call_tool("add", ARGUMENTS)
        await barrier.wait()

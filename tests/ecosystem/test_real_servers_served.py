"""Real MCP servers as plugins of a board that is itself served: both halves in one chain."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from pegboard_served import Served, served
from pegboard_servers import SERVERS, RealServer, configure, furnish, is_running, processes_below

pytestmark = pytest.mark.xdist_group("served servers")
eras = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])


@pytest.fixture(scope="module")
def chain(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A board with the nine servers, served."""
    work = tmp_path_factory.mktemp("chain")
    furnish(work)
    configure(prepared, work)
    with served(work) as found:
        yield found


async def answered(client: Client, server: RealServer, work: Path) -> bool:
    """Whether the last of a server's calls gives what it should, after the others."""
    for call in server.calls:
        name = f"{server.name}_{call.tool}"
        result = await client.call_tool(name, server.asked(call, work))
    text = "\n".join(getattr(each, "text", "") for each in result.content)
    return call.text in text and result.is_error == call.fails


@eras
async def test_a_client_lists_and_calls_the_tools_of_all_nine(chain: Served, era: str) -> None:
    async with Client(chain.url, mode=era) as client:
        listed = (await client.list_tools()).tools
        wrong = [
            server.name for server in SERVERS if not await answered(client, server, chain.folder)
        ]

    assert wrong == []
    assert len(listed) >= 59


@pytest.mark.parametrize("end", ["terminate", "kill"])
def test_no_server_outlives_the_command(prepared: Path, tmp_path: Path, end: str) -> None:
    furnish(tmp_path)
    servers = configure(prepared, tmp_path, "time", "sqlite", "everything")
    with served(tmp_path) as found:
        processes = processes_below(found.process.pid)
        getattr(found.process, end)()
        found.process.wait(20)

    assert len(processes) >= len(servers) == 3
    assert asyncio.run(outlived(processes)) == []


async def outlived(processes: list[int]) -> list[int]:
    """Those that still run after a few seconds."""
    for _ in range(50):
        if not any(map(is_running, processes)):
            break
        await asyncio.sleep(0.1)
    return [each for each in processes if is_running(each)]

"""Nine real MCP servers as plugins: listed, called, killed, unloaded."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import mcp_types as t
import pytest
from mcp import Client, StdioServerParameters
from pegboard import Board, Failure, Host, Outcome
from pegboard.formats import mcp
from pegboard_mcp import McpServer
from pegboard_servers import (
    SERVERS,
    Asked,
    RealServer,
    configure,
    furnish,
    is_running,
    processes_below,
)

KILLED = [
    *(pytest.param(server, -1, id=server.name) for server in SERVERS),
    *(
        pytest.param(server, 0, id=f"{server.name}-wrapper")
        for server in SERVERS
        if server.is_wrapped
    ),
]
every_server = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)


@attrs.frozen
class Place:
    """Where a server runs."""

    prepared: Path
    work: Path

    def attached(self, server: RealServer) -> McpServer:
        """The server as a plugin."""
        command = server.command(self.prepared, self.work)
        variables = server.variables(self.prepared, self.work)
        return McpServer(command, env=variables, cwd=str(self.work))

    @asynccontextmanager
    async def board(self, server: RealServer) -> AsyncIterator[tuple[Host, Board]]:
        """A host with the server, and a board."""
        async with Host(discover=False) as host:
            await host.load(self.attached(server), name=server.name)
            yield host, await host.board("desk")

    async def listed(self, server: RealServer) -> list[dict[str, Any]]:
        """What the server sends to a client without pegboard."""
        program, *words = server.command(self.prepared, self.work)
        variables = server.variables(self.prepared, self.work)
        target = StdioServerParameters(
            command=program, args=words, env=variables, cwd=str(self.work)
        )
        async with Client(target, elicitation_callback=declined) as client:
            found = await client.list_tools()
        return [
            each.model_dump(by_alias=True, mode="json", exclude_unset=True) for each in found.tools
        ]


async def declined(_context: object, _params: object) -> t.ElicitResult:
    return t.ElicitResult(action="decline")


def our_name(server: RealServer, tool: str) -> str:
    return f"{server.name}_{tool}"


def nameless(definitions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: each[key] for key in each if key != "name"} for each in definitions]


def code_of(outcome: Outcome) -> str | None:
    return getattr(outcome, "code", None)


def expected_of(call: Asked) -> str | None:
    return "tool_error" if call.fails else None


def text_of(outcome: Outcome) -> str:
    return "\n".join(getattr(each, "text", "") for each in outcome.content)


@pytest.fixture
def place(prepared: Path, tmp_path: Path) -> Place:
    """A folder of the test's own, with what the servers are asked about."""
    work = tmp_path / "work"
    work.mkdir()
    furnish(work)
    return Place(prepared, work)


@pytest.fixture
def started() -> Callable[[], list[int]]:
    """The processes that the test has started and that still run."""
    before = processes_below(os.getpid())
    return lambda: [each for each in processes_below(os.getpid()) if each not in before]


@every_server
async def test_a_board_shows_what_the_server_sends(server: RealServer, place: Place) -> None:
    sent = await place.listed(server)

    async with place.board(server) as (_, board):
        shown: list[Any] = mcp.definitions(board, any_output=True)

    assert nameless(shown) == nameless(sent)
    assert [each["name"] for each in shown] == [our_name(server, each["name"]) for each in sent]


@pytest.mark.shared
@pytest.mark.parametrize(
    "server", [each for each in SERVERS if each.definitions], ids=lambda server: server.name
)
async def test_a_board_shows_the_definitions_that_were_kept(
    server: RealServer, place: Place, shared_definitions: Path
) -> None:
    kept = json.loads((shared_definitions / f"{server.definitions}.json").read_text())["tools"]

    async with place.board(server) as (_, board):
        shown: list[Any] = mcp.definitions(board, any_output=True)

    ours = [{**each, "name": our_name(server, each["name"])} for each in kept]
    assert [each for each in ours if each not in shown] == []


@every_server
async def test_calls_give_what_the_server_answers(server: RealServer, place: Place) -> None:
    async with place.board(server) as (_, board):
        outcomes = [
            await board.call(our_name(server, call.tool), server.asked(call, place.work))
            for call in server.calls
        ]

    assert [code_of(each) for each in outcomes] == [expected_of(call) for call in server.calls]
    for call, outcome in zip(server.calls, outcomes, strict=True):
        assert call.text in text_of(outcome)


async def lost_in(
    board: Board, asked: tuple[str, Any], stopped: int, killed: int
) -> tuple[Failure, float]:
    """What a call ends with whose server is killed, and the seconds from then on."""
    os.kill(stopped, signal.SIGSTOP)
    pending = asyncio.create_task(board.call(*asked))
    await asyncio.sleep(0.2)
    assert not pending.done()
    os.kill(killed, signal.SIGKILL)
    begun = time.monotonic()
    outcome = await pending
    assert isinstance(outcome, Failure)
    return outcome, time.monotonic() - begun


@pytest.mark.parametrize(("server", "which"), KILLED)
async def test_a_server_killed_in_a_call_costs_that_call_only(
    server: RealServer, which: int, place: Place, started: Callable[[], list[int]]
) -> None:
    call = server.calls[-1]
    asked = (our_name(server, call.tool), server.asked(call, place.work))
    async with place.board(server) as (_, board):
        await board.call(*asked)
        processes = started()

        lost, seconds = await lost_in(board, asked, processes[-1], processes[which])
        again = await board.call(*asked)

    assert lost.code == "worker_lost"
    assert seconds < 1
    assert code_of(again) == expected_of(call)
    assert [each for each in processes if is_running(each)] == []


@every_server
async def test_unloading_leaves_no_process(
    server: RealServer, place: Place, started: Callable[[], list[int]]
) -> None:
    async with place.board(server) as (host, board):
        processes = started()

        report = await host.unload(server.name)

        assert [each for each in processes if is_running(each)] == []
        assert dict(board.tools) == {}
    assert processes
    assert (report.still_running, report.errors, report.leaked) == ((), (), ())


async def test_all_nine_stand_side_by_side(place: Place) -> None:
    configure(place.prepared, place.work)

    async with Host(place.work / "pegboard.toml", discover=False) as host:
        names = list((await host.board("desk")).tools)
        states = {each.name: host.plugins[each.name].state for each in SERVERS}

    assert states == dict.fromkeys(states, "loaded")
    assert {our_name(each, each.calls[0].tool) for each in SERVERS} <= set(names)

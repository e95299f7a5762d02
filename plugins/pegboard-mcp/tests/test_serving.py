"""A board as an MCP server, in memory and in both eras of the protocol."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pegboard import (
    RunContext,
    tool,
)
from pegboard_mcp import BoardServer
from pegboard_serving import TOOLS, board_with, echo, eras, names, texts


@eras
async def test_a_server_says_its_name_and_its_instructions(era: str) -> None:
    async with board_with() as (_, board):
        server = BoardServer(board, name="library", instructions="Be brief.")
        async with Client(server, mode=era) as client:
            info, instructions = client.server_info, client.instructions

    assert info is not None
    assert (info.name, instructions) == ("library", "Be brief.")


@eras
async def test_b_034_a_failure_is_text_without_structured_content(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("fail", {"value": "db down"})

    assert (result.is_error, result.structured_content) == (True, None)
    assert texts(result) == "Error: db down"


@eras
async def test_wrong_arguments_are_a_failure_that_says_where(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("count", {"n": "three"})

    assert result.is_error
    assert "$.n must be an integer" in texts(result)


@eras
async def test_a_hidden_tool_is_one_that_does_not_exist(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        board.restrict(deny=["count"])

        refused = []
        for name in ("count", "cound"):
            with pytest.raises(MCPError) as error:
                await client.call_tool(name, {"m": "wrong"})
            refused.append((error.value.code, error.value.message.replace(name, "…")))
        seen = await names(client)

    assert refused == [(INVALID_PARAMS, "Unknown tool: …")] * 2
    assert "count" not in seen


@eras
async def test_progress_arrives_in_order_before_the_result(era: str) -> None:
    told: list[Any] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        await client.call_tool("steps", {}, progress_callback=progressed)

    assert told == [(0, 100, "0 %"), (50, 100, "50 %"), (100, 100, "100 %")]


@eras
async def test_progress_never_falls_and_reports_without_a_number_hardly_count(era: str) -> None:
    told: list[float] = []

    @tool
    async def talk(context: RunContext) -> None:
        """Talk."""
        context.report(message="one")
        context.report(float("nan"), float("inf"), "two")
        for done in (5, 3, None, 50, 50, None, 100):
            context.report(done, 100, "more")

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with board_with(talk) as (_, board), Client(BoardServer(board), mode=era) as client:
        await client.call_tool("talk", {}, progress_callback=progressed)

    assert [round(each, 3) for each in told] == [0, 0, 5, 5, 5, 50, 50, 50, 100]
    assert all(one < other for one, other in pairwise(told))


@eras
async def test_a_client_that_gives_up_cancels_the_call_which_still_has_one_outcome(
    era: str,
) -> None:
    ended: asyncio.Queue[Any] = asyncio.Queue()
    reasons: list[str | None] = []

    @tool
    async def wait(context: RunContext) -> None:
        """Wait."""
        try:
            await asyncio.sleep(60)
        finally:
            reasons.append(context.signal.reason)

    async with board_with(wait) as (host, board), Client(BoardServer(board), mode=era) as client:
        host.hook(call_finished=lambda outcome: ended.put_nowait(outcome.code))
        with pytest.raises(MCPError):
            await client.call_tool("wait", {}, read_timeout_seconds=0.1)
        code = await ended.get()

    assert (code, ended.empty(), reasons) == ("aborted", True, ["the client has cancelled it"])


async def test_a_client_that_leaves_cancels_its_calls() -> None:
    ended: list[Any] = []
    began = asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait."""
        began.set()
        await asyncio.sleep(60)

    async with board_with(wait) as (host, board):
        host.hook(call_finished=lambda outcome: ended.append(outcome.code))
        async with Client(BoardServer(board), mode="legacy") as client:
            call = asyncio.create_task(client.call_tool("wait", {}))
            await began.wait()
        await asyncio.gather(call, return_exceptions=True)

        assert (ended, host.running) == (["aborted"], ())


@eras
async def test_every_call_has_an_id_of_its_own(era: str) -> None:
    ids: list[str] = []

    async with board_with(echo) as (host, board):
        host.hook(call_finished=lambda execution: ids.append(execution.call_id))
        server = BoardServer(board)
        for _ in range(2):
            async with Client(server, mode=era) as client:
                await client.call_tool("echo", {"value": "Pi"})

    assert len(set(ids)) == 2


@eras
async def test_a_closed_board_answers_with_failures(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        await board.close()
        result = await client.call_tool("echo", {"value": "Pi"})

    assert result.is_error
    assert texts(result) == "Error: board 'desk' is closed"
    assert [each.exc_info for each in caplog.records] == [None]
    assert "tools/call failed on board 'desk': board 'desk' is closed" in caplog.text


@eras
async def test_a_fault_of_the_server_is_logged_and_not_told(
    era: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret-7")

    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        monkeypatch.setattr("pegboard_mcp.serving.answers.results", broken)
        monkeypatch.setattr("pegboard_mcp.serving.listing.definitions", broken)
        result = await client.call_tool("echo", {"value": "Pi"})
        with pytest.raises(MCPError) as error:
            await client.list_tools(cache_mode="bypass")

    assert (result.is_error, texts(result)) == (True, "Error: the server failed")
    assert "secret-7" not in str(error.value.error)
    assert "secret-7" in caplog.text


async def test_nothing_of_a_server_stays_on_the_board_once_nobody_is_served() -> None:
    async with board_with(echo) as (_, board):
        async with Client(BoardServer(board)) as client:
            await client.list_tools()
            assert board._scope.chains().approve

        assert not board._scope.chains().approve
        assert not board._scope.chains().changed

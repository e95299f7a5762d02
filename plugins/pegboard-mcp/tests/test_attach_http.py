"""An attached server over streamable HTTP, in a process of its own."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pegboard import Code, Config, Failure, Host, PluginLoadError, Signal, ToolCall
from pegboard_attached import attached, free_port, over_http, until
from pegboard_mcp import McpServer

ERAS = pytest.mark.parametrize("era", ["new", "old"])


@asynccontextmanager
async def answering(status: int) -> AsyncIterator[str]:
    """The URL of something that answers every request with one status."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            f"HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/secret-path/mcp"


@ERAS
async def test_calls_go_through_with_progress_and_questions(era: str) -> None:
    seen: list[str | None] = []
    async with over_http(era) as server, attached(server.url) as (_, board):
        board.hook(approve=lambda request: "once")
        echoed = await board.call("s_echo", {"a": None})
        await board.call("s_report", on_progress=lambda each: seen.append(each.message))
        asked = await board.call("s_ask")
        version = await board.call("s_version")

    assert (version.unwrap() >= "2026") == (era == "new")
    assert echoed.unwrap() == "echo {'a': None}"
    assert seen == ["step 0", "step 1", "step 2"]
    assert asked.unwrap() == "accept {}"


@ERAS
async def test_a_changed_list_is_followed(era: str) -> None:
    async with over_http(era) as server, attached(server.url) as (_, board):
        await board.call("s_change", {"added": ["new"]})
        await until(lambda: "s_new" in board.tools)


@ERAS
async def test_headers_arrive_with_every_request(era: str) -> None:
    headers = {"X-Token": "tok-123456"}
    async with over_http(era) as server, attached(server.url, headers=headers) as (_, board):
        assert (await board.call("s_headers")).unwrap() == "tok-123456"


async def test_arguments_are_mirrored_in_the_headers_that_a_tool_names(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with over_http("new") as server, attached(server.url) as (_, board):
        outcome = await board.call("s_mirrored", {"region": "north"})

        assert outcome.unwrap() == "north"
        assert "s_misdirected" not in board.tools
        assert "'misdirected' isn't offered" in caplog.text


@ERAS
async def test_an_answer_of_five_megabytes_is_read_and_measured_by_the_hosts_own_limits(
    era: str,
) -> None:
    async with over_http(era) as server, attached(server.url) as (_, board):
        fits = await board.call("s_large", {"size": 5_000_000})
        large = await board.call("s_large", {"size": 11_000_000})

    assert len(fits.unwrap()) == 5_000_000
    assert isinstance(large, Failure)
    assert large.code is Code.INVALID_OUTPUT


@ERAS
async def test_many_calls_go_through_side_by_side(era: str) -> None:
    async with over_http(era) as server, attached(server.url) as (_, board):
        calls = [ToolCall(str(n), "s_nap") for n in range(10)]
        began = time.monotonic()

        outcomes = await board.run(calls)

    assert not any(each.is_error for each in outcomes)
    assert time.monotonic() - began < 5


@ERAS
async def test_a_server_that_is_gone_ends_its_calls_at_once(era: str) -> None:
    async with over_http(era) as server, attached(server.url) as (_, board):
        call = asyncio.create_task(board.call("s_wait"))
        await asyncio.sleep(0.3)
        await server.kill()
        async with asyncio.timeout(2):
            outcome = await call

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.WORKER_LOST
    assert "is gone" in outcome.message


@ERAS
async def test_a_server_that_comes_back_is_used_again(era: str) -> None:
    port = free_port()
    async with over_http(era, port=port) as server, attached(server.url) as (_, board):
        await server.kill()
        lost = await board.call("s_echo")
        async with over_http(era, port=port):
            outcomes = [await board.call("s_echo") for _ in range(2)]

    assert isinstance(lost, Failure)
    assert lost.code is Code.WORKER_LOST
    assert not outcomes[-1].is_error


@ERAS
async def test_a_cancelled_call_leaves_the_connection_as_it_was(era: str) -> None:
    caller = Signal()
    async with over_http(era) as server, attached(server.url) as (_, board):
        call = asyncio.create_task(board.call("s_wait", signal=caller))
        await asyncio.sleep(0.2)
        caller.cancel("enough")
        assert (await call).is_error

        assert not (await board.call("s_echo")).is_error


@ERAS
async def test_unloading_does_not_wait_for_a_server_that_hangs(era: str) -> None:
    async with over_http(era) as server, attached(server.url) as (host, _):
        os.kill(server.pid, signal.SIGSTOP)
        async with asyncio.timeout(4):
            report = await host.unload("s")

        assert (report.errors, report.leaked) == ((), ())


async def test_a_server_that_is_not_there_yet_is_tried_again() -> None:
    port = free_port()
    async with Host(Config(retry_after=0.05), discover=False) as host:
        with pytest.raises(PluginLoadError, match="can't be reached"):
            await host.load(McpServer(f"http://127.0.0.1:{port}/mcp"), name="s")
        assert host.plugins["s"].state == "retrying"

        async with over_http("new", port=port):
            await until(lambda: host.plugins["s"].state == "loaded")
            board = await host.board("b")
            assert not (await board.call("s_echo")).is_error


@pytest.mark.parametrize(("status", "state"), [(401, "failed"), (404, "failed"), (503, "retrying")])
async def test_a_server_that_refuses_is_named_without_its_path(status: int, state: str) -> None:
    async with answering(status) as url, Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(McpServer(url), name="s")

        assert host.plugins["s"].state == state
    assert str(status) in str(caught.value)
    assert "secret-path" not in str(caught.value)

"""Loading, cancelling and unloading, while pages are fetched."""

import asyncio
from typing import Any

import pegboard_web
import pytest
from pegboard import Board, Host, Signal, ToolCall

PATIENT = {"max_seconds": 60, "idle_seconds": 60}
"""Enough for the slowest machine."""


async def load_call_and_unload(host: Host, board: Board, url: str) -> None:
    """One life of the plugin, unloaded while two calls run."""
    place = url.split("/")[2]
    await host.load("web", settings={"allow_private": [place], **PATIENT})
    calls = [asyncio.create_task(board.call("web_fetch", {"url": url})) for _ in range(2)]
    await asyncio.sleep(0)
    report = await host.unload("web")
    assert [(await call).unwrap()["text"] for call in calls] == ["x", "x"]
    assert (report.still_running, report.errors, report.leaked) == ((), (), ())


async def test_a_hundred_loads_and_unloads_under_calls_leave_nothing(
    serve: Any, reply: Any
) -> None:
    script = {"/": reply("<p>x"), "/text": reply("x", "text/plain")}
    async with serve(script) as served, Host(discover=False) as host:
        board = await host.board("tests")
        for number in range(100):
            path = "/text" if number % 10 else "/"
            await load_call_and_unload(host, board, f"http://127.0.0.1:{served.port}{path}")


async def hang(_writer: Any) -> None:
    await asyncio.sleep(30)


async def test_unloading_ends_the_calls_that_take_longer_than_the_grace(serve: Any) -> None:
    async with serve({"/": hang}) as served, Host(discover=False) as host:
        place = f"127.0.0.1:{served.port}"
        await host.load(pegboard_web, name="web", settings={"allow_private": [place]})
        board = await host.board("tests")
        call = asyncio.create_task(board.call("web_fetch", {"url": f"http://{place}/"}))
        while not served.heads:
            await asyncio.sleep(0.01)
        report = await host.unload("web", grace=0)

    assert (await call).code == "aborted"
    assert (report.cancelled, report.still_running, report.leaked) == (1, (), ())


@pytest.mark.parametrize("path", ["/hang", "/hard"])
async def test_cancelling_ends_a_fetch_and_its_conversion(
    serve: Any, opened: Any, reply: Any, path: str
) -> None:
    async with serve({"/hang": hang, "/hard": reply("<dl>" * 400_000)}) as served:
        place = f"127.0.0.1:{served.port}"
        async with opened(allow_private=[place]) as board:
            signal = Signal()
            asked = {"url": f"http://{place}{path}"}
            call = asyncio.create_task(board.call("web_fetch", asked, signal=signal))
            while not served.heads:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)  # on a slow machine, the conversion hasn't begun: the same
            signal.cancel("enough")
            assert (await call).code == "aborted"

    assert served.paths == [path]


async def test_calls_overlap_and_wait_for_a_free_connection(
    serve: Any, opened: Any, reply: Any
) -> None:
    together = asyncio.Barrier(2)

    async def meet(writer: Any) -> None:
        await together.wait()
        writer.write(reply("met", "text/plain"))

    async with serve({"/": meet}) as served:
        place = f"127.0.0.1:{served.port}"
        calls = [ToolCall(f"{n}", "web_fetch", {"url": f"http://{place}/"}) for n in range(6)]
        async with opened(allow_private=[place], max_connections=2) as board:
            outcomes = await board.run(calls)

    assert [each.unwrap()["text"] for each in outcomes] == ["met"] * 6


async def test_a_crowd_waits_no_longer_than_servers_may_be_silent(
    serve: Any, opened: Any, code: Any
) -> None:
    async with serve({"/": hang}) as served:
        place = f"127.0.0.1:{served.port}"
        settings = {"max_connections": 1, "idle_seconds": 0.3}
        async with opened(allow_private=[place], **settings) as board:
            asked = {"url": f"http://{place}/"}
            outcomes = await asyncio.gather(*(board.call("web_fetch", asked) for _ in range(4)))

    assert {code(each) for each in outcomes} <= {"busy", "too_slow"}

"""What probes are told, and what clients are told while a host is opened or served no more."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from pegboard import Host, PegboardError, tool
from pegboard_mcp import http_app, serve_http
from pegboard_serving import echo, eras, texts
from pegboard_serving_http import (
    HEADERS,
    LIST,
    forget_keep_alive,
    host_with,
    plain_client,
    served,
)

PATHS = ("/healthz", "/readyz")
HOSTS = ("127.0.0.1", "10.0.0.7:8000", "evil.example", "")


async def probe(url: str, method: str = "GET", host: str = "10.0.0.7") -> httpx2.Response:
    """What a probe gets."""
    async with httpx2.AsyncClient(timeout=20) as http:
        return await http.request(method, url, headers={"Host": host})


@asynccontextmanager
async def begun(host: Host) -> AsyncIterator[tuple[str, Any, Any]]:
    """Where a host is served that isn't open yet, what is to be set once it is, and the task."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    opening: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_http(host, port=port, opening=opening), name="serving")
    try:
        while not serving.done() and not await is_answered(f"http://127.0.0.1:{port}/healthz"):
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{port}", opening, serving
    finally:
        serving.cancel()
        await asyncio.wait([serving])
        forget_keep_alive()


async def is_answered(url: str) -> bool:
    """Whether anybody answers there."""
    try:
        return (await probe(url)).status_code == 200
    except httpx2.ConnectError:
        return False


@pytest.mark.parametrize("host", HOSTS)
async def test_probes_are_answered_whatever_name_they_ask_by(host: str) -> None:
    async with host_with() as served_host, served(served_host) as url:
        answers = [await probe(f"{url}{path}", host=host) for path in PATHS]

    assert [(each.status_code, each.text) for each in answers] == [(200, "ok\n")] * 2


@pytest.mark.parametrize("path", PATHS)
async def test_strangers_learn_nothing_else_and_nobody_keeps_it(path: str) -> None:
    async with host_with(secret="tok-1") as host, served(host) as url:
        got, head = [await probe(f"{url}{path}", method) for method in ("GET", "HEAD")]

    assert (got.text, head.status_code, head.text) == ("ok\n", 200, "")
    assert {each.headers["cache-control"] for each in (got, head)} == {"no-store"}
    assert set(got.headers) == {"cache-control", "content-length", "content-type", "date"}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
@pytest.mark.parametrize("path", PATHS)
async def test_nothing_but_get_and_head_is_answered(path: str, method: str) -> None:
    async with host_with() as host, served(host) as url:
        answer = await probe(f"{url}{path}", method)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert answer.headers["cache-control"] == "no-store"


async def test_a_host_that_ends_is_not_ready_and_answers() -> None:
    async with host_with() as host, served(host) as url:
        await host.drain(grace=0)
        answers = [await probe(f"{url}{path}") for path in PATHS]

    assert [(each.status_code, each.text) for each in answers] == [
        (200, "ok\n"),
        (503, "not ready\n"),
    ]


async def test_an_application_whose_host_is_not_open_is_not_ready() -> None:
    app = http_app(Host(discover=False))
    transport = httpx2.ASGITransport(app)

    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:80") as http,
    ):
        answers = [(await http.get(path)).status_code for path in PATHS]

    assert answers == [200, 503]


async def test_while_a_host_is_opened_probes_are_answered_and_nobody_is_let_in() -> None:
    host = Host(discover=False)
    async with begun(host) as (url, opening, _), plain_client() as http:
        before = [(await probe(f"{url}{path}")).status_code for path in PATHS]
        refused = (await http.post(f"{url}/mcp", json=LIST, headers=HEADERS)).status_code
        async with host:
            host.register(echo)
            opening.set_result(None)
            async with Client(f"{url}/mcp") as client:
                result = await client.call_tool("echo", {"value": "Pi"})
            after = (await probe(f"{url}/readyz")).status_code

    assert (before, refused, texts(result), after) == ([200, 503], 503, "Pi", 200)


@pytest.mark.parametrize("path", ["/nope", "/boards/x/mcp", "/mcp", "/", "/readyz/", "/healthz/x"])
async def test_while_a_host_is_opened_whatever_is_no_probe_is_503(path: str) -> None:
    async with begun(Host(discover=False)) as (url, _, _):
        answers = [await probe(f"{url}{path}", method) for method in ("GET", "POST", "HEAD")]

    assert [each.status_code for each in answers] == [503] * 3


@pytest.mark.parametrize("path", ["/readyz/", "/healthz/", "/mcp/", "/boards/x/mcp/"])
@pytest.mark.parametrize("host", HOSTS)
async def test_nobody_is_led_to_a_name_that_a_client_has_sent(path: str, host: str) -> None:
    async with host_with() as served_host, served(served_host) as url:
        answer = await probe(f"{url}{path}", host=host)

    assert (answer.status_code, "location" in answer.headers) == (404, False)


async def test_what_opening_raises_ends_the_serving() -> None:
    async with begun(Host(discover=False)) as (_, opening, serving):
        opening.set_exception(PegboardError("the disk is full"))

        with pytest.raises(PegboardError, match="the disk is full"):
            await serving


@eras
async def test_a_client_whose_call_is_cancelled_by_the_end_of_serving_reads_its_outcome(
    era: str,
) -> None:
    running = asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait."""
        running.set()
        await asyncio.sleep(60)

    async with host_with(wait) as host:
        serving = served(host)
        url = await serving.__aenter__()
        async with Client(f"{url}/mcp", mode=era) as client:
            await client.list_tools()
            call = asyncio.create_task(client.call_tool("wait", {}))
            await running.wait()
            await serving.__aexit__(None, None, None)
            result = await call

    assert (result.is_error, texts(result)) == (True, "Error: the board is served no more")

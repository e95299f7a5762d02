"""The boards of a host over HTTP, on this machine."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pegboard import (
    Ask,
    Host,
    HostClosedError,
    PegboardError,
    RunContext,
    Tool,
    tool,
)
from pegboard_mcp import http_app, serve_http
from pegboard_serving import ERAS, TOOLS, Person, echo, eras, listening, names, texts
from pegboard_serving_http import (
    HEADERS,
    HELLO,
    LIST,
    PING,
    host_with,
    plain_client,
    served,
    status,
)

ANYTHING = Tool(
    name="deep",
    description="Give back.",
    parameters={"type": "object"},
    run=lambda arguments, context: arguments,
    extra="keep",
)


@eras
async def test_a_client_lists_and_calls(era: str) -> None:
    async with (
        host_with() as host,
        served(host) as url,
        Client(f"{url}/mcp", mode=era) as client,
    ):
        seen = await names(client)
        result = await client.call_tool("count", {"n": 2})

    assert seen == ["echo", "count", "fail", "steps", "blocks"]
    assert result.structured_content == {"n": 2}


@eras
async def test_a_tool_comes_and_goes_without_connecting_again(era: str) -> None:
    async with (
        host_with(echo) as host,
        served(host) as url,
        listening(f"{url}/mcp", era) as (client, told),
    ):
        seen = [await names(client)]
        added = host.register(TOOLS[1])
        await told.again()
        seen.append(await names(client))
        added.close()
        await told.again()
        seen.append(await names(client))

    assert seen == [["echo"], ["echo", "count"], ["echo"]]


@eras
async def test_a_restricted_board_neither_shows_nor_runs_what_it_denies(era: str) -> None:
    async with host_with() as host, served(host) as url:
        (await host.board("strict")).restrict(deny=["count"])
        async with Client(f"{url}/boards/strict/mcp", mode=era) as client:
            seen = await names(client)
            with pytest.raises(MCPError) as error:
                await client.call_tool("count", {"n": 2})

    assert seen == ["echo", "fail", "steps", "blocks"]
    assert error.value.code == -32602


async def test_a_port_that_is_taken_is_said() -> None:
    async with host_with() as host, served(host) as url:
        port = int(url.rpartition(":")[2])

        with pytest.raises(PegboardError, match=f"can't listen on 127.0.0.1 port {port}: "):
            await serve_http(host, port=port)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (b"x" * 5_000_000, 413),
        (b"no json", 400),
        (b"[" * 100_000, 400),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, 400),
        (b"1" * 5000, 400),
        ([LIST, LIST], 400),
        ({**LIST, "method": "tools/nothing"}, 400),
        ({**LIST, "params": {}}, 400),
        ({**LIST, "id": None}, 400),
        ({**LIST, "params": {**LIST["params"], "cursor": 7}}, 400),
    ],
    ids=lambda given: str(given)[:30] + str(len(str(given))),
)
async def test_a_hostile_request_is_an_error_and_the_next_one_is_answered(
    body: Any, wanted: int
) -> None:
    async with host_with() as host, served(host) as url:
        found = await status(f"{url}/mcp", body=body)

        assert (found, await status(f"{url}/mcp")) == (wanted, 200)


@pytest.mark.parametrize("levels", [200, 300, 900])
async def test_arguments_that_go_too_deep_are_refused_by_the_board_or_the_protocol(
    levels: int,
) -> None:
    deep = '{"a":' * levels + "1" + "}" * levels
    call = {**LIST, "method": "tools/call", "params": {**LIST["params"], "name": "deep"}}
    body = json.dumps({**call, "params": {**call["params"], "arguments": "…"}}, ensure_ascii=False)
    headers = {"Mcp-Method": "tools/call", "Mcp-Name": "deep"}

    async with host_with(ANYTHING) as host, served(host) as url:
        sent = body.replace('"…"', deep).encode()
        found = [await status(f"{url}/mcp", body=sent, **headers), await status(f"{url}/mcp")]

    assert found[0] in (200, 400)
    assert found[1] == 200


async def test_only_so_many_sessions_are_open_at_once() -> None:
    async with host_with() as host, served(host, max_sessions=2) as url, plain_client() as http:
        found = [(await http.post(f"{url}/mcp", json=HELLO)).status_code for _ in range(3)]

    assert found == [200, 200, 503]


async def test_an_idle_session_ends() -> None:
    async with host_with() as host, served(host, idle_timeout=0.05) as url, plain_client() as http:
        opened = await http.post(f"{url}/mcp", json=HELLO)
        await asyncio.sleep(0.3)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        found = await http.post(f"{url}/mcp", json=PING, headers=session)

    assert (opened.status_code, found.status_code) == (200, 404)


@eras
async def test_a_client_that_gives_up_cancels_its_call(era: str) -> None:
    ended: asyncio.Queue[Any] = asyncio.Queue()

    @tool
    async def wait(context: RunContext) -> None:
        """Wait."""
        context.report(1)
        await asyncio.sleep(60)

    async with host_with(wait) as host, served(host) as url:
        host.hook(call_finished=lambda outcome: ended.put_nowait(outcome.code))
        async with Client(f"{url}/mcp", mode=era) as client:
            with pytest.raises(MCPError):
                await client.call_tool("wait", {}, read_timeout_seconds=0.3)
            code = await ended.get()

    assert (code, ended.empty()) == ("aborted", True)


@eras
async def test_approvals_are_asked_for(era: str) -> None:
    person = Person(content={"answer": "once"})

    async with host_with() as host, served(host) as url:
        host.hook(before_call=lambda execution: Ask("sure?"))
        async with Client(f"{url}/mcp", mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("echo", {"value": "Pi"})

    assert (texts(result), len(person.asked)) == ("Pi", 1)


@eras
async def test_progress_is_told(era: str) -> None:
    told: list[float] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with (
        host_with() as host,
        served(host) as url,
        Client(f"{url}/mcp", mode=era) as client,
    ):
        await client.call_tool("steps", {}, progress_callback=progressed)

    assert told == [0, 50, 100]


@eras
async def test_a_board_that_was_closed_is_served_anew(era: str) -> None:
    async with host_with() as host, served(host) as url:
        seen = []
        for _ in range(2):
            async with Client(f"{url}/mcp", mode=era) as client:
                seen.append(len(await names(client)))
            await host.boards["default"].close()

    assert seen == [5, 5]


@eras
async def test_the_end_of_serving_waits_for_no_client(era: str) -> None:
    loop = asyncio.get_running_loop()

    async with host_with() as host:
        serving = served(host)
        url = await serving.__aenter__()
        async with listening(f"{url}/mcp", era) as (client, _):
            await names(client)
            began = loop.time()
            await serving.__aexit__(None, None, None)
            took = loop.time() - began

    assert took < 2


@eras
async def test_calls_that_run_when_serving_ends_are_cancelled(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    began, codes = asyncio.Event(), []

    @tool
    async def wait(context: RunContext) -> None:
        """Wait."""
        began.set()
        await asyncio.sleep(60)

    async with host_with(wait) as host:
        host.hook(call_finished=lambda outcome: codes.append(outcome.code))
        serving = served(host)
        url = await serving.__aenter__()
        async with Client(f"{url}/mcp", mode=era) as client:
            call = asyncio.create_task(client.call_tool("wait", {}))
            await began.wait()
            await serving.__aexit__(None, None, None)
            call.cancel()
            await asyncio.wait([call])

    assert codes == ["aborted"]
    assert not [each for each in caplog.records if each.name.startswith(("uvicorn", "pegboard"))]


async def test_many_clients_are_served_at_once() -> None:
    async with host_with() as host, served(host) as url:

        async def one(number: int) -> Any:
            async with Client(f"{url}/mcp", mode=ERAS[number % 2]) as client:
                return (await client.call_tool("count", {"n": number})).structured_content

        results = await asyncio.gather(*map(one, range(30)))

    assert results == [{"n": number} for number in range(30)]


async def test_the_application_needs_an_open_host() -> None:
    host = Host(discover=False)
    app = http_app(host)
    transport = httpx2.ASGITransport(app)

    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:80") as http,
    ):
        answer = await http.post("/mcp", json=LIST, headers=HEADERS)

    assert answer.status_code == 503
    with pytest.raises(HostClosedError):
        await host.board("default")


async def test_a_change_while_a_client_has_no_stream_is_told_when_it_opens_one() -> None:
    async with host_with(echo) as host, served(host) as url, plain_client() as http:
        opened = await http.post(f"{url}/mcp", json=HELLO)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await http.post(f"{url}/mcp", json=ready, headers=session)
        told = []
        for each in TOOLS[1:3]:
            host.register(each)
            await asyncio.sleep(0.1)
            async with http.stream("GET", f"{url}/mcp", headers=session) as stream:
                async with asyncio.timeout(10):
                    told.append(
                        await anext(
                            each async for each in stream.aiter_lines() if "list_changed" in each
                        )
                    )
            await asyncio.sleep(0.2)

    assert len(told) == 2


async def test_being_stopped_twice_is_being_stopped() -> None:
    async with host_with() as host:
        ready = asyncio.Event()
        serving = asyncio.create_task(serve_http(host, port=0, on_ready=lambda url: ready.set()))
        await ready.wait()
        for _ in range(3):
            serving.cancel()
            await asyncio.sleep(0)
        await asyncio.wait([serving])

    assert serving.cancelled()


async def test_a_session_of_one_board_is_unknown_to_another() -> None:
    async with host_with() as host, served(host) as url, plain_client() as http:
        opened = await http.post(f"{url}/boards/left/mcp", json=HELLO)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        answers = [
            await http.post(f"{url}/boards/{name}/mcp", json=PING, headers=session)
            for name in ("left", "right")
        ]

    assert [each.status_code for each in answers] == [200, 404]

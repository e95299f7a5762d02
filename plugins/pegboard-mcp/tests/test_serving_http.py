"""The boards of a host over HTTP, on this machine."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pegboard import (
    Ask,
    BoardConfig,
    Config,
    ConfigError,
    Host,
    HostClosedError,
    PegboardError,
    RunContext,
    Secret,
    Tool,
    tool,
)
from pegboard_mcp import http_app, serve_http
from pegboard_mcp.serving import doors
from pegboard_serving import ERAS, TOOLS, Person, echo, listening, names, texts

eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])

HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}
LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}


PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


ANYTHING = Tool(
    name="deep",
    description="Give back.",
    parameters={"type": "object"},
    run=lambda arguments, context: arguments,
    extra="keep",
)


def plain_client() -> httpx2.AsyncClient:
    """A client of the handshake era that knows only HTTP."""
    return httpx2.AsyncClient(headers={"Accept": HEADERS["Accept"]}, timeout=20)


@asynccontextmanager
async def served(host: Host, **options: Any) -> AsyncIterator[str]:
    """Where the boards of a host are served while the block runs."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve_http(host, port=0, on_ready=ready.set_result, **options), name="serving"
    )
    await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
    try:
        yield ready.result().removesuffix("/mcp")
    finally:
        serving.cancel()
        await asyncio.wait([serving])
        for timer in getattr(asyncio.get_running_loop(), "_scheduled", ()):
            if "timeout_keep_alive_handler" in repr(timer):
                timer.cancel()  # uvicorn leaves one for each connection, for five seconds


@asynccontextmanager
async def host_with(*tools: Any, **boards: str | None) -> AsyncIterator[Host]:
    """A host with some tools, and boards with their tokens."""
    configured = {
        name: BoardConfig(token=None if token is None else Secret(token))
        for name, token in boards.items()
    }
    async with Host(Config(boards=configured), discover=False) as host:
        for each in tools or TOOLS:
            host.register(each)
        yield host


@asynccontextmanager
async def connected(url: str, token: str | None, era: str) -> AsyncIterator[Client]:
    """A client that sends a token."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


async def status(url: str, *, body: Any = LIST, **headers: str) -> int:
    """The HTTP status of one request."""
    sent = {**HEADERS, **{key.replace("_", "-"): each for key, each in headers.items()}}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with httpx2.AsyncClient(timeout=20) as http:
        answer = await http.post(
            url, content=data, headers={"Content-Type": "application/json", **sent}
        )
    return int(answer.status_code)


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


@eras
async def test_two_boards_are_reached_by_path(era: str) -> None:
    async with host_with() as host, served(host) as url:
        (await host.board("left")).restrict(allow=["echo"])
        (await host.board("right")).restrict(allow=["count"])
        async with (
            Client(f"{url}/boards/left/mcp", mode=era) as left,
            Client(f"{url}/boards/right/mcp", mode=era) as right,
        ):
            seen = await names(left), await names(right)

    assert seen == (["echo"], ["count"])


@eras
async def test_two_boards_are_reached_by_token(era: str) -> None:
    async with host_with(left="token-l", right="token-r") as host, served(host) as url:
        (await host.board("left")).restrict(allow=["echo"])
        (await host.board("right")).restrict(allow=["count"])
        seen = []
        for token in ("token-l", "token-r", None):
            async with connected(f"{url}/mcp", token, era) as client:
                seen.append(await names(client))

    assert seen[:2] == [["echo"], ["count"]]
    assert len(seen[2]) == 5


@pytest.mark.parametrize(
    ("path", "authorization", "wanted"),
    [
        ("/boards/left/mcp", "Bearer token-l", 200),
        ("/boards/left/mcp", "bearer token-l", 200),
        ("/boards/left/mcp", "Bearer token-r", 401),
        ("/boards/left/mcp", "Bearer token-", 401),
        ("/boards/left/mcp", "Bearer", 401),
        ("/boards/left/mcp", "Basic token-l", 401),
        ("/boards/left/mcp", "token-l", 401),
        ("/boards/left/mcp", "Bearer töken", 401),
        ("/boards/left/mcp", None, 401),
        ("/mcp", "Bearer token-l", 200),
        ("/mcp", "Bearer token-x", 401),
        ("/mcp", None, 200),
        ("/boards/open/mcp", None, 200),
        ("/boards/open/mcp", "Bearer token-x", 200),
    ],
)
async def test_a_board_with_a_token_is_reached_with_it_only(
    path: str, authorization: str | None, wanted: int
) -> None:
    headers: Any = {} if authorization is None else {"Authorization": authorization}

    async with (
        host_with(left="token-l", right="token-r") as host,
        served(host) as url,
        httpx2.AsyncClient(timeout=20) as http,
    ):
        content = json.dumps(LIST).encode()
        sent = {"Content-Type": "application/json", **HEADERS, **headers}
        encoded = {key: value.encode("latin-1") for key, value in sent.items()}
        answer = await http.post(f"{url}{path}", content=content, headers=encoded)

    assert answer.status_code == wanted
    assert (wanted == 401) == ("www-authenticate" in answer.headers)


async def test_a_token_of_all_other_boards_is_theirs_only() -> None:
    async with host_with(**{"*": "token-a", "left": "token-l"}) as host, served(host) as url:
        found = [
            await status(f"{url}{path}", Authorization=f"Bearer {token}")
            for path in ("/mcp", "/boards/left/mcp", "/boards/other/mcp")
            for token in ("token-a", "token-l")
        ]

    assert found == [200, 200, 401, 200, 200, 401]


@pytest.mark.parametrize("name", ["nobody", "a b", "%2e%2e", "x" * 300, "%00"])
async def test_a_board_that_the_configuration_does_not_know_is_not_found(name: str) -> None:
    config = Config(boards={"default": BoardConfig()}, unknown_boards="refuse")

    async with Host(config, discover=False) as host, served(host) as url:
        found = [await status(f"{url}/boards/{name}/mcp"), await status(f"{url}/nothing")]

        assert (found, list(host.boards)) == ([404, 404], [])


async def test_without_a_first_board_only_a_token_or_a_path_leads_to_one() -> None:
    async with host_with(left="token-l") as host, served(host, board=None) as url:
        found = [
            await status(f"{url}/mcp"),
            await status(f"{url}/mcp", Authorization="Bearer token-l"),
        ]
    async with host_with() as host, served(host, board=None) as url:
        found.append(await status(f"{url}/mcp"))

    assert found == [401, 200, 404]


async def test_a_session_of_one_board_is_unknown_to_another() -> None:
    async with host_with() as host, served(host) as url, plain_client() as http:
        opened = await http.post(f"{url}/boards/left/mcp", json=HELLO)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        answers = [
            await http.post(f"{url}/boards/{name}/mcp", json=PING, headers=session)
            for name in ("left", "right")
        ]

    assert [each.status_code for each in answers] == [200, 404]


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
    ],
)
async def test_web_pages_of_others_do_not_reach_this_machine(
    headers: dict[str, str], wanted: int
) -> None:
    async with host_with() as host, served(host) as url:
        assert await status(f"{url}/boards/rebound/mcp", **headers) == wanted
        assert ("rebound" in host.boards) == (wanted == 200)


async def test_to_serve_others_takes_tokens() -> None:
    async with host_with() as host:
        for address in ("0.0.0.0", "::", "192.0.2.1", "board.example"):
            with pytest.raises(PegboardError, match="give boards a token in the configuration"):
                await serve_http(host, address=address, port=0)


async def test_others_do_not_see_a_board_without_a_token() -> None:
    async with host_with(left="token-l") as host, served(host, address="0.0.0.0") as url:
        here = url.replace("0.0.0.0", "127.0.0.1")
        token = {"Authorization": "Bearer token-l"}
        found = [
            await status(f"{here}/boards/left/mcp", **token),
            await status(f"{here}/boards/left/mcp", Host="board.example", **token),
            await status(f"{here}/boards/left/mcp", Origin="http://evil.example", **token),
            await status(f"{here}/boards/left/mcp"),
            await status(f"{here}/boards/open/mcp", **token),
            await status(f"{here}/mcp"),
        ]

    assert found == [200, 200, 403, 401, 404, 401]


async def test_names_that_clients_may_use_can_be_limited() -> None:
    async with host_with(left="token-l") as host:
        options: Any = {"address": "0.0.0.0", "allowed_hosts": ["board.example"]}
        async with served(host, **options) as url:
            here = f"{url.replace('0.0.0.0', '127.0.0.1')}/boards/left/mcp"
            token = {"Authorization": "Bearer token-l"}
            found = [
                await status(here, Host=name, **token)
                for name in ("board.example", "other.example", "127.0.0.1:80")
            ]

    assert found == [200, 421, 200]


async def test_tokens_that_are_missing_or_shared_are_refused() -> None:
    class Missing:
        def reveal(self) -> str:
            raise ConfigError(["environment variable 'NOTHING' isn't set"])

    boards = {
        "one": BoardConfig(token=Secret("same")),
        "two": BoardConfig(token=Secret("same")),
        "three": BoardConfig(token=Missing()),
    }

    async with Host(Config(boards=boards), discover=False) as host:
        with pytest.raises(ConfigError) as error:
            http_app(host)

    assert error.value.mistakes == (
        "boards 'one' and 'two' have the same token",
        "environment variable 'NOTHING' isn't set",
    )


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


async def test_only_so_many_boards_are_made_for_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard_mcp.serving.doors._MOST", 3)

    async with host_with(known=None) as host, served(host) as url:
        found = [await status(f"{url}/boards/b{number}/mcp") for number in range(5)]
        found.append(await status(f"{url}/boards/known/mcp"))

        assert found == [200, 200, 200, 404, 404, 200]


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


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_page_from_elsewhere_reaches_nothing_without_an_origin_either(method: str) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", **HEADERS}

    async with host_with() as host, served(host) as url, plain_client() as http:
        found = [
            (await http.request(method, f"{url}{path}", json=LIST, headers=elsewhere)).status_code
            for path in ("/mcp", "/boards/made/mcp")
        ]

        assert (found, "made" in host.boards) == ([403, 403], False)


@pytest.mark.parametrize(
    ("method", "body", "headers"),
    [
        ("GET", None, {}),
        ("GET", None, {"Accept": "text/event-stream"}),
        ("DELETE", None, {}),
        ("POST", PING, {}),
        ("POST", HELLO, {"Mcp-Session-Id": "x"}),
        ("POST", HELLO, {"Content-Type": "text/plain"}),
        ("POST", [HELLO], {}),
        ("POST", {**HELLO, "big": "x" * 5_000_000}, {}),
        ("POST", {key: LIST[key] for key in ("jsonrpc", "method", "params")}, HEADERS),
    ],
    ids=["get", "stream", "delete", "ping", "session", "text", "batch", "big", "notification"],
)
async def test_what_begins_nothing_makes_no_board(
    method: str, body: Any, headers: dict[str, str]
) -> None:
    sent = {"Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()

    async with host_with() as host, served(host) as url, plain_client() as http:
        answer = await http.request(method, f"{url}/boards/made/mcp", content=data, headers=sent)

        assert (answer.status_code, "made" in host.boards) == (404, False)


async def test_a_request_that_begins_something_makes_a_board() -> None:
    async with host_with() as host, served(host) as url, plain_client() as http:
        found = [
            (await http.post(f"{url}/boards/left/mcp", json=HELLO)).status_code,
            await status(f"{url}/boards/right/mcp"),
        ]

        assert (found, list(host.boards)) == ([200, 200], ["left", "right"])


async def test_a_board_that_was_made_for_clients_goes_once_they_are_idle() -> None:
    async with (
        host_with(kept=None) as host,
        served(host, idle_timeout=0.3) as url,
        plain_client() as http,
    ):
        await host.board("own")
        for name in ("made", "kept", "own"):
            await http.post(f"{url}/boards/{name}/mcp", json=HELLO)
        async with asyncio.timeout(20):
            while "made" in host.boards:
                await asyncio.sleep(0.05)

        assert sorted(host.boards) == ["kept", "own"]
        assert await status(f"{url}/boards/made/mcp") == 200


async def test_a_board_stays_while_a_client_is_told_of_its_changes() -> None:
    async with (
        host_with(echo) as host,
        served(host, idle_timeout=0.2) as url,
        listening(f"{url}/boards/made/mcp", "legacy") as (_, told),
    ):
        await asyncio.sleep(1)
        host.register(TOOLS[1])
        await told.again()

        assert "made" in host.boards


async def test_the_first_board_is_there_however_many_were_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doors, "_MOST", 2)

    async with host_with(known=None) as host, served(host) as url:
        for name in ("one", "two"):
            await status(f"{url}/boards/{name}/mcp")
        found = [
            await status(f"{url}{path}")
            for path in ("/boards/three/mcp", "/boards/known/mcp", "/mcp", "/boards/one/mcp")
        ]

    assert found == [404, 200, 200, 200]


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


@pytest.mark.parametrize("token", ["", "   ", " x", "x ", "x\ny", "x\ty", "日本", "\udcff"])
async def test_a_token_that_no_client_can_send_is_refused(token: str) -> None:
    async with host_with(left=token) as host:
        with pytest.raises(ConfigError, match="no client can send the token of board 'left'"):
            http_app(host)


async def test_tokens_with_mistakes_in_a_newer_configuration_leave_the_old_ones(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def configured(**tokens: str) -> Config:
        return Config(boards={n: BoardConfig(token=Secret(each)) for n, each in tokens.items()})

    async def reached(url: str) -> list[int]:
        pairs = [("left", "l"), ("left", "x"), ("right", "x"), ("right", None)]
        return [
            await status(f"{url}/boards/{n}/mcp", **({"Authorization": f"Bearer {t}"} if t else {}))
            for n, t in pairs
        ]

    async with Host(configured(left="l"), discover=False) as host, served(host) as url:
        await host.sync(configured(left="x", right="x"))
        found = [await reached(url)]
        await host.sync(configured(left="y", right="x"))
        found.append(await reached(url))

    assert found == [[200, 401, 401, 401], [401, 401, 200, 401]]
    assert caplog.text.count("boards 'left' and 'right' have the same token") == 1


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

"""Which board a request over HTTP reaches, and which requests reach none."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp import Client
from pegboard import (
    BoardConfig,
    Config,
    ConfigError,
    Host,
    PegboardError,
    Secret,
)
from pegboard_mcp import http_app, serve_http
from pegboard_mcp.serving import doors
from pegboard_serving import TOOLS, echo, eras, listening, names
from pegboard_serving_http import (
    HEADERS,
    HELLO,
    LIST,
    PING,
    connected,
    host_with,
    plain_client,
    served,
    status,
)


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


async def test_only_so_many_boards_are_made_for_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard_mcp.serving.doors._MOST", 3)

    async with host_with(known=None) as host, served(host) as url:
        found = [await status(f"{url}/boards/b{number}/mcp") for number in range(5)]
        found.append(await status(f"{url}/boards/known/mcp"))

        assert found == [200, 200, 200, 404, 404, 200]


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

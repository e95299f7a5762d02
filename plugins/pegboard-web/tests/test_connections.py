"""Connections: nothing of one call reaches another, and no server holds up the others."""

import asyncio
from typing import Any

import attrs
import httpcore2
import pytest
from pegboard import Host
from pegboard_web.connecting import Steps
from pegboard_web.trust import Trust

OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"
FOREIGN = OK + b"content-length: 4\r\n\r\nEVIL"

TALKATIVE = {
    "another answer behind a length": OK + b"content-length: 2\r\n\r\nhi" + FOREIGN,
    "another answer behind chunks": OK
    + b"transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
    + FOREIGN,
    "another answer behind none": b"HTTP/1.1 204 No Content\r\n\r\n" + FOREIGN,
}


@pytest.mark.parametrize("name", TALKATIVE)
async def test_what_a_server_says_beyond_its_answer_is_no_answer_to_the_next_call(
    opened: Any, name: str
) -> None:
    asked: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        count = 0
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            count += 1
            asked.append(count)
            writer.write(TALKATIVE[name])
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, opened(allow_private=[place]) as board:
        outcomes = [await board.call("web_fetch", {"url": f"http://{place}/"}) for _ in range(3)]

    assert {each.unwrap()["text"] for each in outcomes} <= {"hi", ""}
    assert asked == [1, 1, 1]


async def test_boards_share_no_connection(serve: Any, reply: Any) -> None:
    async with serve({"/": reply("x", "text/plain")}) as served, Host(discover=False) as host:
        settings = {"allow_private": [f"127.0.0.1:{served.port}"]}
        await host.load("web", settings=settings)
        for name in ("one", "two"):
            board = await host.board(name)
            (await board.call("web_fetch", {"url": f"http://127.0.0.1:{served.port}/"})).unwrap()

    assert ["connection: close" in head.lower() for head in served.heads] == [True, True]


@attrs.frozen
class Flood(httpcore2.AsyncNetworkStream):
    """A connection that gives as much as is asked for."""

    asked: list[int] = attrs.field(factory=list)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        self.asked.append(max_bytes)
        return bytes(max_bytes)

    async def start_tls(self, *_more: Any, **_named: Any) -> "Flood":
        """The same in TLS."""
        return self


async def test_of_a_flood_only_a_little_is_read_at_once_also_in_tls() -> None:
    flood = Flood()
    plain = Steps(flood, Trust())
    secure = await plain.start_tls(None)  # type: ignore[arg-type]

    assert [len(await each.read(65_536)) for each in (plain, secure)] == [4_096, 4_096]
    assert len(await plain.read(10)) == 10

"""Whatever a peer of the control channel sends or leaves out, the host and other peers go on."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import Success, Tool
from pegboard_control import QUICK, asked, raw, request, served, short_folder

PATIENT = attrs.evolve(QUICK, patience=20.0)


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


FRAME = st.binary(max_size=60).filter(lambda each: b"\n" not in each) | st.sampled_from(
    [
        json.dumps(request("explain", name="echo", board="desk")).encode(),
        json.dumps(request("deny", selectors=[{}])).encode(),
        json.dumps(request("cancel", board="desk")).encode(),
        b'{"protocol": 1, "id": [], "method": "status"}',
        b"[" * 1000,
        b"\xff",
        b"",
    ]
)


@settings(max_examples=40)
@given(st.lists(FRAME, max_size=12))
async def test_every_line_gets_one_answer_in_order_whatever_it_is(lines: list[bytes]) -> None:
    with short_folder() as folder:
        async with (
            served(folder / "c.sock", bounds=PATIENT) as host,
            raw(folder / "c.sock") as peer,
        ):
            peer.send(*(line + b"\n" for line in lines), request("status", "last"))
            answers = [await peer.read() for _ in range(len(lines) + 1)]
            outcome = await host.boards["desk"].call("echo", {"value": "x"})

    assert all(
        each.keys() in ({"protocol", "id", "result"}, {"protocol", "id", "error"})
        for each in answers
    )
    assert "result" in answers[-1]
    assert [answers[-1]["id"], outcome.unwrap()] == ["last", "x"]


async def test_a_request_in_pieces_is_one_request(path: Path) -> None:
    async with served(path, bounds=PATIENT), raw(path) as peer:
        for byte in json.dumps(request("boards")).encode() + b"\n":
            peer.send(bytes([byte]))
            await asyncio.sleep(0)
        answer = await peer.read()

    assert answer["result"][0]["name"] == "desk"


async def test_many_requests_at_once_are_answered_in_order(path: Path) -> None:
    async with served(path, bounds=PATIENT), raw(path) as peer:
        peer.send(*(request("running", number) for number in range(500)))
        numbers = [(await peer.read())["id"] for _ in range(500)]

    assert numbers == list(range(500))


async def test_calls_have_their_turn_between_requests_however_many_are_sent(path: Path) -> None:
    async with served(path, bounds=PATIENT) as host, raw(path) as peer:
        peer.send(*(request("running", number) for number in range(3000)))
        await peer.read()
        slowest = 0.0
        for _ in range(50):
            started = time.perf_counter()
            await host.boards["desk"].call("echo", {"value": "x"})
            await asyncio.sleep(0)
            slowest = max(slowest, time.perf_counter() - started)

    assert slowest < 0.1


@pytest.mark.parametrize("sent", [b"", b'{"protocol": 1'], ids=["nothing", "half a line"])
async def test_who_sends_no_whole_request_is_let_go_in_the_end(path: Path, sent: bytes) -> None:
    async with served(path), raw(path) as peer:
        peer.send(sent)

        assert await peer.read() is None


async def test_who_sends_a_byte_now_and_then_is_let_go_as_well(path: Path) -> None:
    async with served(path), raw(path) as peer:
        started = time.monotonic()
        while not peer.reader.at_eof():
            peer.send(b" ")
            await asyncio.sleep(0.02)

    assert time.monotonic() - started < 5


async def test_who_sends_no_more_still_gets_the_answer(path: Path) -> None:
    async with served(path), raw(path) as peer:
        peer.send(request("boards")).writer.write_eof()

        assert (await peer.read())["result"][0]["name"] == "desk"
        assert await peer.read() is None


async def test_a_request_that_is_too_large_is_refused_and_ends_the_connection(path: Path) -> None:
    async with served(path, bounds=PATIENT), raw(path) as peer:
        peer.send(b'{"protocol": 1, "id": "' + b"x" * 2**20 + b'"}\n', request("status"))

        assert await peer.kind() == "too_large"
        assert await peer.read() is None


ENDLESS = """
import socket, sys
with socket.socket(socket.AF_UNIX) as peer:
    peer.connect(sys.argv[1])
    try:
        while True:
            peer.sendall(b"x" * 2**16)
    except ConnectionError:
        print(peer.makefile("rb").readline().decode())
"""


async def test_a_line_without_end_is_refused_and_holds_nobody_up(path: Path) -> None:
    async with served(path, bounds=attrs.evolve(PATIENT, leaving=0.5)) as host:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ENDLESS, str(path), stdout=subprocess.PIPE
        )
        ended = asyncio.create_task(process.communicate())
        slowest = 0.0
        while not ended.done():
            started = time.perf_counter()
            await host.boards["desk"].call("echo", {"value": "x"})
            await asyncio.sleep(0)
            slowest = max(slowest, time.perf_counter() - started)
        printed, _ = await ended

    assert json.loads(printed)["error"]["kind"] == "too_large"
    assert slowest < 0.2


def _long_tool(number: int) -> Tool:
    def run(arguments: Any, context: Any) -> None: ...

    return Tool(
        name=f"tool{number}", description="long " * 2000, parameters={"type": "object"}, run=run
    )


async def test_who_never_reads_a_big_answer_is_given_up_and_harms_nobody(path: Path) -> None:
    async with served(path) as host, raw(path) as peer:
        for number in range(300):
            host.register(_long_tool(number))
        peer.writer.transport.pause_reading()
        peer.send(request("tools"))
        outcome = await host.boards["desk"].call("echo", {"value": "x"})
        [board] = await asked(path, "boards")
        await asyncio.sleep(0.4)
        peer.writer.transport.resume_reading()

        assert (outcome.unwrap(), board["tools"]) == ("x", 301)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await peer.reader.readuntil(b"\n")


async def test_a_big_answer_comes_whole_to_who_reads(path: Path) -> None:
    async with served(path, bounds=PATIENT) as host:
        for number in range(300):
            host.register(_long_tool(number))
        tools = await asked(path, "tools", board="desk")

    assert len(tools) == 301


async def test_who_goes_while_it_is_answered_is_forgotten(path: Path) -> None:
    async with served(path) as host:
        for number in range(100):
            host.register(_long_tool(number))
        for _ in range(20):
            async with raw(path) as peer:
                peer.send(request("tools"), request("boards"))
        outcome = await host.boards["desk"].call("echo", {"value": "x"})

        assert isinstance(outcome, Success)
        assert await asked(path, "running") == []

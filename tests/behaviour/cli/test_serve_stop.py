"""SIGTERM while a board is served: what runs has its outcome, and nothing is left."""

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from pegboard_scripted import Scripted
from pegboard_serving import ERAS, texts
from pegboard_stopped import SLOW, Piped, Start, calling, probed, starting, until, url_of

eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])
hurries = pytest.mark.parametrize("again", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])


@pytest.fixture
def start(bare: Any) -> Iterator[Start]:
    """Serve `wait` and `stick`, with the configuration that is given."""
    bare.install("slow", SLOW)
    with starting(bare) as begin:
        yield begin


@asynccontextmanager
async def waiting(desk: Any, process: Any, era: str, seconds: float) -> AsyncIterator[Any]:
    """The URL, and a call over HTTP that runs when the block begins; it is given back ended."""
    url = await asyncio.to_thread(url_of, process)
    async with Client(url, mode=era) as client:
        await client.list_tools()
        call = asyncio.create_task(client.call_tool("wait", {"seconds": seconds}))
        await asyncio.to_thread(until, desk.work / "began", process)
        yield url, call
        await asyncio.wait([call], timeout=30)


@eras
async def test_a_call_over_http_that_ends_in_time_has_its_result(
    bare: Any, start: Start, era: str
) -> None:
    process = start("--http", "0")
    async with waiting(bare, process, era, 1.0) as (_, call):
        process.send_signal(signal.SIGTERM)
        result = await call

    _, err = await asyncio.to_thread(process.communicate, timeout=30)
    assert (texts(result), process.returncode) == ("waited", 0)
    assert err.splitlines()[-1] == "pegboard: calls that ended by themselves: 1; cut off: 0"


@eras
async def test_a_call_over_http_that_takes_too_long_is_cut_off_and_its_client_is_told(
    bare: Any, start: Start, era: str
) -> None:
    process = start("--http", "0", grace=0.3)
    async with waiting(bare, process, era, 60.0) as (_, call):
        process.send_signal(signal.SIGTERM)
        result = await call

    _, err = await asyncio.to_thread(process.communicate, timeout=30)
    assert (result.is_error, "shutting down" in texts(result)) == (True, True)
    assert process.returncode == 0
    told = r"cut off: call '\S+' of tool 'wait' on board 'default', \d+\.\d s old, stage 'body'\n"
    assert re.search(told, err)


@eras
@pytest.mark.parametrize(("seconds", "said"), [(1.0, "waited"), (60.0, "shutting down")])
def test_a_call_over_stdio_has_its_outcome_before_the_end(
    bare: Any, start: Start, era: str, seconds: float, said: str
) -> None:
    process = start(grace=2.0)
    client, modern = Piped(process), era != "legacy"
    client.greet(modern=modern)
    client.say(**calling("wait", modern=modern, seconds=seconds))
    until(bare.work / "began", process)
    process.send_signal(signal.SIGTERM)

    answer = client.read()

    assert answer["id"] == 7
    assert said in answer["result"]["content"][0]["text"]
    assert process.wait(30) == 0


@eras
def test_a_call_over_stdio_that_ctrl_c_ends_has_its_outcome_too(
    bare: Any, start: Start, era: str
) -> None:
    process = start(grace=600)
    client, modern = Piped(process), era != "legacy"
    client.greet(modern=modern)
    client.say(**calling("wait", modern=modern, seconds=600))
    until(bare.work / "began", process)
    process.send_signal(signal.SIGINT)

    answer = client.read()

    assert (answer["id"], answer["result"]["isError"]) == (7, True)
    assert process.wait(30) == 130


@hurries
async def test_what_is_asked_again_ends_the_waiting_at_once(
    bare: Any, start: Start, again: signal.Signals
) -> None:
    process = start("--http", "0", grace=600)
    async with waiting(bare, process, ERAS[1], 600) as (_, call):
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.stderr.readline)
        process.send_signal(again)
        result = await call

    _, err = await asyncio.to_thread(process.communicate, timeout=30)
    assert (result.is_error, process.returncode) == (True, 0)
    assert "calls that ended by themselves: 0; cut off: 1" in err


async def test_readiness_goes_away_at_once_and_no_call_begins(bare: Any, start: Start) -> None:
    process = start("--http", "0")
    async with waiting(bare, process, ERAS[0], 3.0) as (url, call):
        before = await asyncio.to_thread(probed, url, "/readyz")
        async with Client(url, mode=ERAS[0]) as other:
            await other.list_tools()
            process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(process.stderr.readline)
            probes = [await asyncio.to_thread(probed, url, f"/{n}z") for n in ("ready", "health")]
            refused = await other.call_tool("wait", {"seconds": 0})
        result = await call

    assert (before[0], [each[0] for each in probes]) == (200, [503, 200])
    assert (refused.is_error, "shutting down" in texts(refused)) == (True, True)
    assert texts(result) == "waited"


def test_a_body_that_does_not_stop_is_named_and_holds_up_nothing(bare: Any, start: Start) -> None:
    process = start(grace=0.2)
    client = Piped(process)
    client.say(**calling("stick", modern=True))
    until(bare.work / "began", process)
    process.send_signal(signal.SIGTERM)

    answer, (_, err) = client.read(), process.communicate(timeout=15)

    assert (answer["result"]["isError"], process.returncode) == (True, 0)
    assert "pegboard: still running: call " in err


@pytest.mark.parametrize("words", [(), ("--http", "0")], ids=["stdio", "http"])
def test_being_stopped_while_plugins_are_loaded_is_no_mistake(
    bare: Any, start: Start, words: tuple[str, ...]
) -> None:
    lazy = "import time, pathlib\npathlib.Path('began').touch()\ntime.sleep(600)\n"
    bare.install("lazy", lazy)
    process = start(*words, only='["lazy"]')
    until(bare.work / "began", process)
    process.send_signal(signal.SIGTERM)

    out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (0, "", "")


def test_nothing_is_left_of_it(bare: Any, start: Start) -> None:
    server = Scripted(bare.work / "child", "look")
    more = f'control = "c.sock"\n[mcp.child]\ncommand = {json.dumps(server.command)}\n'
    process = start("--http", "0", more=more, only='["slow", "child"]')
    url_of(process)
    socket, (child,) = bare.work / "c.sock", server.starts
    was_there = socket.is_socket()
    process.send_signal(signal.SIGTERM)

    process.communicate(timeout=30)

    assert (process.returncode, was_there, socket.exists()) == (0, True, False)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)

"""`pegboard serve` in a process of its own: a board for MCP clients."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import LATEST_PROTOCOL_VERSION
from pegboard_serving import ERAS, listening, names, texts

eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])
Start = Callable[..., "subprocess.Popen[str]"]

NOISY = '''
import os, subprocess, sys
from pegboard import hookimpl, tool

print("imported")

@tool
async def say(value: str) -> str:
    """Say one value."""
    print("x")
    os.write(1, b"x\\n")
    subprocess.run(["echo", "x"], check=True)
    sys.__stdout__.write("x\\n")
    return value

@hookimpl
def pegboard_tools():
    return [say]
'''


SLOW = '''
import os, sys, threading, time
from pegboard import hookimpl, tool

@tool
def sleep() -> None:
    """Sleep, in a thread."""
    print("sleeping", file=sys.stderr, flush=True)
    time.sleep(7)

@tool
async def late() -> None:
    """Write later on."""
    threading.Thread(target=write).start()

def write():
    for _ in range(20):
        time.sleep(0.1)
        os.write(1, b"late\\n")

@hookimpl
def pegboard_tools():
    return [sleep, late]
'''


def request(tool: str) -> dict[str, Any]:
    """A call of a tool, in the modern era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": LATEST_PROTOCOL_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": {}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def posted(message: dict[str, Any]) -> bytes:
    """A call over HTTP."""
    body = json.dumps(message)
    lines = (
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
        f"MCP-Protocol-Version: {LATEST_PROTOCOL_VERSION}",
        "Mcp-Method: tools/call",
        f"Mcp-Name: {message['params']['name']}",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join([*lines, "", body]).encode()


@pytest.fixture
def start(desk: Any) -> Iterator[Start]:
    """Start the command beside the test; what still runs in the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, **environment: str) -> "subprocess.Popen[str]":
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        begun = desk.start("serve", *words, **pipes, env=desk.environment | environment)
        started.append(begun)
        return begun

    yield begin
    for each in started:
        each.kill()
        each.communicate()


def url_of(process: "subprocess.Popen[str]") -> str:
    """Where it serves, once it does."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("pegboard: serving on "):
            return line.split()[-1]
    raise AssertionError(f"it has ended with {process.wait()}")


def command(desk: Any, *words: str) -> StdioServerParameters:
    """How a client starts the command."""
    args = ["-m", "pegboard", "serve", *words]
    return StdioServerParameters(
        command=sys.executable, args=args, env=desk.environment, cwd=desk.work
    )


@eras
async def test_a_client_that_starts_it_lists_and_calls(desk: Any, era: str) -> None:
    async with Client(command(desk), mode=era) as client:
        seen = await names(client)
        result = await client.call_tool("shout", {"value": "pi"})

    assert {"say", "shout"} <= set(seen)
    assert texts(result) == "PI"


async def test_the_board_that_was_asked_for_is_served(desk: Any) -> None:
    desk.write("pegboard.toml", '[boards.quiet]\nallow = ["say"]\n')

    async with Client(command(desk, "--board", "quiet")) as client:
        assert await names(client) == ["say"]


async def test_pages_are_as_long_as_asked_for(desk: Any) -> None:
    async with Client(command(desk, "--page-size", "1")) as client:
        listed = await client.list_tools()

    assert (len(listed.tools), listed.next_cursor is None) == (1, False)


def test_b_038_what_tools_print_is_a_message(bare: Any, desk: Any, start: Start) -> None:
    bare.install("noisy", NOISY)
    bare.write("pegboard.toml", 'only = ["noisy"]\n')
    meta = {
        "io.modelcontextprotocol/protocolVersion": LATEST_PROTOCOL_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "say", "arguments": {"value": "Pi"}, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    process = start()
    assert process.stdin is not None
    assert process.stdout is not None

    process.stdin.write(f"{json.dumps(request)}\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    out, err = process.communicate(timeout=60)

    assert answer["result"]["content"] == [{"type": "text", "text": "Pi"}]
    assert (process.returncode, out) == (0, "")
    assert sorted(err.splitlines()) == ["imported", "x", "x", "x", "x"]


@pytest.mark.parametrize("words", [(), ("--http", "0")], ids=["stdio", "http"])
@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["SIGTERM", "Ctrl-C"]
)
def test_it_ends_well_when_it_is_stopped(
    start: Start, words: tuple[str, ...], stop: signal.Signals, status: int
) -> None:
    process = start(*words, "--watch")
    if words:
        url_of(process)
    else:
        assert process.stdin is not None
        assert process.stdout is not None
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        process.stdin.write(f"{json.dumps(first)}\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/nothing"}\n' * 500)
        process.stdin.flush()

    process.send_signal(stop)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (status, "", "")


@pytest.mark.parametrize(
    ("stop", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)], ids=["SIGTERM", "Ctrl-C"]
)
def test_stopping_it_twice_is_no_mistake(
    bare: Any, start: Start, stop: signal.Signals, status: int
) -> None:
    bare.install("slow", SLOW)
    bare.write("pegboard.toml", 'only = ["slow"]\n')
    process = start("--http", "0")
    url = urlsplit(url_of(process))
    with socket.create_connection((url.hostname, url.port)) as client:
        client.sendall(posted(request("sleep")))
        assert process.stderr is not None
        assert process.stderr.readline() == "sleeping\n"
        for _ in range(3):
            process.send_signal(stop)
            time.sleep(0.1)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (status, "")
    assert [each for each in err.splitlines() if not each.startswith("pegboard: ")] == []


def test_what_a_tool_writes_after_the_end_reaches_no_client(bare: Any, start: Start) -> None:
    bare.install("slow", SLOW)
    bare.write("pegboard.toml", 'only = ["slow"]\n')
    process = start()

    out, err = process.communicate(f"{json.dumps(request('late'))}\n", timeout=60)

    assert [json.loads(each)["id"] for each in out.splitlines()] == [1]
    assert err.endswith("late\n" * 20)


@eras
async def test_boards_are_served_over_http_by_path_and_by_token(
    desk: Any, start: Start, era: str
) -> None:
    desk.write(
        "pegboard.toml",
        '[boards.quiet]\nallow = ["say"]\n[boards.closed]\ntoken = { env = "BOARD_TOKEN" }\n',
    )
    url = await asyncio.to_thread(url_of, start("--http", "0", BOARD_TOKEN="t-1"))

    async with Client(url.replace("/mcp", "/boards/quiet/mcp"), mode=era) as client:
        quiet = await names(client)
    async with Client(url, mode=era) as client:
        first = await names(client)
    with pytest.raises(ExceptionGroup):
        async with Client(url.replace("/mcp", "/boards/closed/mcp"), mode=era):
            pass

    assert (quiet, {"say", "shout"} <= set(first)) == (["say"], True)


def test_the_url_is_a_result_where_json_is_asked_for(start: Start) -> None:
    process = start("--http", "0", "--json")
    assert process.stdout is not None

    told = json.loads(process.stdout.readline())

    assert told["url"].startswith("http://127.0.0.1:")


@eras
async def test_a_change_of_the_configuration_is_told_to_who_is_connected(
    desk: Any, start: Start, era: str
) -> None:
    desk.write("pegboard.toml", 'only = ["voice"]\n')
    url = await asyncio.to_thread(url_of, start("--http", "0", "--watch"))

    async with listening(url, era) as (client, told):
        before = await names(client)
        desk.write("pegboard.toml", 'only = ["voice"]\ndeny = ["shout"]\n')
        await told.again()
        after = await names(client)

    assert (before, after) == (["say", "shout"], ["say"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--http", "x"), "--http takes a port, or an address and a port"),
        (("--http", ":8000"), "--http takes a port, or an address and a port"),
        (("--http", "::1:8000"), "--http takes a port, or an address and a port"),
        (("--http", "65536"), "--http takes a port, or an address and a port"),
        (("--http", "-1"), "--http takes a port, or an address and a port"),
        (("--page-size", "0"), "--page-size takes a number from 1 on, not 0"),
        (("--http", "0.0.0.0:0"), "give boards a token in the configuration"),
        (("--http", "0.0.0.0:0", "--watch"), "give boards a token in the configuration"),
        (("--board", "a b"), "'a b'"),
        (("--config", "no.toml"), "no.toml"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(
    desk: Any, words: tuple[str, ...], said: str
) -> None:
    ran = desk.answer("serve", *words)

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_token_that_is_not_set_is_said(desk: Any) -> None:
    desk.write("pegboard.toml", '[boards.closed]\ntoken = { env = "NOT_SET_ANYWHERE" }\n')

    ran = desk.answer("serve", "--http", "0")

    assert (ran.status, ran.out) == (2, "")
    assert "NOT_SET_ANYWHERE" in ran.err


def test_a_configuration_that_knows_no_default_board_needs_one_over_stdio(desk: Any) -> None:
    desk.write("pegboard.toml", 'unknown_boards = "refuse"\n[boards.quiet]\n')

    ran = desk.answer("serve")

    assert (ran.status, ran.out) == (2, "")
    assert "say which board with --board; the configuration knows 'quiet'" in ran.err


def test_without_the_plugin_the_command_says_what_to_install(desk: Any) -> None:
    (desk.site / "pegboard_mcp").mkdir()
    (desk.site / "pegboard_mcp" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pegboard_mcp'\", name='pegboard_mcp')\n"
    )

    ran = desk.run("serve")

    assert (ran.status, ran.out) == (2, "")
    assert "takes pegboard-mcp, which isn't installed: pip install pegboard-mcp" in ran.err


def test_a_client_that_has_gone_already_is_no_mistake(desk: Any) -> None:
    ran = desk.run("serve", given="")

    assert (ran.status, ran.out, ran.err) == (0, "", "")

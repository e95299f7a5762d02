"""A board over standard input and output, in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import LATEST_PROTOCOL_VERSION
from pegboard_serving import ERAS, listening, names, texts

eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])

PROGRAM = '''
import asyncio, os, subprocess, sys
from pegboard import Host, RunContext, tool
from pegboard_mcp import serve_stdio

@tool
async def noisy() -> str:
    """Write wherever it can."""
    print("from print")
    os.write(1, b"from os.write\\n")
    subprocess.run(["echo", "from a child"], check=True)
    sys.__stdout__.write("from the first stdout\\n")
    return "quiet"

@tool
def curious() -> str:
    """Read what comes in."""
    try:
        return f"got {input()}"
    except EOFError:
        return f"nothing, {os.read(0, 10)!r}"

@tool
async def wait() -> str:
    """Wait."""
    try:
        await asyncio.sleep(60)
    finally:
        print("stopped", file=sys.stderr, flush=True)

@tool
async def huge() -> str:
    """Give a lot."""
    return "x" * 3_000_000

async def main():
    async with Host(discover=False) as host:
        @tool
        async def grow(context: RunContext) -> str:
            """Register one more tool."""
            host.register(wait)
            return "grown"

        for each in (noisy, curious, huge, grow):
            host.register(each)
        await serve_stdio(await host.board("desk"))

asyncio.run(main())
print("the end")
'''


NO_MESSAGES = (
    "no json",
    "[]",
    "[" * 100_000,
    '{"a":' * 1000 + "1" + "}" * 1000,
    '{"jsonrpc": "2.0", "id": 1}',
    '{"jsonrpc": "2.0", "method": "notifications/nothing"}',
    '"\\ud800"',
    '{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}',
    "\x00\x01",
    "x" * 20_000_000,
    "",
)

WRONG = (
    ("tools/nothing", {}, -32601),
    ("tools/call", {}, -32602),
    ("tools/call", {"name": 3}, -32602),
    ("tools/call", {"name": "noisy", "arguments": [1]}, -32602),
    ("tools/call", {"name": "no\u202esy"}, -32602),
    ("tools/call", {"name": "n" * 1_000_000}, -32602),
    ("tools/list", {"cursor": 3}, -32602),
    ("tools/list", {"cursor": "x" * 1_000_000}, -32602),
    ("tools/call", {"name": "noisy", "requestState": "x"}, -32602),
    ("subscriptions/listen", {"notifications": 3}, -32602),
)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that serves a board."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def process(program: Path) -> Iterator["subprocess.Popen[str]"]:
    """The program, with pipes to it."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, str(program)], text=True, **pipes) as started:
        yield started
        started.kill()


def parameters(program: Path) -> StdioServerParameters:
    """How a client starts the program."""
    return StdioServerParameters(command=sys.executable, args=[str(program)])


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """A request of the modern era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": LATEST_PROTOCOL_VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": method,
        "params": {**params, "_meta": meta},
    }


def talk(process: "subprocess.Popen[str]", *lines: Any) -> tuple[list[Any], str]:
    """Everything that the program answers to some lines, one after the other, and its messages."""
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    for line in lines:
        process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
        process.stdin.flush()
        if isinstance(line, dict) and "id" in line:
            answers.append(json.loads(process.stdout.readline()))
    out, err = process.communicate(timeout=30)
    rest = [line for line in out.splitlines() if line != "the end"]
    return [*answers, *map(json.loads, rest)], err


@eras
async def test_a_client_lists_and_calls(era: str, program: Path) -> None:
    async with Client(parameters(program), mode=era) as client:
        seen = await names(client)
        result = await client.call_tool("huge", {})

    assert seen == ["noisy", "curious", "huge", "grow"]
    assert len(texts(result)) == 3_000_000


@eras
async def test_a_tool_appears_without_connecting_again(era: str, program: Path) -> None:
    async with listening(parameters(program), era) as (client, told):
        before = await names(client)
        await client.call_tool("grow", {})
        await told.again()
        after = await names(client)

    assert after == [*before, "wait"]


def test_b_038_nothing_that_a_tool_prints_reaches_the_client(
    process: "subprocess.Popen[str]",
) -> None:
    answers, messages = talk(process, request(1, "tools/call", name="noisy", arguments={}))

    assert [each["id"] for each in answers] == [1]
    assert answers[0]["result"]["content"] == [{"type": "text", "text": "quiet"}]
    lines = set(messages.splitlines())
    assert {"from print", "from os.write", "from a child", "from the first stdout"} <= lines


def test_a_tool_reads_nothing_of_what_the_client_sends(process: "subprocess.Popen[str]") -> None:
    answers, _ = talk(process, request(1, "tools/call", name="curious", arguments={}))

    assert answers[0]["result"]["content"][0]["text"] == "nothing, b''"


def test_the_program_goes_on_once_the_client_has_gone(process: "subprocess.Popen[str]") -> None:
    out, err = process.communicate(timeout=30)

    assert (process.returncode, out, err) == (0, "the end\n", "")


def test_a_client_that_goes_cancels_its_calls(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    grown = request(1, "tools/call", name="grow", arguments={})
    called = request(2, "tools/call", name="wait", arguments={})

    assert process.stdout is not None
    for each in (grown, called, request(3, "tools/list")):
        process.stdin.write(f"{json.dumps(each)}\n")
    process.stdin.flush()
    for _ in range(2):
        process.stdout.readline()
    _, messages = process.communicate(timeout=30)

    assert process.returncode == 0
    assert "stopped" in messages
    assert "Traceback" not in messages


def test_what_is_no_message_harms_nobody(process: "subprocess.Popen[str]") -> None:
    called = request(7, "tools/call", name="noisy", arguments={})

    answers, messages = talk(process, request(1, "tools/list"), *NO_MESSAGES, called)

    assert answers[-1]["id"] == 7
    assert answers[-1]["result"]["isError"] is False
    assert process.returncode == 0
    assert "Traceback" not in messages


def test_a_wrong_request_is_an_error_and_the_next_one_is_answered(
    process: "subprocess.Popen[str]",
) -> None:
    wrong = [request(n, method, **params) for n, (method, params, _) in enumerate(WRONG)]

    answers, messages = talk(process, *wrong, request(100, "tools/list"))

    codes = [each["error"]["code"] for each in answers[:-1]]
    assert codes == [code for _, _, code in WRONG]
    assert max(len(json.dumps(each)) for each in answers[:-1]) < 2000
    assert len(answers[-1]["result"]["tools"]) == 4
    assert "Traceback" not in messages


async def test_a_server_that_dies_is_seen_by_its_client(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace('return "grown"', "os._exit(3)"))

    async with Client(parameters(path)) as client:
        with pytest.raises(MCPError):
            await client.call_tool("grow", {})


def test_streams_that_are_no_descriptors_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        PROGRAM.replace(
            "asyncio.run(main())", "import io; sys.stdout = io.StringIO(); asyncio.run(main())"
        )
    )

    ran = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)

    assert ran.returncode == 1
    assert "to serve a board here takes real standard streams" in ran.stderr

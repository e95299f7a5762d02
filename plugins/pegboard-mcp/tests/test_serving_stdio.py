"""A board over standard input and output, in a process of its own."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import LATEST_PROTOCOL_VERSION
from pegboard_serving import eras, listening, names, texts

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
    ("no json", None, -32700),
    ("[]", None, -32600),
    ('[{"jsonrpc": "2.0", "id": 3, "method": "ping"}]', None, -32600),
    ("[" * 100_000, None, -32700),
    ('{"a":' * 1000 + "1" + "}" * 1000, None, -32700),
    ('{"jsonrpc": "2.0", "id": 11}', 11, -32600),
    ('{"jsonrpc": "1.0", "id": "a", "method": "ping"}', "a", -32600),
    ('{"jsonrpc": "2.0", "id": 12, "method": 7}', 12, -32600),
    ('{"jsonrpc": "2.0", "id": 13, "method": "ping", "params": []}', 13, -32602),
    ('{"jsonrpc": "2.0", "id": 14, "method": "ping", "params": {"a": "\\ud800"}}', 14, -32700),
    (f'{{"jsonrpc": "2.0", "id": 15, "method": "x", "params": {{"a": {"9" * 5000}}}}}', 15, -32700),
    ('{"jsonrpc": "2.0", "id": 16, "params": ' + "[" * 100_000, 16, -32700),
    ('{"jsonrpc": "2.0", "method": "ping", "id": "b", "params": "' + "x" * 2**24, "b", -32700),
    ('"\\ud800"', None, -32600),
    ('{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}', None, -32600),
    ('{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', None, -32600),
    ('{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list", "params": []}', None, -32600),
    ("\x00\x01", None, -32700),
    ("x" * 20_000_000, None, -32700),
)

NO_REQUESTS = (
    "",
    "  ",
    '{"jsonrpc": "2.0", "method": "notifications/nothing"}',
    '{"jsonrpc": "2.0", "method": "notifications/nothing", "params": {"id": "\\ud800"}}',
    '{"jsonrpc": "2.0", "method": "notifications/nothing", "params": {"id": 3}}',
    '{"jsonrpc": "2.0", "id": 17, "result": 3}',
    '{"jsonrpc": "2.0", "id": 18, "error": "x"}',
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


def test_what_is_no_message_is_answered_and_harms_nobody(
    process: "subprocess.Popen[str]",
) -> None:
    lines = [each for each, *_ in NO_MESSAGES]

    answers, messages = talk(process, request(1, "tools/list"), *lines)

    refused = [(each["id"], each["error"]["code"]) for each in answers[1:]]
    assert Counter(refused) == Counter((own, code) for _, own, code in NO_MESSAGES)
    assert max(len(json.dumps(each)) for each in answers[1:]) < 200
    assert (process.returncode, "Traceback" in messages) == (0, False)


def test_what_asks_nothing_is_not_answered(process: "subprocess.Popen[str]") -> None:
    called = request(7, "tools/call", name="noisy", arguments={})

    answers, messages = talk(process, request(1, "tools/list"), *NO_REQUESTS, called)

    assert [each["id"] for each in answers] == [1, 7]
    assert answers[-1]["result"]["isError"] is False
    assert "Traceback" not in messages


def test_what_was_asked_before_the_end_of_the_input_is_answered(
    process: "subprocess.Popen[str]",
) -> None:
    lines = [json.dumps(request(n, "tools/call", name="noisy", arguments={})) for n in range(20)]

    out, _ = process.communicate("\n".join([*lines, "no json"]), timeout=30)

    answers = [json.loads(each) for each in out.splitlines() if each != "the end"]
    assert sorted(each["id"] for each in answers if each["id"] is not None) == list(range(20))
    assert (len(answers), process.returncode) == (21, 0)


def test_a_client_that_reads_nothing_and_goes_ends_the_server(program: Path) -> None:
    program.write_text(PROGRAM.replace('print("the end")', ""))
    pipes = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    lines = [json.dumps(request(n, "tools/call", name="huge", arguments={})) for n in range(3)]

    with subprocess.Popen([sys.executable, str(program)], text=True, **pipes) as process:
        assert process.stdin is not None
        process.stdin.write("\n".join([*lines, "no json", ""]))
        process.stdin.close()
        try:
            assert process.wait(20) == 0
        finally:
            process.kill()


def test_a_client_that_reads_no_more_ends_its_calls_and_the_server(
    process: "subprocess.Popen[str]",
) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    talked = (request(1, "tools/call", name="grow"), request(2, "tools/call", name="wait"))
    for each in talked:
        process.stdin.write(f"{json.dumps(each)}\n")
    process.stdin.flush()
    process.stdout.readline()

    process.stdout.close()
    process.stdin.write(f"{json.dumps(request(3, 'tools/list'))}\n")
    process.stdin.flush()

    assert process.wait(20) is not None
    assert process.stderr is not None
    assert "stopped" in process.stderr.read()


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

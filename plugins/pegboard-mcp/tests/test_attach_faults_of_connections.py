"""What breaks on the way to a server or in it costs what it has to, and is told in plain words."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from pegboard import Code, Failure, Outcome, PluginLoadError, ToolCall
from pegboard_attached import attached, until
from pegboard_raw_http import Message, acknowledge, raw_http, reply, send, stream
from pegboard_scripted import Scripted, named

READS = {"readOnlyHint": True}
NOT_FOUND = {"jsonrpc": "2.0", "error": {"code": -32001, "message": "Session not found"}}
NO_SESSION = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "No valid session"}}
RESULT = {"content": [{"type": "text", "text": "slow"}]}
GARBAGE = '{garbage "secret'


def failure_of(outcome: Outcome) -> tuple[Any, str]:
    """The code and the words of a failure."""
    assert isinstance(outcome, Failure)
    return outcome.code, outcome.message


async def reset(_asked: Message, writer: asyncio.StreamWriter) -> None:
    """Break the connection before any answer."""
    writer.transport.abort()


async def cut(_asked: Message, writer: asyncio.StreamWriter) -> None:
    """Break off in the middle of an answer."""
    head = "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n"
    writer.write(head.encode() + b'{"a"')


async def cut_stream(_asked: Message, writer: asyncio.StreamWriter) -> None:
    """Break off in the middle of a stream."""
    stream(writer)


async def garbage(_asked: Message, writer: asyncio.StreamWriter) -> None:
    """Answer with no message."""
    stream(writer, GARBAGE)


async def empty(_asked: Message, writer: asyncio.StreamWriter) -> None:
    """Answer with nothing."""
    head = "HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 0\r\n\r\n"
    writer.write(head.encode())


async def mistaken(asked: Message, writer: asyncio.StreamWriter) -> None:
    """Answer another request than the one that was made."""
    reply(writer, {"id": asked["id"] + 1000}, RESULT)


async def slow(asked: Message, writer: asyncio.StreamWriter) -> None:
    """Answer later."""
    await asyncio.sleep(0.5)
    reply(writer, asked, {**RESULT, "resultType": "complete"})


@pytest.mark.parametrize(
    "forgotten",
    [
        (404, None),
        (404, {**NOT_FOUND, "id": None}),
        (404, {**NOT_FOUND, "id": "server-error"}),
        (404, {**NOT_FOUND, "id": "own"}),
        (400, NO_SESSION),
    ],
)
async def test_a_server_that_has_forgotten_the_session_is_connected_to_anew(
    forgotten: tuple[int, Message | None],
) -> None:
    async with raw_http(is_old=True) as server, attached(server.url) as (_, board):
        server.sessions.clear()
        server.forgotten = forgotten

        lost, after = [await board.call("s_ok") for _ in range(2)]

    code, words = failure_of(lost)
    assert code is Code.WORKER_LOST
    assert "doesn't know the session" in words
    assert after.unwrap() == "ok"


async def test_a_refusal_of_a_server_that_knows_the_session_costs_no_connection() -> None:
    async def refuse(_asked: Message, writer: asyncio.StreamWriter) -> None:
        send(writer, 400, {**NO_SESSION, "id": None})

    async with raw_http(is_old=True, refuse=refuse) as server, attached(server.url) as (_, board):
        refused, after = await board.call("s_refuse"), await board.call("s_ok")

    assert failure_of(refused) == (Code.TOOL_ERROR, "No valid session")
    assert after.unwrap() == "ok"
    assert server.heard.count("initialize") == 1


@pytest.mark.parametrize(
    ("code", "words"), [(-32000, "quota exceeded"), (-32603, "Session terminated")]
)
async def test_an_error_of_a_server_that_stands_is_no_lost_connection(
    tmp_path: Path, code: int, words: str
) -> None:
    tools = named("t", "sleep", annotations=READS)
    server = Scripted(tmp_path, *tools, errors={"t": {"code": code, "message": words}})
    async with attached(server) as (_, board):
        calls = [ToolCall("1", "s_sleep", {"seconds": 0.5}), ToolCall("2", "s_t")]
        slept, refused = await board.run(calls)

    assert slept.unwrap() == "slept"
    assert failure_of(refused) == (Code.TOOL_ERROR, words)
    assert refused.details == {"code": str(code)}


async def test_a_server_that_refuses_to_begin_is_quoted() -> None:
    async def refuse(asked: Message, writer: asyncio.StreamWriter) -> None:
        error = {"code": -32000, "message": "license expired"}
        send(writer, 200, {"jsonrpc": "2.0", "id": asked["id"], "error": error})

    async with raw_http(is_old=True, initialize=refuse) as server:
        with pytest.raises(PluginLoadError, match="refused: license expired"):
            async with attached(server.url):
                pass


async def test_more_than_a_hundred_calls_run_side_by_side() -> None:
    waiting: list[Message] = []

    async def wait(asked: Message, writer: asyncio.StreamWriter) -> None:
        waiting.append(asked)
        await until(lambda: len(waiting) >= 120)
        reply(writer, asked, {**RESULT, "resultType": "complete"})

    async with raw_http(wait=wait) as server, attached(server.url) as (_, board):
        calls = [ToolCall(str(each), "s_wait") for each in range(120)]
        outcomes = await board.run(calls, max_parallel=200)

    assert not any(each.is_error for each in outcomes)


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("act", [reset, cut, cut_stream])
async def test_an_answer_that_breaks_off_costs_its_own_call_only(act: Any, is_old: bool) -> None:
    async with (
        raw_http(is_old=is_old, slow=slow, act=act) as server,
        attached(server.url) as (_, board),
    ):
        slept, broken = await board.run([ToolCall("1", "s_slow"), ToolCall("2", "s_act")])
        again = await board.call("s_ok")

    code, words = failure_of(broken)
    assert code is Code.WORKER_LOST
    assert "broke before it had answered" in words
    assert (slept.unwrap(), again.unwrap()) == ("slow", "ok")


@pytest.mark.parametrize("act", [garbage, empty, mistaken])
async def test_an_answer_over_http_that_is_no_message_is_told_in_plain_words(act: Any) -> None:
    async with raw_http(act=act) as server, attached(server.url) as (_, board):
        async with asyncio.timeout(3):
            unreadable = await board.call("s_act")
        again = await board.call("s_ok")

    code, words = failure_of(unreadable)
    assert code is Code.TOOL_ERROR
    assert words.startswith("the answer can't be read")
    assert "pydantic" not in words + str(unreadable)
    assert "secret" not in words + str(unreadable)
    assert again.unwrap() == "ok"


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","result":[{"id":99}],"id":ID}',
        '{"jsonrpc":"2.0","result":{"id":99,"a":nonsense},"id":ID}',
        '{"jsonrpc":"2.0","error":{"data":{"id":99}},"id":ID}',
        '{"jsonrpc":"2.0","id":ID}',
    ],
)
async def test_an_unreadable_line_answers_the_call_whose_id_stands_outside(
    tmp_path: Path, line: str
) -> None:
    async with attached(Scripted(tmp_path, "t", raw={"t": line})) as (_, board):
        async with asyncio.timeout(3):
            _, words = failure_of(await board.call("s_t"))

    assert words.startswith("the answer can't be read")


async def test_a_change_before_the_server_tells_of_changes_is_not_missed() -> None:
    may_tell = asyncio.Event()

    async def listen(asked: Message, writer: asyncio.StreamWriter) -> None:
        await may_tell.wait()
        acknowledge(writer, asked)
        await asyncio.sleep(30)

    acts: dict[str, Any] = {"subscriptions__listen": listen}
    async with raw_http(**acts) as server, attached(server.url) as (_, board):
        server.tools.append("late")
        may_tell.set()
        await until(lambda: "s_late" in board.tools, seconds=2)


async def test_a_server_that_cannot_tell_of_changes_now_is_asked_again() -> None:
    asked_before: list[Message] = []

    async def listen(asked: Message, writer: asyncio.StreamWriter) -> None:
        asked_before.append(asked)
        if len(asked_before) == 1:
            send(writer, 503)
            return
        server.tools.append("late")
        acknowledge(writer, asked)
        await asyncio.sleep(30)

    acts: dict[str, Any] = {"subscriptions__listen": listen}
    async with raw_http(**acts) as server, attached(server.url) as (_, board):
        await until(lambda: "s_late" in board.tools, seconds=4)


async def test_a_question_in_the_place_of_a_result_is_refused_in_the_old_era(
    tmp_path: Path,
) -> None:
    server = Scripted(tmp_path, "t", replies={"t": {"resultType": "input_required"}})
    async with attached(server) as (_, board):
        code, words = failure_of(await board.call("s_t"))

    assert code is Code.TOOL_ERROR
    assert "'input_required'" in words


async def test_a_question_in_the_place_of_a_list_is_no_list(tmp_path: Path) -> None:
    server = Scripted(tmp_path, list_result={"resultType": "input_required", "tools": []})

    with pytest.raises(PluginLoadError, match="something else than a list of tools"):
        async with attached(server):
            pass


async def test_questions_whose_call_has_ended_are_withdrawn_without_filling_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    params = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
    asked = {"jsonrpc": "2.0", "method": "elicitation/create", "params": params}
    lines = [json.dumps({**asked, "id": f"q{each}"}) for each in range(300)]
    async with attached(Scripted(tmp_path, "t", stray=lines)) as (_, board):
        assert not (await board.call("s_t")).is_error
        await until(lambda: "aren't logged" in caplog.text)
        assert not (await board.call("s_t")).is_error

    said = [each for each in caplog.messages if "question" in each]
    assert len(said) <= 21
    assert "Traceback" not in caplog.text


async def test_a_tool_of_this_program_that_exits_ends_its_call_and_nothing_else() -> None:
    server = MCPServer("inside")

    @server.tool(structured_output=False)
    async def leave(kind: str) -> str:
        raise {"exit": SystemExit(3), "cancel": asyncio.CancelledError()}[kind]

    @server.tool(structured_output=False)
    async def stay() -> str:
        return "here"

    async with attached(server) as (_, board):
        for kind, raised in (("exit", "SystemExit"), ("cancel", "CancelledError")):
            code, words = failure_of(await board.call("s_leave", {"kind": kind}))
            assert (code, words) == (Code.TOOL_ERROR, f"the tool has ended with {raised}")
            assert (await board.call("s_stay")).unwrap() == "here"


async def test_a_server_of_this_program_is_left_as_it_was() -> None:
    server = MCPServer("inside")
    inner = server._lowlevel_server
    before = list(inner.middleware)

    async with attached(server):
        assert inner.middleware == before

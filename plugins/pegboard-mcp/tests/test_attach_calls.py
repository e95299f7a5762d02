"""Calls of an attached server's tools: what it hears, and what its answers become."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    Audio,
    Code,
    Config,
    Failure,
    Image,
    Progress,
    Resource,
    Signal,
    Success,
    Text,
    ToolCall,
)
from pegboard_attached import OVER_STDIO, attached, calling, name_of, until
from pegboard_scripted import Scripted, named
from pegboard_sdk_server import SdkServer

OUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
LINE = '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":VALUE}}'


def replying(folder: Path, result: dict[str, Any], **fields: Any) -> Scripted:
    """A server whose only tool `t` answers this."""
    return Scripted(folder, *named("t", **fields), replies={"t": result})


def structured(value: Any, *, text: str = "as text") -> dict[str, Any]:
    """A result with structured content."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": value}


@pytest.mark.parametrize("arguments", [None, "", "null", {}, "  "])
async def test_arguments_that_are_absent_null_or_empty_arrive_as_an_empty_object(
    tmp_path: Path, arguments: Any
) -> None:
    server = Scripted(tmp_path, "t")

    await calling(server, "t", arguments)

    assert server.calls() == [{}]


async def test_arguments_arrive_as_they_were_sent(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t")
    sent = {"from": None, "": {"deep": [None, 1.0, 2**70, "é\u2028"]}, "$top": True, "extra": "x"}

    await calling(server, "t", sent)

    assert server.calls() == [sent]


async def test_one_text_is_the_value(tmp_path: Path) -> None:
    outcome = await calling(replying(tmp_path, {"content": [{"type": "text", "text": "a"}]}), "t")

    assert isinstance(outcome, Success)
    assert (outcome.value, outcome.content, outcome.meta) == ("a", (Text("a"),), None)


async def test_a_text_with_structured_content_but_no_schema_keeps_both(tmp_path: Path) -> None:
    outcome = await calling(replying(tmp_path, structured({"n": 1})), "t")

    assert isinstance(outcome, Success)
    assert (outcome.value, outcome.meta) == ("as text", {"structuredContent": {"n": 1}})


async def test_structured_content_without_text_is_the_value(tmp_path: Path) -> None:
    result = {"content": [], "structuredContent": {"n": None}}

    outcome = await calling(replying(tmp_path, result), "t")

    assert outcome.unwrap() == {"n": None}


async def test_blocks_of_every_kind_are_content_and_their_json_is_the_value(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "t"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "f:///a", "mimeType": "a/b", "text": "a"}},
        {"type": "resource", "resource": {"uri": "f:///b", "blob": "AAAA"}},
        {"type": "resource_link", "uri": "f:///c", "name": "c", "mimeType": "c/d"},
        {"type": "hologram", "data": 1},
        {"type": "text", "text": None},
    ]

    outcome = await calling(replying(tmp_path, {"content": blocks}), "t")

    assert outcome.unwrap() == blocks
    assert outcome.content == (
        Text("t"),
        Image("AAAA", "image/png"),
        Audio("AAAA", "audio/wav"),
        Resource("f:///a", "a/b", text="a"),
        Resource("f:///b", data="AAAA"),
        Resource("f:///c", "c/d"),
        Text('{"type": "hologram", "data": 1}'),
        Text('{"type": "text", "text": null}'),
    )


async def test_the_sdks_blocks_of_every_kind_arrive(tmp_path: Path) -> None:
    outcome = await calling(SdkServer(), "kinds")

    assert [type(each).__name__ for each in outcome.content] == [
        *("Text", "Image", "Audio", "Resource", "Resource", "Resource")
    ]


async def test_structured_content_is_the_value_and_the_servers_text_is_read(tmp_path: Path) -> None:
    outcome = await calling(replying(tmp_path, structured({"n": 3}), outputSchema=OUT), "t")

    assert isinstance(outcome, Success)
    assert (outcome.value, outcome.content) == ({"n": 3}, (Text("as text"),))


@pytest.mark.parametrize(
    ("result", "word"),
    [
        (structured({"n": "3"}), "$.n"),
        (structured(None), "$"),
        ({"content": [{"type": "text", "text": "fine"}]}, "NoStructuredContent"),
    ],
    ids=["wrong", "null", "missing"],
)
async def test_a_broken_promise_of_output_is_our_own_error(
    tmp_path: Path, result: dict[str, Any], word: str
) -> None:
    outcome = await calling(replying(tmp_path, result, outputSchema=OUT), "t")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.INVALID_OUTPUT
    assert word in outcome.message


async def test_missing_output_is_no_null_where_null_would_do(tmp_path: Path) -> None:
    server = replying(tmp_path, {"content": []}, outputSchema={})

    outcome = await calling(server, "t")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.INVALID_OUTPUT


async def test_a_failure_keeps_the_servers_text_and_content(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "db down"},
        {"type": "image", "data": "AA==", "mimeType": "a/b"},
    ]
    result = {"content": blocks, "isError": True, "structuredContent": {"error": "x"}}

    outcome = await calling(replying(tmp_path, result, outputSchema=OUT), "t")

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == (Code.TOOL_ERROR, "db down")
    assert outcome.content == (Text("db down"), Image("AA==", "a/b"))


async def test_a_failure_without_words_says_that_it_is_one(tmp_path: Path) -> None:
    outcome = await calling(replying(tmp_path, {"content": [], "isError": True}), "t")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TOOL_ERROR
    assert outcome.message


async def test_an_error_of_the_protocol_is_a_failure_with_its_code(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t", errors={"t": {"code": -32602, "message": "no such thing"}})

    outcome = await calling(server, "t")

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == (Code.TOOL_ERROR, "no such thing")
    assert outcome.details == {"code": "-32602"}


async def test_the_servers_meta_is_for_whoever_shows_the_call(tmp_path: Path) -> None:
    result = {"content": [{"type": "text", "text": "a"}], "_meta": {"any": [None]}}

    outcome = await calling(replying(tmp_path, result), "t")

    assert isinstance(outcome, Success)
    assert outcome.meta == {"_meta": {"any": [None]}}


async def test_a_result_of_another_kind_is_a_failure_that_names_it(tmp_path: Path) -> None:
    outcome = await calling(replying(tmp_path, {"resultType": "task", "taskId": "1"}), "t")

    assert isinstance(outcome, Failure)
    assert "'task'" in outcome.message


async def test_a_value_beyond_the_limits_is_invalid_output_with_limit_and_size(
    tmp_path: Path,
) -> None:
    server = replying(tmp_path, {"content": [{"type": "text", "text": "é" * 600}]})

    outcome = await calling(server, "t", config=Config(max_bytes=1000))

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.INVALID_OUTPUT
    assert "1000" in outcome.message


@pytest.mark.parametrize("answer", ["nested", "number", "cut"])
async def test_an_answer_that_cannot_be_read_ends_its_call(tmp_path: Path, answer: str) -> None:
    deep, large = "[" * 5000 + "]" * 5000, "1" * 5000
    results = {"nested": deep, "number": large, "cut": '{"a": '}
    server = Scripted(tmp_path, "t", "u", raw={"t": LINE.replace("VALUE", results[answer])})

    async with attached(server) as (_, board):
        outcome = await board.call("s_t")
        assert isinstance(outcome, Failure)
        assert "can't be read" in outcome.message
        assert not (await board.call("s_u")).is_error


async def test_an_answer_of_endless_length_ends_its_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard_mcp.attached.stdio.LONGEST", 100_000)
    long = {"content": [{"type": "text", "text": "x" * 1_000_000}]}
    server = Scripted(tmp_path, "t", "u", replies={"t": long})

    async with attached(server) as (_, board):
        outcome = await board.call("s_t")
        assert isinstance(outcome, Failure)
        assert "longer than 100000 bytes" in outcome.message
        assert not (await board.call("s_u")).is_error


async def test_an_answer_nested_as_deep_as_values_may_be_is_read(tmp_path: Path) -> None:
    deep = "[" * 230 + "]" * 230

    outcome = await calling(Scripted(tmp_path, "t", raw={"t": LINE.replace("VALUE", deep)}), "t")

    assert json.dumps(outcome.unwrap()) == deep


async def test_stray_lines_are_skipped_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Scripted(tmp_path, "t", stray=["Listening on port 1", "{}", "[1, 2]", "\u001b[1m"])

    outcome = await calling(server, "t")

    assert outcome.unwrap() == '{"t": {}}'
    assert "Listening on port 1" in caplog.text


async def test_progress_reaches_the_caller(tmp_path: Path) -> None:
    seen: list[Progress] = []
    async with attached(Scripted(tmp_path, "report")) as (_, board):
        outcome = await board.call("s_report", on_progress=seen.append)

    assert outcome.unwrap() == "reported"
    assert [(each.progress, each.total, each.message) for each in seen] == [
        (step, 3, f"step {step}") for step in range(3)
    ]


async def test_a_cancelled_call_is_cancelled_on_an_old_server(tmp_path: Path) -> None:
    server, signal = Scripted(tmp_path, "sleep", "t"), Signal()
    async with attached(server) as (_, board):
        call = asyncio.create_task(board.call("s_sleep", {"seconds": 0.5}, signal=signal))
        await until(lambda: server.calls("sleep"))
        signal.cancel("enough")
        outcome = await call
        await until(lambda: {"cancelled": True} in server.heard)

        assert outcome.code is Code.ABORTED  # type: ignore[union-attr]  # it is a failure
        assert not (await board.call("s_t")).is_error


async def test_a_cancelled_call_is_cancelled_on_a_new_server() -> None:
    server, signal = SdkServer(), Signal()
    async with attached(server) as (_, board):
        call = asyncio.create_task(board.call("s_wait", signal=signal))
        await asyncio.sleep(0.1)
        signal.cancel("enough")
        await call
        await until(server.cancelled.is_set)


async def test_a_read_timeout_is_the_tools_own_limit(tmp_path: Path) -> None:
    outcome = await calling(Scripted(tmp_path, "sleep"), "sleep", read_timeout=0.2)

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TIMED_OUT


async def test_calls_that_may_overlap_go_through_side_by_side(tmp_path: Path) -> None:
    tools = named("sleep", annotations={"readOnlyHint": True})
    async with attached(Scripted(tmp_path, *tools)) as (_, board):
        calls = [ToolCall(str(n), "s_sleep", {"seconds": 0.5}) for n in range(8)]
        async with asyncio.timeout(3):
            outcomes = await board.run(calls)

    assert not any(each.is_error for each in outcomes)


@pytest.mark.parametrize("place", ["memory", "stdio"])
async def test_a_server_of_the_new_era_answers_in_every_place(place: str) -> None:
    async with attached(SdkServer() if place == "memory" else OVER_STDIO) as (_, board):
        outcome = await board.call(name_of(board, "structured"), {"n": 3})
        wrong = await board.call(name_of(board, "structured"), {"n": "3"})

    assert outcome.unwrap() == {"n": 3}
    assert wrong.code is Code.INVALID_OUTPUT  # type: ignore[union-attr]  # it is a failure

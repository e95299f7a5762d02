"""MCP's shape."""

from typing import Any

import pytest
from pegboard.errors import InvalidToolError, MessageError
from pegboard.formats import mcp
from pegboard.outcomes import Failure, Success
from pegboard.tools.model import Output, Tool, ToolAnnotations
from pegboard.values import Audio, Image, Resource, Text

OPEN = {"type": "object", "properties": {"a": {"type": "integer"}}}


def request(**fields: Any) -> dict[str, Any]:
    params = {"name": "t", "arguments": {"a": 1}}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params, **fields}


@pytest.mark.shared
def test_every_real_definition_comes_out_again_equal(
    real_definitions, real_tools, board_of
) -> None:
    shown = [mcp.definitions(board_of(each)) for each in real_tools]

    assert len(shown) == 61
    assert shown == [[each] for each in real_definitions]


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"description": ""},
        {"title": "T", "_meta": {"x": 1}, "icons": [{"src": "a:b"}]},
        {"annotations": {}},
        {"annotations": {"title": "T", "readOnlyHint": True, "x-more": [1]}},
        {"annotations": {"readOnlyHint": "yes"}},
        {"outputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}},
    ],
)
def test_nothing_of_a_definition_is_lost(board_of, extra: dict[str, Any]) -> None:
    given = {"name": "t", "inputSchema": OPEN, **extra}

    board = board_of(Tool(**mcp.tool_fields(given), run=print))

    assert mcp.definitions(board) == [given]


@pytest.mark.parametrize(
    ("given", "words"),
    [({}, "no 'name'"), ({"name": "t"}, "'t' has no 'inputSchema'")],
)
def test_a_definition_that_is_no_tool_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InvalidToolError, match=words):
        mcp.tool_fields(given)


def test_only_what_is_said_of_effects_is_shown(board_with) -> None:
    board = board_with(OPEN, annotations=ToolAnnotations(read_only=True, open_world=False))

    (listed,) = mcp.definitions(board)

    assert listed["annotations"] == {"readOnlyHint": True, "openWorldHint": False}


def test_a_root_that_does_not_say_so_is_an_object(board_with) -> None:
    (listed,) = mcp.definitions(board_with({"anyOf": [OPEN]}))

    assert listed["inputSchema"] == {"type": "object", "anyOf": [OPEN]}


def test_an_output_that_is_no_object_is_shown_to_newer_clients_only(board_with) -> None:
    board = board_with(OPEN, output=Output(schema={"type": "string"}))

    assert "outputSchema" not in mcp.definitions(board)[0]
    assert [each.tool for each in mcp.losses(board)] == ["t"]
    assert mcp.definitions(board, any_output=True)[0]["outputSchema"] == {"type": "string"}
    assert mcp.losses(board, any_output=True) == ()


def test_a_tool_that_takes_no_object_is_left_out_and_named(board_with) -> None:
    board = board_with({"type": "array"})

    assert mcp.definitions(board) == []
    assert mcp.losses(board)[0].tool == "t"


@pytest.mark.parametrize(
    ("sent", "call_id"),
    [(request(), "7"), (request(id="x"), "x"), ({"name": "t", "arguments": {"a": 1}}, None)],
)
def test_a_request_and_its_parameters_give_the_call(sent: Any, call_id: str | None) -> None:
    (call,) = mcp.calls(sent)

    assert (call.name, call.arguments) == ("t", {"a": 1})
    assert call.id == (call_id or call.id) != ""


def test_requests_come_in_order_and_others_are_not_calls() -> None:
    sent = [request(), request(method="tools/list"), request(id=8)]

    assert [each.id for each in mcp.calls(sent)] == ["7", "8"]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "expected a 'tools/call' request"),
        (request(params=None), "request has no 'params'"),
        ([request(params={})], r"requests\[0\].params has no 'name'"),
        (request(id=True), "id is a bool"),
        (request(id=[]), "id is a list"),
    ],
)
def test_an_unreadable_message_says_what_is_missing(sent: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        mcp.calls(sent)


def test_a_success_has_its_object_as_structured_content() -> None:
    (found,) = mcp.results([Success("7", "t", {"n": 1}, content=(Text("one"),))])

    assert found == {
        "content": [{"type": "text", "text": "one"}],
        "structuredContent": {"n": 1},
        "isError": False,
    }


def test_a_value_that_is_no_object_is_structured_for_newer_clients_only() -> None:
    done = Success("7", "t", [1])

    assert "structuredContent" not in mcp.results([done])[0]
    assert mcp.results([done], any_output=True)[0]["structuredContent"] == [1]


def test_a_failure_has_text_and_no_structured_content() -> None:
    (found,) = mcp.results([Failure("7", "t", "crashed", "no", details={"a": 1})])

    assert found == {"content": [{"type": "text", "text": "Error: no"}], "isError": True}


def test_contexts_are_the_last_texts_of_the_last_result() -> None:
    first = Success("7", "t", 1, content=(Text("1"),), contexts=("more",))

    found = mcp.results([first, Success("8", "t", 2, content=(Text("2"),), contexts=({},))])

    texts = [[part["text"] for part in each["content"]] for each in found]
    assert texts == [["1"], ["2", "more", "{}"]]


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (Image("AAAA", "image/png"), {"type": "image", "data": "AAAA", "mimeType": "image/png"}),
        (Audio("AAAA", "audio/wav"), {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}),
        (
            Resource("a:b", "text/plain", text="c"),
            {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "c"}},
        ),
        (
            Resource("a:b", data="AAAA"),
            {"type": "resource", "resource": {"uri": "a:b", "blob": "AAAA"}},
        ),
        (
            Resource("https://x.example/y/"),
            {"type": "resource_link", "uri": "https://x.example/y/", "name": "y"},
        ),
    ],
)
def test_every_block_is_kept(block: Any, shown: dict[str, Any]) -> None:
    (found,) = mcp.results([Success("7", "t", None, content=(block,))])

    assert found["content"] == [shown]


@pytest.mark.parametrize("kind", ["tool_use", "toolCall", "function_call", "text"])
def test_blocks_of_other_shapes_are_no_parameters(kind: str) -> None:
    with pytest.raises(MessageError, match="isn't a message"):
        mcp.calls([{"type": kind, "id": "1", "name": "t", "arguments": {}}])


def test_a_value_that_is_hidden_is_no_structured_content() -> None:
    hidden = Success("7", "t", {"n": 1}, content=(Text("one"),), hides_value=True)

    (found,) = mcp.results([hidden], any_output=True)

    assert found == {"content": [{"type": "text", "text": "one"}], "isError": False}

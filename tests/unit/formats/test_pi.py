"""The Pi agent's shape."""

import json
from typing import Any

import pytest
from pegboard.errors import MessageError
from pegboard.formats import pi
from pegboard.outcomes import Failure, Success, ToolCall
from pegboard.tools.model import Tool
from pegboard.values import Audio, Image, Text

OPEN = {"type": "object", "properties": {"a": {"enum": [1, 2]}}}


def test_a_definition_has_its_schema_as_given(board_of) -> None:
    board = board_of(
        Tool(name="t", description="It.", parameters=OPEN, run=print),
        Tool(name="u", title="You", parameters=OPEN, run=print),
    )

    listed = pi.definitions(board)

    assert listed[0] == {"name": "t", "description": "It.", "parameters": OPEN}
    assert listed[1]["label"] == "You"


def test_the_calls_of_a_message_come_in_order(transcripts) -> None:
    found = pi.calls(json.loads((transcripts / "pi.json").read_text()))

    assert [each.id for each in found] == ["call-1", "call-2", "call-3"]
    assert found[1] == ToolCall("call-2", "echo", {"value": 1})


@pytest.mark.parametrize("sent", [[], {"role": "assistant", "content": "hi"}, {"type": "text"}])
def test_a_message_without_calls_gives_none(sent: Any) -> None:
    assert pi.calls(sent) == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "expected 'content'"),
        ([{"type": "toolCall", "id": "c"}], r"content\[0\] has no 'name'"),
        ([{"type": "toolCall", "name": "t"}], r"content\[0\] has no 'id'"),
    ],
)
def test_an_unreadable_message_says_what_is_missing(sent: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        pi.calls(sent)


def test_a_success_has_its_content_for_the_model_and_its_meta_as_details() -> None:
    done = Success("call-1", "echo", "Pi", content=(Text("Pi"),), meta={"rows": 2})

    (found,) = pi.results([done])

    assert found == {
        "role": "toolResult",
        "toolCallId": "call-1",
        "toolName": "echo",
        "content": [{"type": "text", "text": "Pi"}],
        "isError": False,
        "details": {"rows": 2},
    }


def test_a_success_without_meta_has_no_details() -> None:
    assert "details" not in pi.results([Success("c", "t", 1)])[0]


@pytest.mark.parametrize(
    ("own", "details"),
    [
        (None, {"error": "no"}),
        ({"a": 1}, {"error": "no", "a": 1}),
        ({"error": 1}, {"error": "no", "details": {"error": 1}}),
        ([1], {"error": "no", "details": [1]}),
    ],
)
def test_a_failure_has_its_message_and_its_own_details(own: Any, details: Any) -> None:
    (found,) = pi.results([Failure("c", "t", "tool_error", "no", details=own)])

    assert found["isError"] is True
    assert found["content"] == [{"type": "text", "text": "Error: no"}]
    assert found["details"] == details


def test_images_are_kept_other_bytes_said_in_words_and_contexts_come_last() -> None:
    blocks = (Image("AAAA", "image/png"), Audio("AAAA", "audio/wav"))

    result, context = pi.results([Success("c", "t", 1, content=blocks, contexts=("more",))])

    assert [each["type"] for each in result["content"]] == ["image", "text"]
    assert context == {"role": "user", "content": [{"type": "text", "text": "more"}]}

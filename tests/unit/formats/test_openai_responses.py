"""The shape of OpenAI's responses."""

import json
from typing import Any

import pytest
from pegboard.errors import MessageError
from pegboard.formats import openai_responses
from pegboard.outcomes import Failure, Success, ToolCall
from pegboard.tools.model import Output, Tool
from pegboard.values import Audio, Image, Resource, Text

OPEN = {"type": "object", "properties": {"a": {"type": "integer"}}}


def item(**fields: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "c1", "name": "t", "arguments": "{}", **fields}


def test_a_definition_says_whether_it_is_strict(board_of) -> None:
    board = board_of(Tool(name="t", description="Does it.", parameters=OPEN, run=print))

    (listed,) = openai_responses.definitions(board)

    assert listed == {
        "type": "function",
        "name": "t",
        "description": "Does it.",
        "parameters": OPEN,
        "strict": False,
    }
    assert openai_responses.definitions(board, strict=True)[0]["strict"] is True


def test_a_tool_that_cannot_be_strict_says_that_it_is_not(board_with) -> None:
    board = board_with({"type": "object", "properties": {"x": {}}})

    (listed,) = openai_responses.definitions(board, strict=True)

    assert listed["strict"] is False
    assert "strict mode" in repr(openai_responses.losses(board, strict=True))


def test_a_deferred_tool_says_so_and_the_output_schema_is_lost(board_with) -> None:
    board = board_with(OPEN, defer_loading=True, output=Output(schema={"type": "string"}))

    (listed,) = openai_responses.definitions(board)

    assert listed["defer_loading"] is True
    assert [each.what for each in openai_responses.losses(board) if each.tool == "t"] == [
        "output schema"
    ]


def test_null_for_an_optional_argument_comes_back_as_its_absence(board_with) -> None:
    sent = [item(arguments='{"a": null}')]

    (call,) = openai_responses.calls(sent, board_with(OPEN), strict=True)

    assert call.arguments == {}


def test_the_calls_of_a_response_come_in_order_by_call_id(transcripts) -> None:
    sent = json.loads((transcripts / "openai_responses.json").read_text())

    found = openai_responses.calls(sent)

    assert [each.id for each in found] == ["call_a", "call_b"]
    assert found[1].arguments == '{"timezone":null}'


def test_a_response_its_output_and_an_item_give_the_same_call() -> None:
    forms = [{"object": "response", "output": [item()]}, [item()], item()]

    found = [openai_responses.calls(each) for each in forms]

    assert found == [[ToolCall("c1", "t", "{}")]] * 3


@pytest.mark.parametrize("sent", [[], {"output": None}, {"type": "message", "content": []}])
def test_a_message_without_calls_gives_none(sent: Any) -> None:
    assert openai_responses.calls(sent) == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "expected 'output'"),
        (3, "a int isn't a message"),
        ([item(call_id=None)], r"output\[0\] has no 'call_id'"),
        ([{}, item(name="")], r"output\[1\] has no 'name'"),
        ({"output": "x"}, "output is a text where a list is expected"),
    ],
)
def test_an_unreadable_message_says_what_is_missing(sent: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        openai_responses.calls(sent)


def test_results_are_items_and_contexts_follow_them() -> None:
    done = Success("c1", "t", "v", content=(Text("v"),), contexts=("more",))
    failed = Failure("c2", "t", "crashed", "no")

    found = openai_responses.results([done, failed])

    text = {"type": "input_text", "text": "more"}
    assert found == [
        {"type": "function_call_output", "call_id": "c1", "output": "v"},
        {"type": "function_call_output", "call_id": "c2", "output": "Error: no"},
        {"type": "message", "role": "user", "content": [text]},
    ]


def test_blocks_are_shown_or_said_in_words() -> None:
    pdf = Resource("file:///a.pdf", "application/pdf", data="AAAA")
    png = Resource("file:///a.png", "image/png", data="AAAA")
    blocks = (Image("AAAA", "image/png"), Audio("AAAA", "audio/wav"), pdf, png)

    (found,) = openai_responses.results([Success("c", "t", None, content=blocks)])

    kinds = ["image", "text", "text", "file", "text", "image"]
    assert [each["type"] for each in found["output"]] == [f"input_{each}" for each in kinds]
    assert found["output"][0]["image_url"] == "data:image/png;base64,AAAA"
    assert found["output"][3]["filename"] == "a.pdf"


def test_a_result_without_content_is_an_empty_text() -> None:
    assert openai_responses.results([Success("c", "t", None)])[0]["output"] == ""


@pytest.mark.parametrize("status", ["incomplete", "in_progress"])
def test_a_call_that_is_not_complete_is_refused_by_its_id(status: str) -> None:
    with pytest.raises(MessageError, match=f"'c1' has the status '{status}'"):
        openai_responses.calls([item(status=status)])


KINDS = ["apply_patch_call", "computer_call", "custom_tool_call", "local_shell_call", "shell_call"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_of_another_kind_is_refused_by_its_id(kind: str) -> None:
    with pytest.raises(MessageError, match=f"'c9' is a call of the type '{kind}'"):
        openai_responses.calls([item(), {"type": kind, "call_id": "c9"}])


def test_a_call_of_another_kind_that_was_answered_already_is_passed_over() -> None:
    answered = [{"type": f"shell_call{end}", "call_id": "c9"} for end in ("", "_output")]

    assert [each.id for each in openai_responses.calls([*answered, item()])] == ["c1"]

"""The shape of OpenAI's chat completions."""

import json
from typing import Any

import pytest
from pegboard.errors import MessageError
from pegboard.formats import openai
from pegboard.outcomes import Failure, Success, ToolCall
from pegboard.tools.model import Tool
from pegboard.values import Audio, Image, Resource, Text

OPEN = {"type": "object", "properties": {"a": {"type": "integer"}}}


def function(board: Any, **options: Any) -> dict[str, Any]:
    return openai.definitions(board, **options)[0]["function"]


def what(board: Any, **options: Any) -> list[str]:
    return [each.what for each in openai.losses(board, **options) if each.tool != "*"]


def message(*arguments: Any) -> dict[str, Any]:
    made = [
        {"id": f"c{n}", "type": "function", "function": {"name": "t", "arguments": each}}
        for n, each in enumerate(arguments)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def test_a_definition_is_a_function(board_of) -> None:
    board = board_of(Tool(name="t", description="Does it.", parameters=OPEN, run=print))

    listed = openai.definitions(board)

    function = {"name": "t", "description": "Does it.", "parameters": OPEN}
    assert listed == [{"type": "function", "function": function}]


def test_arrays_say_their_items_and_the_root_its_properties(board_with) -> None:
    bare = board_with({"type": "object"})
    array = board_with({"type": "object", "properties": {"a": {"type": ["array", "null"]}}})

    assert function(bare)["parameters"]["properties"] == {}
    assert function(array)["parameters"]["properties"]["a"]["items"] == {}


@pytest.mark.parametrize("keyword", ["not", "enum", "const"])
def test_what_a_root_must_not_have_is_left_out_and_named(board_with, keyword: str) -> None:
    value = {"not": {"required": ["b"]}, "enum": [{}], "const": {}}[keyword]

    board = board_with({**OPEN, keyword: value})

    assert keyword not in function(board)["parameters"]
    assert f"$: {keyword}" in what(board)


def test_a_deferred_tool_is_shown_at_once_and_that_is_named(board_with) -> None:
    assert "defer_loading" in what(board_with(OPEN, defer_loading=True))


def test_strict_mode_requires_all_and_lets_optional_ones_be_null(board_with) -> None:
    properties = {"a": {"type": "integer"}, "b": {"type": "string", "description": "B."}}
    board = board_with({"type": "object", "properties": properties, "required": ["a"]})

    found = function(board, strict=True)

    assert found["strict"] is True
    assert found["parameters"]["required"] == ["a", "b"]
    assert found["parameters"]["additionalProperties"] is False
    assert found["parameters"]["properties"]["b"] == {
        "description": "B.",
        "anyOf": [{"type": "string"}, {"type": "null"}],
    }


def test_null_for_an_optional_argument_comes_back_as_its_absence(board_with) -> None:
    inner = {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}
    properties = {"a": {"type": "integer"}, "rows": {"type": "array", "items": inner}}
    board = board_with({"type": "object", "properties": properties})

    (call,) = openai.calls(
        message('{"a": null, "rows": [{"x": null, "y": "1"}]}'), board, strict=True
    )

    assert call.arguments == {"rows": [{"y": "1"}]}


def test_null_stays_where_the_tool_itself_takes_it(board_with) -> None:
    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    board = board_with({"type": "object", "properties": {"a": nullable, "b": {"enum": [1, None]}}})

    (call,) = openai.calls(message('{"a": null, "b": null}'), board, strict=True)

    assert call.arguments == '{"a": null, "b": null}'
    assert "$: absence of 'a'" in what(board, strict=True)


def test_null_is_taken_out_by_the_branch_that_it_was_written_for(board_with) -> None:
    one = {"type": "object", "properties": {"k": {"const": "1"}, "x": {"type": "string"}}}
    two = {"type": "object", "properties": {"k": {"const": "2"}, "x": {"type": ["string", "null"]}}}
    union = {"anyOf": [{**one, "required": ["k"]}, {**two, "required": ["k"]}]}
    board = board_with({"type": "object", "properties": {"u": union}, "required": ["u"]})

    sent = message('{"u": {"k": "1", "x": null}}', '{"u": {"k": "2", "x": null}}')
    first, second = openai.calls(sent, board, strict=True)

    assert first.arguments == {"u": {"k": "1"}}
    assert second.arguments == '{"u": {"k": "2", "x": null}}'


def test_a_recursive_tool_is_strict_and_its_nulls_come_back_at_every_depth(board_with) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    board = board_with({**node, "$defs": {"Node": node}})
    text = '{"next": ' * 200 + "null" + "}" * 200

    (call,) = openai.calls(message(text), board, strict=True)

    assert function(board, strict=True)["strict"] is True
    deepest = call.arguments
    for _ in range(199):
        deepest = deepest["next"]
    assert deepest == {}


def test_without_strict_mode_nothing_of_a_call_is_changed(board_with) -> None:
    (call,) = openai.calls(message('{"a": null}'), board_with(OPEN))

    assert call.arguments == '{"a": null}'


@pytest.mark.parametrize("text", ["", "  ", "null", "{", '{"a": 1, "a": null}', "[]"])
def test_text_that_is_no_object_stays_as_the_model_wrote_it(board_with, text: str) -> None:
    (call,) = openai.calls(message(text), board_with(OPEN), strict=True)

    assert call.arguments == text


def test_a_union_of_one_of_is_shown_as_any_of_in_strict_mode(board_with) -> None:
    union = {"oneOf": [{"type": "integer"}, {"type": "string", "minLength": 2}]}
    board = board_with({"type": "object", "properties": {"u": union}, "required": ["u"]})

    shown = function(board, strict=True)["parameters"]["properties"]["u"]

    assert shown["anyOf"][0] == {"type": "integer"}
    assert shown["anyOf"][1] == {"type": "string", "description": "(minLength: 2)"}
    assert "$.u: oneOf, shown as anyOf" in what(board, strict=True)


def test_several_types_become_a_union_in_strict_mode(board_with) -> None:
    both = {"type": ["string", "null"], "enum": ["a", None], "title": "T"}
    board = board_with({"type": "object", "properties": {"u": both}, "required": ["u"]})

    shown = function(board, strict=True)["parameters"]["properties"]["u"]

    assert shown == {"title": "T", "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}


def test_a_reference_stands_alone_in_strict_mode(board_with) -> None:
    beside = {"$ref": "#/$defs/N", "description": "One."}
    board = board_with(
        {"type": "object", "properties": {"n": beside}, "required": ["n"], "$defs": {"N": OPEN}}
    )

    shown = function(board, strict=True)["parameters"]["properties"]["n"]

    assert shown == {"description": "One.", "anyOf": [{"$ref": "#/$defs/N"}]}


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({f"a{n}": {"type": "null"} for n in range(5_001)}, "properties"),
        ({"a": {"enum": [f"{n}" for n in range(1_001)]}}, "listed values"),
        ({"a": {"enum": ["x" * 120_001]}}, "characters"),
    ],
)
def test_a_schema_beyond_the_limits_goes_out_without_strict_mode(
    board_with, properties, words
) -> None:
    board = board_with({"type": "object", "properties": properties})

    assert "strict" not in function(board, strict=True)
    assert any("strict mode" in each and words in each for each in what(board, strict=True))


def test_the_calls_of_a_completion_come_in_order_with_the_text_of_the_model(transcripts) -> None:
    sent = json.loads((transcripts / "openai_chat.json").read_text())

    found = openai.calls(sent)

    assert [each.id for each in found] == [f"call_{n}" for n in range(1, 9)]
    assert found[0].arguments == ""
    assert found[7].arguments == '{"value": "unterminated'


def test_a_completion_a_message_and_its_calls_give_the_same() -> None:
    sent = message("{}")

    forms = [{"choices": [{"message": sent}]}, sent, sent["tool_calls"]]

    assert [openai.calls(each) for each in forms] == [[ToolCall("c0", "t", "{}")]] * 3


@pytest.mark.parametrize(
    "sent", [[], {"role": "assistant", "content": "hi"}, {"choices": []}, {"tool_calls": None}]
)
def test_a_message_without_calls_gives_none(sent: Any) -> None:
    assert openai.calls(sent) == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "expected 'choices'"),
        ("x", "a text isn't a message"),
        ({"choices": [{}]}, r"choices\[0\] has no 'message'"),
        ({"choices": 3}, "choices is a int where a list is expected"),
        ({"tool_calls": [{"id": "c"}]}, r"tool_calls\[0\] has no 'function'"),
        ([{"function": {"name": "t"}}], r"tool_calls\[0\] has no 'id'"),
        ([{"id": "c", "function": {}}], r"tool_calls\[0\].function has no 'name'"),
        ({"role": "assistant", "function_call": {"name": "t"}}, "old form"),
        ({"choices": [{"message": message("")}] * 2}, "2 choices make calls"),
    ],
)
def test_an_unreadable_message_says_what_is_missing(sent: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        openai.calls(sent)


def test_calls_of_custom_tools_are_refused_by_their_id() -> None:
    sent = [{"type": "custom", "id": "c7", "custom": {"name": "x"}}]

    with pytest.raises(MessageError, match="'c7' is of the type 'custom'"):
        openai.calls({"role": "assistant", "content": None, "tool_calls": sent})


@pytest.mark.parametrize("others", [{}, {"role": "assistant"}, {"tool_calls": []}])
def test_the_old_form_of_a_call_is_refused(others: dict[str, Any]) -> None:
    with pytest.raises(MessageError, match="function_call is the old form of a call"):
        openai.calls({"function_call": {"name": "t", "arguments": "{}"}, **others})


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"role": "assistant", "content": 3}, "content is a int where a text or a list"),
        ({"choices": None}, "choices is null where a list is expected"),
        ({"choices": [{"message": {"content": {}}}]}, r"choices\[0\].message.content is an obj"),
    ],
)
def test_what_no_completion_holds_is_refused(sent: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        openai.calls(sent)


def test_results_are_tool_messages_and_contexts_follow_them() -> None:
    done = Success("c1", "t", "v", content=(Text("v"), Text("w")), contexts=([1],))
    failed = Failure("c2", "t", "crashed", "no")

    found = openai.results([done, failed])

    assert found == [
        {"role": "tool", "tool_call_id": "c1", "content": "v\nw"},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no"},
        {"role": "user", "content": "[1]"},
    ]


def test_blocks_that_a_tool_message_cannot_hold_are_said_in_words() -> None:
    blocks = (Image("AAAA", "image/png"), Audio("AA==", "audio/wav"), Resource("a:b", text="c"))

    (found,) = openai.results([Success("c", "t", None, content=blocks)])

    assert found["content"].splitlines() == [
        "[image left out: image/png, 3 bytes]",
        "[audio left out: audio/wav, 1 bytes]",
        "[resource a:b]",
        "c",
    ]

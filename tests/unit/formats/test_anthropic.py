"""Anthropic's shape."""

import json
from pathlib import Path
from typing import Any

import pytest
from pegboard.errors import MessageError
from pegboard.formats import anthropic
from pegboard.outcomes import Failure, Success, ToolCall
from pegboard.tools.model import Output, Tool, ToolAnnotations
from pegboard.values import Audio, Image, Resource, Text

OPEN = {"type": "object", "properties": {"a": {"type": "integer"}}}


def shown(board: Any, **options: Any) -> dict[str, Any]:
    return anthropic.definitions(board, **options)[0]["input_schema"]


def what(board: Any, **options: Any) -> list[str]:
    return [each.what for each in anthropic.losses(board, **options) if each.tool != "*"]


def test_a_definition_has_a_name_a_description_and_a_schema(board_of) -> None:
    board = board_of(Tool(name="t", description="Does it.", parameters=OPEN, run=print))

    listed = anthropic.definitions(board)

    assert listed == [{"name": "t", "description": "Does it.", "input_schema": OPEN}]


def test_a_deferred_tool_says_so(board_with) -> None:
    assert anthropic.definitions(board_with(OPEN, defer_loading=True))[0]["defer_loading"] is True


def test_nothing_is_lost_of_a_plain_tool_but_what_holds_for_all_results(board_with) -> None:
    lost = anthropic.losses(board_with(OPEN))

    assert {each.tool for each in lost} == {"*"}
    assert "audio" in repr(lost)


def test_an_empty_board_has_no_definitions_and_no_losses(board_of) -> None:
    assert anthropic.definitions(board_of()) == []
    assert anthropic.losses(board_of()) == ()


def test_title_annotations_output_and_further_fields_are_named_as_lost(board_with) -> None:
    board = board_with(
        OPEN,
        title="T",
        annotations=ToolAnnotations(read_only=True),
        output=Output(schema={"type": "string"}),
        passthrough={"icons": []},
    )

    lost = what(board)

    assert lost == ["title", "annotations: read_only", "output schema", "further field 'icons'"]


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_union_at_the_root_becomes_one_object_that_takes_every_form(board_with, keyword) -> None:
    branches = [
        {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "n": {}}, "required": ["kind"]},
    ]

    board = board_with({keyword: branches})

    assert shown(board)["properties"] == {"kind": {"enum": ["a", "b"]}, "n": {}}
    assert shown(board)["required"] == ["kind"]
    assert 'kind = "b", [n]' in shown(board)["description"]
    assert any(keyword in each for each in what(board))


def test_an_intersection_at_the_root_becomes_one_object(board_with) -> None:
    one = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    two = {"properties": {"a": {"minimum": 1}, "b": {}}, "required": ["b"]}

    schema = shown(board_with({"type": "object", "allOf": [one, two]}))

    assert schema["properties"]["a"] == {"allOf": [{"type": "integer"}, {"minimum": 1}]}
    assert schema["required"] == ["a", "b"]
    assert schema["type"] == "object"


def test_a_reference_at_the_root_is_followed(board_with) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"}}}

    schema = shown(board_with({"$ref": "#/definitions/Node", "definitions": {"Node": node}}))

    assert schema["type"] == "object"
    assert schema["properties"]["next"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"]["Node"]["properties"]["next"] == {"$ref": "#/$defs/Node"}


def test_references_and_definitions_below_the_root_stay_as_given(board_with) -> None:
    schema = {**OPEN, "properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {"N": {"type": "null"}}}

    assert shown(board_with(schema)) == schema


def test_tuples_of_older_drafts_are_spelled_anew(board_with) -> None:
    pair = {"type": "array", "items": [{"type": "string"}], "additionalItems": False}

    schema = shown(board_with({"type": "object", "properties": {"pair": pair}}))

    assert schema["properties"]["pair"] == {
        "type": "array",
        "prefixItems": [{"type": "string"}],
        "items": False,
    }


@pytest.mark.parametrize("name", ["$top", "acct Q", "", "naïve", "x" * 65, "a/b"])
def test_a_name_that_is_refused_is_shown_as_another_and_comes_back(board_with, name: str) -> None:
    board = board_with({"type": "object", "properties": {name: {}}, "required": [name]})

    (alias,) = shown(board)["properties"]
    (call,) = anthropic.calls([block(input={alias: 1})], board)

    assert anthropic._NAME.fullmatch(alias)
    assert shown(board)["required"] == [alias]
    assert call.arguments == {name: 1}
    assert alias in repr(what(board))


def test_names_that_differ_in_one_refused_character_stay_two(board_with) -> None:
    names = ["a b", "a/b", "a_b"]

    board = board_with({"type": "object", "properties": {name: {} for name in names}})

    assert len(shown(board)["properties"]) == 3
    assert "a_b" in shown(board)["properties"]


def test_names_inside_unions_and_lists_come_back_too(board_with) -> None:
    inner = {"type": "object", "properties": {"x y": {"type": "integer"}}}
    union = {"anyOf": [{"type": "array", "items": inner}, {"type": "null"}]}
    board = board_with({"type": "object", "properties": {"rows": union}})

    items = shown(board)["properties"]["rows"]["anyOf"][0]["items"]
    (alias,) = items["properties"]
    (call,) = anthropic.calls([block(input={"rows": [{alias: 1}]})], board)

    assert call.arguments == {"rows": [{"x y": 1}]}


def test_a_tool_whose_schema_takes_no_object_is_left_out_and_named(board_showing) -> None:
    board = board_showing(bad={"type": "string"}, good=OPEN)

    assert [each["name"] for each in anthropic.definitions(board)] == ["good"]
    assert [each.tool for each in anthropic.losses(board) if each.tool != "*"] == ["bad"]


def test_a_schema_that_nests_without_end_leaves_out_its_own_tool_only(board_showing) -> None:
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"type": "object", "properties": {"a": deep}}
    board = board_showing(deep=deep, t=OPEN)

    assert [each["name"] for each in anthropic.definitions(board)] == ["t"]
    assert "64 levels" in repr(anthropic.losses(board))


def test_strict_mode_closes_objects_and_keeps_optional_ones_optional(board_with) -> None:
    listed = anthropic.definitions(board_with(OPEN), strict=True)

    assert listed[0]["strict"] is True
    assert listed[0]["input_schema"] == {**OPEN, "additionalProperties": False}


def test_what_strict_mode_cannot_say_goes_into_the_description(board_with) -> None:
    number = {"type": "integer", "minimum": 1, "description": "How many."}
    board = board_with({"type": "object", "properties": {"n": number}})

    schema = shown(board, strict=True)

    assert schema["properties"]["n"] == {
        "type": "integer",
        "description": "How many. (minimum: 1)",
    }
    assert "$.n: minimum, named in the description" in what(board, strict=True)


@pytest.mark.parametrize(
    "hard",
    [
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object"},
        {},
        {"$ref": "#"},
    ],
    ids=["a map", "any object", "any value", "itself"],
)
def test_a_tool_that_strict_mode_cannot_show_goes_out_without_it(board_with, hard) -> None:
    board = board_with({"type": "object", "properties": {"x": hard}})

    listed = anthropic.definitions(board, strict=True)

    assert "strict" not in listed[0]
    assert listed[0]["input_schema"]["properties"]["x"] == hard
    assert any(each.startswith("strict mode: ") for each in what(board, strict=True))


def test_a_request_has_no_more_strict_tools_than_it_may(board_showing) -> None:
    board = board_showing(**{f"t{n}": OPEN for n in range(22)})

    strict = [
        each["name"] for each in anthropic.definitions(board, strict=True) if "strict" in each
    ]

    assert strict == [f"t{n}" for n in range(20)]
    assert "t20" in {each.tool for each in anthropic.losses(board, strict=True)}


def test_a_request_has_no_more_optional_arguments_than_it_may(board_showing) -> None:
    many = {"type": "object", "properties": {f"a{n}": {"type": "null"} for n in range(20)}}
    board = board_showing(t0=many, t1=many)

    listed = anthropic.definitions(board, strict=True)

    assert ["strict" in each for each in listed] == [True, False]


def block(**fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "u1", "name": "t", "input": {}, **fields}


def test_the_calls_of_a_message_come_in_order(transcripts: Path) -> None:
    message = json.loads((transcripts / "anthropic.json").read_text())

    found = anthropic.calls(message)

    assert [each.id for each in found] == [f"toolu_01{letter}" for letter in "ABCDEFG"]
    assert found[1] == ToolCall(
        id="toolu_01B", name="files_read", arguments={"path": "notes/overview.md", "limit": 40}
    )


def test_a_message_its_content_and_a_block_give_the_same_call() -> None:
    one = block(input={"a": 1})

    forms = [{"role": "assistant", "content": [one]}, [one], one]

    assert [anthropic.calls(each) for each in forms] == [[ToolCall("u1", "t", {"a": 1})]] * 3


@pytest.mark.parametrize(
    "message", [[], "hi", {"content": []}, {"content": "hello"}, {"content": None}]
)
def test_a_message_without_calls_gives_none(message: Any) -> None:
    assert anthropic.calls(message) == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (None, "null isn't a message"),
        ({}, "expected 'content'"),
        ({"choices": []}, "choices"),
        ({"content": 3}, "a int"),
        ([3], r"content\[0\] is a int"),
        ([{"type": "tool_use", "name": "t"}], r"content\[0\] has no 'id'"),
        ([{"type": "tool_use", "id": "u", "name": 3}], r"content\[0\]: 'name' isn't text"),
    ],
)
def test_an_unreadable_message_says_what_is_missing(message: Any, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        anthropic.calls(message)


def test_a_call_of_a_tool_that_is_not_on_the_board_stays_as_it_came(board_of) -> None:
    assert anthropic.calls([block(name="other", input=3)], board_of())[0].arguments == 3


def test_results_are_one_message_with_contexts_last() -> None:
    done = Success("u1", "t", "v", content=(Text("v"),), contexts=({"a": 1}, "words"))
    failed = Failure("u2", "t", "crashed", "no")

    (message,) = anthropic.results([done, failed])

    assert message["role"] == "user"
    assert [each["type"] for each in message["content"]] == ["tool_result"] * 2 + ["text"] * 2
    assert [each.get("is_error") for each in message["content"][:2]] == [False, True]
    assert [each["text"] for each in message["content"][2:]] == ['{"a":1}', "words"]


def test_without_outcomes_there_is_no_message() -> None:
    assert anthropic.results([]) == []


def test_a_failure_without_content_shows_its_message() -> None:
    (message,) = anthropic.results([Failure("u", "t", "denied", "not today")])

    assert message["content"][0]["content"] == [{"type": "text", "text": "Error: not today"}]


@pytest.mark.parametrize("content", [(Text(""),), (Text(" \n"),), ()])
def test_no_text_of_a_result_is_blank(content: Any) -> None:
    done = Success("u", "t", "", content=content)
    failed = Failure("u", "t", "crashed", "no", content=content)

    (message,) = anthropic.results([done, failed])

    texts = [part["text"] for each in message["content"] for part in each["content"]]
    assert all(each.strip() for each in texts)
    assert message["content"][1]["content"]


@pytest.mark.parametrize(
    ("block", "kinds"),
    [
        (Image("AAAA", "image/png"), ["image"]),
        (Resource("file:///a.png", "image/png", data="AAAA"), ["text", "image"]),
        (Resource("file:///a.pdf", "application/pdf", data="AAAA"), ["text", "document"]),
    ],
)
def test_bytes_that_can_be_shown_are(block: Any, kinds: list[str]) -> None:
    (message,) = anthropic.results([Success("u", "t", None, content=(block,))])

    parts = message["content"][0]["content"]
    assert [each["type"] for each in parts] == kinds
    assert parts[-1]["source"]["data"] == "AAAA"


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (Image("AAAA", "image/tiff"), "[image left out: image/tiff, 3 bytes]"),
        (Audio("AAAA", "audio/wav"), "[audio left out: audio/wav, 3 bytes]"),
        (Resource("a:b", "text/plain", text="hi"), "[resource a:b, text/plain]\nhi"),
        (Resource("a:b", data="AAAA"), "[resource left out: a:b, 3 bytes]"),
        (Resource("a:b"), "[resource a:b]"),
    ],
)
def test_what_cannot_be_shown_is_said_in_words(block: Any, words: str) -> None:
    (message,) = anthropic.results([Success("u", "t", None, content=(block,))])

    assert message["content"][0]["content"] == [{"type": "text", "text": words}]


def test_an_image_of_a_failed_call_is_said_in_words() -> None:
    failed = Failure("u", "t", "tool_error", "no", content=(Image("AAAA", "image/png"),))

    (message,) = anthropic.results([failed])

    assert message["content"][0]["content"][0]["type"] == "text"


@pytest.mark.parametrize("role", ["user", "system", 3])
def test_a_call_in_a_message_that_is_not_the_assistant_s_is_refused(role: Any) -> None:
    with pytest.raises(MessageError, match=f"is a call in a message of the role {role!r}"):
        anthropic.calls({"role": role, "content": [block()]})

"""`run` answers any provider's message in the shape of that provider."""

import json
from collections.abc import Callable
from typing import Any

import pytest

CALLS = {
    "anthropic": [f"toolu_01{letter}" for letter in "ABCDEFG"],
    "openai_chat": [f"call_{number}" for number in range(1, 9)],
    "openai_responses": ["call_a", "call_b"],
    "pi": ["call-1", "call-2", "call-3"],
}


def ids(results: Any) -> list[str]:
    """The ids of the calls that results answer, in order, in whatever shape."""
    if isinstance(results, list):
        return [found for each in results for found in ids(each)]
    if not isinstance(results, dict):
        return []
    keys = ("tool_use_id", "tool_call_id", "call_id", "toolCallId")
    return [results[key] for key in keys if key in results] or ids(results.get("content"))


@pytest.mark.parametrize("name", CALLS)
def test_every_call_of_a_transcript_has_one_result_in_order_with_its_id(
    transcript: Callable[..., Any], name: str
) -> None:
    assert ids(transcript(name).json) == CALLS[name]


def test_calls_without_ids_are_paired_by_position_and_name(transcript: Callable[..., Any]) -> None:
    (message,) = transcript("gemini").json

    answers = [part["functionResponse"] for part in message["parts"]]
    assert [each["name"] for each in answers] == ["clock_now", "echo", "echo"]
    assert answers[0]["id"] == "fn-1"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("anthropic", ["Mars/Olympus", "unknown tool 'file_read'; did you mean 'files_read'"]),
        ("openai_chat", ["$.offset", "did you mean 'offset'", "repeated", "isn't JSON"]),
        ("pi", ["$.value", "unknown tool 'missing'"]),
    ],
)
def test_the_errors_of_a_transcript_tell_the_model_what_to_do(
    transcript: Callable[..., Any], name: str, words: list[str]
) -> None:
    ran = transcript(name)

    texts = json.dumps(ran.json, ensure_ascii=False)
    assert [each for each in words if each not in texts] == []
    assert ran.status == 1
    assert "calls failed: " in ran.err


def test_a_message_whose_calls_all_succeed_ends_well(transcript: Callable[..., Any]) -> None:
    ran = transcript("openai_responses")

    assert (ran.status, ran.err) == (0, "")
    assert "9007199254740993 is not 9007199254740992" in ran.out


def test_a_message_comes_from_standard_input(desk: Any) -> None:
    call = {"type": "toolCall", "id": "a", "name": "say", "arguments": {"value": "Pi"}}

    ran = desk.run("run", "-", given=json.dumps({"role": "assistant", "content": [call]}))

    assert ran.json[0]["content"] == [{"type": "text", "text": "Pi"}]


def test_a_format_that_is_named_reads_the_message(desk: Any) -> None:
    desk.write("request.json", '{"name": "say", "arguments": {"value": "Pi"}}')

    ran = desk.run("run", "request.json", "--format", "mcp")

    assert ran.json == [{"content": [{"type": "text", "text": "Pi"}], "isError": False}]


def test_a_message_is_answered_for_the_board_that_was_named(desk: Any) -> None:
    desk.write("pegboard.toml", "[boards.mute]\nallow = []\n")
    desk.write("request.json", '{"name": "say", "arguments": {"value": "Pi"}}')

    ran = desk.run("run", "request.json", "--board", "mute")

    assert (ran.status, ran.json[0]["isError"]) == (1, True)
    assert "unknown tool" in ran.out

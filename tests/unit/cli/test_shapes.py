import json
from pathlib import Path
from typing import Any

import pytest
from pegboard import UnknownNameError
from pegboard.cli.mistakes import UsageError
from pegboard.cli.shapes import FORMATS, format_of, recognised

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"

OF_FILES = {
    "anthropic": "anthropic",
    "gemini": "gemini",
    "openai_chat": "openai",
    "openai_responses": "openai_responses",
    "pi": "pi",
}

PARTS = [
    ([{"type": "text", "text": "so"}, {"type": "tool_use", "id": "1", "name": "a"}], "anthropic"),
    ([{"type": "text", "text": "so"}, {"type": "toolCall", "id": "1", "name": "a"}], "pi"),
    ([{"type": "reasoning"}, {"type": "function_call", "name": "a"}], "openai_responses"),
    ({"role": "assistant", "content": None, "tool_calls": []}, "openai"),
    ({"role": "assistant", "content": "only words"}, "openai"),
    ({"role": "assistant", "content": [{"type": "text", "text": "only words"}]}, "anthropic"),
    ({"role": "model", "parts": [{"text": "only words"}]}, "gemini"),
    ({"parts": [{"function_call": {"name": "a"}}]}, "gemini"),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}}, "mcp"),
    ({"name": "a", "arguments": {}}, "mcp"),
    ({"function_call": {"name": "a", "args": {}}}, "gemini"),
    ({"content": None, "function_call": {"name": "a", "arguments": "{}"}}, "openai"),
    ({"role": "assistant", "content": "only words", "function_call": None}, "openai"),
    ([{"type": "custom_tool_call", "call_id": "1", "input": ""}], "openai_responses"),
    ([{"type": "custom", "id": "1", "custom": {"name": "a"}}], "openai"),
    ([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}}], "mcp"),
]


@pytest.mark.parametrize("name", OF_FILES)
def test_the_shape_of_a_provider_s_message_is_recognised(name: str) -> None:
    message = json.loads((TRANSCRIPTS / f"{name}.json").read_text())

    assert recognised(message) == OF_FILES[name]


@pytest.mark.parametrize(("message", "name"), PARTS)
def test_parts_of_messages_are_recognised_too(message: Any, name: str) -> None:
    assert recognised(message) == name


@pytest.mark.parametrize("message", [None, 1, "text", [], {}, {"content": 1}, [1], [None]])
def test_what_has_no_shape_needs_a_format_that_is_named(message: Any) -> None:
    with pytest.raises(UsageError, match="--format"):
        format_of(message, None)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_named(name: str) -> None:
    assert callable(format_of({}, name).results)


def test_an_unknown_format_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'gemini'"):
        format_of({}, "gemny")

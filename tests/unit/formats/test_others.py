"""No format loses a call that a message visibly holds."""

from importlib import import_module
from typing import Any

import pytest
from pegboard.errors import MessageError
from pegboard.formats import SHAPES

FUNCTION = {"name": "t", "arguments": "{}"}
MESSAGES: dict[str, tuple[str, Any]] = {
    "a message of anthropic": (
        "anthropic",
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "t"}]},
    ),
    "a message of pi": (
        "pi",
        {"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "t"}]},
    ),
    "a message of openai": (
        "openai",
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": FUNCTION}]},
    ),
    "a completion of openai": (
        "openai",
        {"choices": [{"message": {"content": None, "tool_calls": [{"id": "1"}]}}]},
    ),
    "an old message of openai": (
        "",
        {"role": "assistant", "content": None, "function_call": FUNCTION},
    ),
    "a custom call of openai": (
        "",
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "custom"}]},
    ),
    "a response of openai": (
        "openai_responses",
        {"output": [{"type": "function_call", "call_id": "1", **FUNCTION}]},
    ),
    "a custom call of a response": (
        "",
        {"output": [{"type": "custom_tool_call", "call_id": "1", "name": "t", "input": ""}]},
    ),
    "a content of gemini": ("gemini", {"parts": [{"functionCall": {"name": "t"}}]}),
    "a response of gemini": (
        "gemini",
        {"candidates": [{"content": {"parts": [{"function_call": {"name": "t"}}]}}]},
    ),
    "a request of mcp": ("mcp", {"method": "tools/call", "params": {"name": "t"}}),
}


@pytest.mark.parametrize("is_listed", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("what", MESSAGES)
def test_no_format_reads_a_message_with_a_call_of_another_as_one_without(
    what: str, shape: str, *, is_listed: bool
) -> None:
    own, sent = MESSAGES[what]
    if own == shape:
        return

    with pytest.raises(MessageError):
        import_module(f"pegboard.formats.{shape}").calls([sent] if is_listed else sent)


@pytest.mark.parametrize("shape", ["anthropic", "gemini", "openai_responses", "pi"])
def test_a_call_that_stands_where_none_is_read_is_said(shape: str) -> None:
    sent = next(sent for own, sent in MESSAGES.values() if own == shape)

    with pytest.raises(MessageError, match=r"message\[0\].* is a call where none is read"):
        import_module(f"pegboard.formats.{shape}").calls([sent])


def test_a_call_of_another_shape_beside_an_own_one_is_said() -> None:
    blocks = [{"type": "tool_use", "id": "1", "name": "t"}, {"type": "toolCall", "id": "2"}]

    with pytest.raises(MessageError, match=r"content\[1\] is a call in the shape of pi"):
        import_module("pegboard.formats.anthropic").calls({"content": blocks})


def test_a_message_that_holds_itself_is_read_to_an_end() -> None:
    sent: dict[str, Any] = {"role": "assistant", "content": []}
    sent["content"].append(sent)

    assert import_module("pegboard.formats.anthropic").calls(sent) == []

"""Whose message it is, seen from its shape."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from pegboard import UnknownNameError
from pegboard.cli.mistakes import UsageError
from pegboard.values import JSON

FORMATS = ("anthropic", "gemini", "mcp", "openai", "openai_responses", "pi")

_KEYS = {
    "choices": "openai",
    "tool_calls": "openai",
    "candidates": "gemini",
    "parts": "gemini",
    "functionCall": "gemini",
    "output": "openai_responses",
    "method": "mcp",
}
_TYPES = {
    "tool_use": "anthropic",
    "message": "anthropic",
    "toolCall": "pi",
    "function_call": "openai_responses",
    "custom_tool_call": "openai_responses",
    "function": "openai",
    "custom": "openai",
}


def format_of(message: JSON, name: str | None) -> ModuleType:
    """The format that reads a message.

    Args:
        message: the message.
        name: the format that was asked for, or None.

    Raises:
        UnknownNameError: there is no format of that name.
        UsageError: the message has no shape that is known.
    """
    if name is not None and name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    chosen = name or recognised(message)
    if chosen is None:
        raise UsageError(
            f"{_named(message)} has the shape of no provider's message; say whose it is with "
            f"--format: {', '.join(FORMATS)}"
        )
    return import_module(f"pegboard.formats.{chosen}")


def recognised(message: JSON) -> str | None:
    """The name of the format whose shape a message has, or None."""
    if isinstance(message, list):
        return _first(map(recognised, message)) or (_of_blocks(message) if message else None)
    if not isinstance(message, dict):
        return None
    return (
        _first(_KEYS.get(key) for key in message)
        or _of_function_call(message)
        or _of_content(message)
        or _TYPES.get(str(message.get("type")))
        or ("mcp" if {"name", "arguments"} <= message.keys() else None)
    )


def _of_function_call(message: Mapping[str, Any]) -> str | None:
    """Gemini's in its other spelling, or the old call of a completion, whose arguments are text."""
    called = message.get("function_call")
    if not isinstance(called, dict):
        return None
    return "openai" if "arguments" in called else "gemini"


def _of_content(message: Mapping[str, Any]) -> str | None:
    content = message.get("content", ...)
    if isinstance(content, dict):
        return recognised(content)
    if isinstance(content, list):
        return _first(map(recognised, content)) or _of_blocks(content)
    return "openai" if content is not ... and "role" in message else None


def _of_blocks(blocks: list[Any]) -> str | None:
    """The shape of blocks without any call, whose results are none in each format."""
    return (
        "anthropic" if all(isinstance(each, dict) and "type" in each for each in blocks) else None
    )


def _first(names: Iterable[str | None]) -> str | None:
    return next((name for name in names if name is not None), None)


def _named(message: JSON) -> str:
    if isinstance(message, dict):
        return f"an object with the keys {sorted(message)[:6]}"
    return "a list" if isinstance(message, list) else "what is no object"

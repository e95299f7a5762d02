"""Calls that a message holds and its reader doesn't take: said, never dropped."""

from collections.abc import Iterator
from typing import Any

from pegboard.errors import MessageError
from pegboard.formats._message import plain
from pegboard.outcomes import ToolCall
from pegboard.values import JSON

_HOLDERS = ("candidates", "choices", "content", "message", "output", "parts")
_TYPES = {
    "tool_use": "anthropic",
    "function_call": "openai_responses",
    "custom_tool_call": "openai_responses",
    "toolCall": "pi",
}
_DEEPEST = 8


def all_of(found: list[ToolCall], message: JSON, shape: str) -> list[ToolCall]:
    """The calls that were read, where they are all that the message holds.

    Raises:
        MessageError: it holds others; names the first of them and whose shape it has.
    """
    for where, owner in _visible(message):
        if owner != shape:
            raise MessageError(f"{where} is a call in the shape of {owner}, not of {shape}")
        if not found:
            raise MessageError(
                f"{where} is a call where none is read; give one message or its part"
            )
    return found


def _visible(message: JSON) -> Iterator[tuple[str, str]]:
    """Where each call stands, whatever its shape, and whose shape that is."""
    level: list[tuple[str, Any]] = [("message", plain(message))]
    for _ in range(_DEEPEST):
        for where, node in level:
            owner = _owner(node) if isinstance(node, dict) else None
            if owner is not None:
                yield where, owner
        level = [inner for where, node in level for inner in _inside(where, node)]


def _inside(where: str, node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, (list, tuple)):
        yield from ((f"{where}[{index}]", plain(each)) for index, each in enumerate(node))
    elif isinstance(node, dict):
        yield from ((f"{where}.{key}", plain(node[key])) for key in _HOLDERS if key in node)


def _owner(node: dict[Any, Any]) -> str | None:
    kind, old = node.get("type"), plain(node.get("function_call"))
    if isinstance(kind, str) and kind in _TYPES:
        return _TYPES[kind]
    if isinstance(node.get("tool_calls"), (list, tuple)) and node["tool_calls"]:
        return "openai"
    if kind in ("custom", "function") and isinstance(plain(node.get(kind)), dict):
        return "openai"
    if isinstance(old, dict):
        return "openai" if "arguments" in old else "gemini"
    if isinstance(plain(node.get("functionCall")), dict):
        return "gemini"
    return "mcp" if node.get("method") == "tools/call" else None

"""OpenAI's chat completions: function tools, `tool_calls` and messages of the role `tool`."""

from collections.abc import Iterable
from typing import Any

from pegboard.errors import MessageError
from pegboard.formats._board import Board, Loss
from pegboard.formats._content import all_in_words, content_of, contexts_of
from pegboard.formats._message import items, kind, member, plain, text, the_only, unreadable
from pegboard.formats._openai import LOOSE, STRICT
from pegboard.formats._others import all_of
from pegboard.formats._present import Presented, as_the_tool_takes_them, losses_of, presented
from pegboard.outcomes import Outcome, ToolCall
from pegboard.values import JSON

_KEYS = frozenset({"content", "function_call", "role", "tool_calls"})
_RESULTS = (
    "images, audio and the bytes of resources: a text says what was left out",
    "whether a call failed: only the text says so",
)


def definitions(board: Board, *, strict: bool = False) -> list[dict[str, JSON]]:
    """The board's tools as entries of the request's `tools`.

    Args:
        board: whose tools.
        strict: ask for strict mode where a tool's schema allows it.
    """
    tools = presented(board, STRICT if strict else LOOSE)
    return [
        {"type": "function", "function": _function(each)}
        for each in tools
        if each.shown.schema is not None
    ]


def calls(message: Any, board: Board | None = None, *, strict: bool = False) -> list[ToolCall]:
    """The calls of a completion, of one message, or of its `tool_calls`.

    Args:
        message: a dict or list, or objects that can dump themselves.
        board: whose definitions the model was shown; what their shape had changed is changed back.
        strict: whether these were strict.

    Raises:
        MessageError: it can't be read; says what is missing.
    """
    sent = plain(message)
    found = all_of(_calls(sent), sent, "openai")
    return as_the_tool_takes_them(found, board, STRICT if strict else LOOSE)


def results(outcomes: Iterable[Outcome]) -> list[dict[str, JSON]]:
    """A message of the role `tool` for each outcome, then one of the user for each context."""
    taken = list(outcomes)
    contexts = [{"role": "user", "content": each} for each in contexts_of(taken)]
    return [*map(_result, taken), *contexts]


def losses(board: Board, *, strict: bool = False) -> tuple[Loss, ...]:
    """What this shape can't say of the board's tools."""
    tools = presented(board, STRICT if strict else LOOSE)
    return losses_of(tools, says=frozenset(), results=_RESULTS)


def _function(tool: Presented) -> dict[str, JSON]:
    found: dict[str, JSON] = {"name": tool.definition.name}
    if tool.definition.description:
        found["description"] = tool.definition.description
    found["parameters"] = tool.shown.schema
    if tool.shown.is_strict:
        found["strict"] = True
    return found


def _calls(message: JSON) -> list[ToolCall]:
    if isinstance(message, (list, tuple)):
        return _listed(message, "tool_calls")
    if isinstance(message, dict) and "choices" in message:
        choices = items(plain(message["choices"]), what="choices")
        return the_only([_chosen(each, where) for where, each in choices], what="choices")
    if isinstance(message, dict) and message.keys() & _KEYS:
        return _of_message(message, "")
    raise unreadable(message, expected="'choices', a message with 'tool_calls', or their list")


def _chosen(choice: dict[str, Any], where: str) -> list[ToolCall]:
    message = member(choice, "message")
    if not isinstance(message, dict):
        raise MessageError(f"{where} has no 'message'")
    return _of_message(message, f"{where}.message.")


def _of_message(message: dict[str, Any], where: str) -> list[ToolCall]:
    found, content = member(message, "tool_calls"), member(message, "content")
    if content is not None and not isinstance(content, (str, list, tuple)):
        raise MessageError(f"{where}content is {kind(content)} where a text or a list is expected")
    if not found and member(message, "function_call") is not None:
        raise MessageError(
            f"{where}function_call is the old form of a call and has no id; "
            "offer the definitions as 'tools', not as 'functions'"
        )
    return _listed(found or [], f"{where}tool_calls")


def _listed(found: JSON, where: str) -> list[ToolCall]:
    return [_call(each, place) for place, each in items(found, what=where)]


def _call(call: dict[str, Any], where: str) -> ToolCall:
    if call.get("type") not in (None, "function"):
        raise MessageError(
            f"{where} with the id {call.get('id')!r} is of the type {call['type']!r}; "
            "only 'function' can be answered"
        )
    function = member(call, "function")
    if not isinstance(function, dict):
        raise MessageError(f"{where} has no 'function'")
    return ToolCall(
        id=text(call, "id", where=where),
        name=text(function, "name", where=f"{where}.function"),
        arguments=plain(function.get("arguments")),
    )


def _result(outcome: Outcome) -> dict[str, JSON]:
    return {
        "role": "tool",
        "tool_call_id": outcome.call_id,
        "content": all_in_words(content_of(outcome)),
    }

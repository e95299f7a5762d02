"""Gemini's contents: function declarations, `functionCall` parts and `functionResponse` parts."""

import re
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from pegboard.errors import MessageError
from pegboard.formats._board import Board, Loss
from pegboard.formats._content import content_of, contexts_of, in_words, label
from pegboard.formats._message import items, member, plain, text, the_only, unreadable
from pegboard.formats._others import all_of
from pegboard.formats._present import Presented, as_the_tool_takes_them, losses_of, presented
from pegboard.formats._schema import words
from pegboard.formats._shape import Shape
from pegboard.outcomes import Outcome, ToolCall
from pegboard.values import JSON, Content, Image, Resource

_SHAPE = Shape(
    keywords=words(
        "$ref additionalProperties anyOf default description enum format items maxItems maxLength "
        "maxProperties maximum minItems minLength minProperties minimum pattern properties "
        "required title type"
    ),
    property_name=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}"),
    formats=frozenset({"date", "date-time", "time"}),
    lists_text_only=True,
    has_const=False,
    follows_everything=False,
)
_SHOWN = frozenset({"application/pdf", "image/jpeg", "image/png", "image/webp"})
_GIVEN = "pegboard-"
_RESULTS = (
    "audio, and images other than JPEG, PNG and WebP: a text says what was left out",
    "resources: their text, or an image or PDF; for other bytes a text says what was left out",
)


def definitions(board: Board) -> list[dict[str, JSON]]:
    """The board's tools as function declarations, for one entry of the request's `tools`.

    Arguments are in `parametersJsonSchema`, in the keywords that Gemini reads.
    """
    tools = presented(board, _SHAPE)
    return [_definition(each, each.shown.schema) for each in tools if each.shown.schema]


def calls(message: Any, board: Board | None = None) -> list[ToolCall]:
    """The calls of a response, of a content, of its parts, or of one part.

    A call without an id gets one of its own, which `results` leaves out again.

    Args:
        message: a dict or list, or objects that can dump themselves; keys in either spelling.
        board: whose definitions the model was shown; what their shape had changed is changed back.

    Raises:
        MessageError: it can't be read; says what is missing.
    """
    sent = plain(message)
    return as_the_tool_takes_them(all_of(_calls(sent), sent, "gemini"), board, _SHAPE)


def results(outcomes: Iterable[Outcome]) -> list[dict[str, JSON]]:
    """One content with a response for every outcome, in order, then one with the contexts."""
    taken = list(outcomes)
    responses = [{"functionResponse": _response(each)} for each in taken]
    contexts = [{"text": each} for each in contexts_of(taken)]
    return [{"role": "user", "parts": parts} for parts in (responses, contexts) if parts]


def losses(board: Board) -> tuple[Loss, ...]:
    """What this shape can't say of the board's tools."""
    return losses_of(presented(board, _SHAPE), says=frozenset(), results=_RESULTS)


def _definition(tool: Presented, schema: dict[str, JSON]) -> dict[str, JSON]:
    found: dict[str, JSON] = {"name": tool.definition.name}
    if tool.definition.description:
        found["description"] = tool.definition.description
    if schema.get("properties") or schema.get("additionalProperties"):
        found["parametersJsonSchema"] = schema
    return found


def _calls(message: JSON) -> list[ToolCall]:
    if isinstance(message, (list, tuple)):
        return _of_parts(message, "parts")
    if isinstance(message, dict) and "candidates" in message:
        listed = items(member(message, "candidates") or [], what="candidates")
        return the_only([_of_candidate(each, where) for where, each in listed], what="candidates")
    if isinstance(message, dict) and "parts" in message:
        return _of_parts(member(message, "parts") or [], "parts")
    if isinstance(message, dict) and message.keys() & {"functionCall", "function_call", "text"}:
        return _of_parts([message], "parts")
    raise unreadable(message, expected="'candidates', a content with 'parts', their list, or one")


def _of_candidate(candidate: dict[str, Any], where: str) -> list[ToolCall]:
    content = member(candidate, "content") or {}
    if not isinstance(content, dict):
        raise MessageError(f"{where}: 'content' isn't an object")
    return _of_parts(member(content, "parts") or [], f"{where}.content.parts")


def _of_parts(parts: JSON, where: str) -> list[ToolCall]:
    return list(_each_call(parts, where))


def _each_call(parts: JSON, where: str) -> Iterator[ToolCall]:
    for place, part in items(parts, what=where):
        call = member(part, "functionCall", "function_call")
        if call is None:
            continue
        if not isinstance(call, dict):
            raise MessageError(f"{place}: 'functionCall' isn't an object")
        for key in ("arguments", "partialArgs", "partial_args"):
            if call.get(key) is not None:
                raise MessageError(f"{place}.functionCall has {key!r} where 'args' is expected")
        name = text(call, "name", where=f"{place}.functionCall")
        own = text(call, "id", where=f"{place}.functionCall") if call.get("id") else _new_id()
        yield ToolCall(id=own, name=name, arguments=member(call, "args"))


def _new_id() -> str:
    return f"{_GIVEN}{uuid.uuid4().hex}"


def _response(outcome: Outcome) -> dict[str, JSON]:
    blocks = content_of(outcome)
    found: dict[str, JSON] = {"name": outcome.tool}
    if not outcome.call_id.startswith(_GIVEN):
        found = {"id": outcome.call_id, **found}
    said = [_words(each) for each in blocks if not (isinstance(each, Image) and _part(each))]
    found["response"] = {"error" if outcome.is_error else "output": "\n".join(said)}
    parts = [part for each in blocks if (part := _part(each))]
    return {**found, "parts": parts} if parts else found


def _words(block: Content) -> str:
    return label(block) if isinstance(block, Resource) and _part(block) else in_words(block)


def _part(block: Content) -> dict[str, JSON] | None:
    """The part that shows a block's bytes, or None where no part can."""
    match block:
        case Image(mime_type=kind, data=data) if kind in _SHOWN:
            return {"inlineData": {"mimeType": kind, "data": data}}
        case Resource(mime_type=kind, data=str(data)) if kind in _SHOWN and not block.text:
            return {"inlineData": {"mimeType": kind, "data": data}}
        case _:
            return None

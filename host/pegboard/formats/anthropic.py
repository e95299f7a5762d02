"""Anthropic's messages: tools, `tool_use` blocks and `tool_result` blocks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pegboard.errors import MessageError
from pegboard.formats._board import Board, Finding, Loss
from pegboard.formats._content import IMAGES, content_of, contexts_of, in_words, label
from pegboard.formats._message import content_blocks, plain, text
from pegboard.formats._others import all_of
from pegboard.formats._present import Presented, as_the_tool_takes_them, losses_of, presented
from pegboard.formats._schema import levels, words
from pegboard.formats._shape import Shape, Strictness
from pegboard.formats._show import show
from pegboard.outcomes import Failure, Outcome, ToolCall
from pegboard.values import JSON, Content, Image, Resource

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SHAPE = Shape(
    not_at_root=frozenset({"allOf", "anyOf", "oneOf"}),
    property_name=_NAME,
)
_STRICT = Shape(
    keywords=words(
        "$ref additionalProperties anyOf const description enum format items minItems properties "
        "required title type"
    ),
    property_name=_NAME,
    formats=words("date date-time duration email hostname ipv4 ipv6 time uri uuid"),
    types_of_values=False,
    few_items=True,
    strictness=Strictness(requires_all=False, allows_recursion=False),
    relaxed=_SHAPE,
)
_MOST_STRICT = {"strict tools": 20, "optional arguments": 24, "unions": 16}
_SAYS = frozenset({"defer_loading"})
_RESULTS = (
    "audio, and images other than GIF, JPEG, PNG and WebP: a text says what was left out",
    "images of a failed call: a text says what was left out",
    "resources: their text, or an image or PDF; for other bytes a text says what was left out",
)


def definitions(
    board: Board, *, strict: bool = False, deferred: bool = False, referenced: bool = False
) -> list[dict[str, JSON]]:
    """The board's tools as entries of the request's `tools`.

    Args:
        board: whose tools.
        strict: ask for strict mode where a tool's schema and the limits of a request allow it.
        deferred: also those that wait to be found, marked for the provider's own search.
        referenced: the same, and those that were found keep their mark, for results that refer to
            them: what is found changes nothing of the list.
    """
    found = _presented(board, strict=strict, deferred=deferred, referenced=referenced)
    return [_definition(each) for each in found if each.shown.schema]


def calls(message: Any, board: Board | None = None, *, strict: bool = False) -> list[ToolCall]:
    """The calls of a response, of its content, or of one block.

    Args:
        message: a dict or list, or objects that can dump themselves.
        board: whose definitions the model was shown; what their shape had changed is changed back.
        strict: whether these were strict.

    Raises:
        MessageError: it can't be read; says what is missing.
    """
    sent = plain(message)
    found = all_of([_call(each, where) for where, each in _blocks(sent)], sent, "anthropic")
    return as_the_tool_takes_them(found, board, _STRICT if strict else _SHAPE)


def results(outcomes: Iterable[Outcome], *, board: Finding | None = None) -> list[dict[str, JSON]]:
    """One user message with every result in order, then the contexts; none without outcomes.

    Args:
        outcomes: how the calls of one message ended.
        board: refer to the tools that its search has found rather than tell of them, for a model
            that was given `definitions(board, referenced=True)`; what is gone isn't referred to.
    """
    taken = list(outcomes)
    if not taken:
        return []
    contexts = [_text(each) for each in contexts_of(taken) if each.strip()]
    found = [[] for _ in taken] if board is None else _references(board, taken)
    return [{"role": "user", "content": [*map(_result, taken, found), *contexts]}]


def losses(board: Board, *, strict: bool = False) -> tuple[Loss, ...]:
    """What this shape can't say of the board's tools."""
    return losses_of(_presented(board, strict=strict), says=_SAYS, results=_RESULTS)


def _presented(
    board: Board, *, strict: bool, deferred: bool = False, referenced: bool = False
) -> list[Presented]:
    shape = _STRICT if strict else _SHAPE
    found = presented(board, shape, with_deferred=deferred, keeps_marks=referenced)
    return _within_limits(found) if strict else found


def _within_limits(tools: Sequence[Presented]) -> list[Presented]:
    """The same, with strict mode for as many of the first tools as one request may have."""
    left, found = dict(_MOST_STRICT), []
    for each in tools:
        needed = _needed(each.shown.schema or {})
        over = [what for what, number in needed.items() if number > left[what]]
        if each.shown.is_strict and over:
            found.append(each.relaxed(_STRICT, f"more {over[0]} than one request may have"))
            continue
        if each.shown.is_strict:
            left = {what: number - needed[what] for what, number in left.items()}
        found.append(each)
    return found


def _needed(schema: dict[str, JSON]) -> dict[str, int]:
    nodes = [node for level in levels(schema) for node in level]
    declared = sum(len(node.get("properties", ())) for node in nodes)
    required = sum(len(node.get("required", ())) for node in nodes)
    unions = sum("anyOf" in node for node in nodes)
    return {"strict tools": 1, "optional arguments": declared - required, "unions": unions}


def _definition(tool: Presented) -> dict[str, JSON]:
    found: dict[str, JSON] = {"name": tool.definition.name}
    if tool.definition.description:
        found["description"] = tool.definition.description
    found["input_schema"] = tool.shown.schema
    if tool.shown.is_strict:
        found["strict"] = True
    if tool.definition.defer_loading:
        found["defer_loading"] = True
    return found


def _blocks(message: JSON) -> Iterator[tuple[str, dict[str, Any]]]:
    role = message.get("role") if isinstance(message, dict) else None
    for where, block in content_blocks(message):
        if block.get("type") == "tool_use":
            if role not in (None, "assistant"):
                raise MessageError(f"{where} is a call in a message of the role {role!r}")
            yield where, block


def _call(block: dict[str, Any], where: str) -> ToolCall:
    return ToolCall(
        id=text(block, "id", where=where),
        name=text(block, "name", where=where),
        arguments=plain(block.get("input")),
    )


def _references(board: Finding, outcomes: Sequence[Outcome]) -> list[list[dict[str, JSON]]]:
    """For each outcome, references to the tools that it tells of and that a request can hold."""
    named = [board.found_by(each) for each in outcomes]
    wanted = {name for names in named for name in names}
    shown = {
        each.name
        for each in (board.findable if wanted else ())
        if each.name in wanted and show(each.parameters, _SHAPE).schema
    }
    return [
        [{"type": "tool_reference", "tool_name": each} for each in names if each in shown]
        for names in named
    ]


def _result(outcome: Outcome, references: list[dict[str, JSON]]) -> dict[str, JSON]:
    shown = references or [part for block in content_of(outcome) for part in _parts(block, outcome)]
    if isinstance(outcome, Failure) and not shown:
        shown = [_text(outcome.message)]
    return {
        "type": "tool_result",
        "tool_use_id": outcome.call_id,
        "content": shown,
        "is_error": outcome.is_error,
    }


def _parts(block: Content, outcome: Outcome) -> list[dict[str, JSON]]:
    if not outcome.is_error:
        match block:
            case Image(mime_type=kind, data=data) if kind in IMAGES:
                return [_bytes("image", kind, data)]
            case Resource(mime_type=kind, data=str(data)) if kind in IMAGES and not block.text:
                return [_text(label(block)), _bytes("image", kind, data)]
            case Resource(mime_type="application/pdf" as kind, data=str(data)) if not block.text:
                return [_text(label(block)), _bytes("document", kind, data)]
            case _:
                pass
    words = in_words(block)
    return [_text(words if words.strip() else "[blank text]")] if words else []


def _text(words: str) -> dict[str, JSON]:
    return {"type": "text", "text": words}


def _bytes(kind: str, mime_type: str | None, data: str) -> dict[str, JSON]:
    return {"type": kind, "source": {"type": "base64", "media_type": mime_type, "data": data}}

"""OpenAI's responses: function tools, `function_call` items and `function_call_output` items."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pegboard.errors import MessageError
from pegboard.formats._board import Board, Loss
from pegboard.formats._content import IMAGES, content_of, contexts_of, in_words, label
from pegboard.formats._message import items, member, plain, text, unreadable
from pegboard.formats._openai import LOOSE, STRICT
from pegboard.formats._others import all_of
from pegboard.formats._present import Presented, as_the_tool_takes_them, losses_of, presented
from pegboard.formats._schema import words
from pegboard.outcomes import Outcome, ToolCall
from pegboard.values import JSON, Content, Image, Resource, Text

_SAYS = frozenset({"defer_loading"})
_UNANSWERED = words("apply_patch_call computer_call custom_tool_call local_shell_call shell_call")
_RESULTS = (
    "audio, and images other than GIF, JPEG, PNG and WebP: a text says what was left out",
    "resources: their text, or an image or PDF; for other bytes a text says what was left out",
    "whether a call failed: only the text says so",
)


def definitions(
    board: Board, *, strict: bool = False, deferred: bool = False
) -> list[dict[str, JSON]]:
    """The board's tools as entries of the request's `tools`.

    Args:
        board: whose tools.
        strict: ask for strict mode where a tool's schema allows it.
        deferred: also those that wait to be found, marked for the provider's own search.
    """
    tools = presented(board, STRICT if strict else LOOSE, with_deferred=deferred)
    return [_definition(each) for each in tools if each.shown.schema is not None]


def calls(message: Any, board: Board | None = None, *, strict: bool = False) -> list[ToolCall]:
    """The calls of a response, of its `output`, or of one item.

    Args:
        message: a dict or list, or objects that can dump themselves.
        board: whose definitions the model was shown; what their shape had changed is changed back.
        strict: whether these were strict.

    Raises:
        MessageError: it can't be read; says what is missing.
    """
    sent = plain(message)
    found = all_of(list(_calls(_output(sent))), sent, "openai_responses")
    return as_the_tool_takes_them(found, board, STRICT if strict else LOOSE)


def results(outcomes: Iterable[Outcome]) -> list[dict[str, JSON]]:
    """A `function_call_output` item for each outcome, then a user's message for each context."""
    taken = list(outcomes)
    return [*map(_result, taken), *map(_context, contexts_of(taken))]


def losses(board: Board, *, strict: bool = False) -> tuple[Loss, ...]:
    """What this shape can't say of the board's tools."""
    tools = presented(board, STRICT if strict else LOOSE)
    return losses_of(tools, says=_SAYS, results=_RESULTS)


def _definition(tool: Presented) -> dict[str, JSON]:
    found: dict[str, JSON] = {"type": "function", "name": tool.definition.name}
    if tool.definition.description:
        found["description"] = tool.definition.description
    found |= {"parameters": tool.shown.schema, "strict": tool.shown.is_strict}
    if tool.definition.defer_loading:
        found["defer_loading"] = True
    return found


def _output(message: JSON) -> JSON:
    if isinstance(message, (list, tuple)):
        return message
    if isinstance(message, dict) and "output" in message and message.get("type") is None:
        return member(message, "output") or []
    if isinstance(message, dict) and "type" in message:
        return [message]
    raise unreadable(message, expected="'output', a list of items, or one item")


def _calls(output: JSON) -> Iterator[ToolCall]:
    listed = list(items(output, what="output"))
    answered = [(each.get("type"), each.get("call_id")) for _, each in listed]
    for where, item in listed:
        kind, own = item.get("type"), item.get("call_id")
        if kind == "function_call":
            yield _call(item, where)
        elif str(kind) in _UNANSWERED and (f"{kind}_output", own) not in answered:
            raise MessageError(
                f"{where} with the call_id {own!r} is a call of the type {kind!r}; "
                "only 'function_call' can be answered"
            )


def _call(item: dict[str, Any], where: str) -> ToolCall:
    if item.get("status") not in (None, "completed"):
        raise MessageError(
            f"{where} with the call_id {item.get('call_id')!r} has the status {item['status']!r}; "
            "only a completed call can be answered"
        )
    return ToolCall(
        id=text(item, "call_id", where=where),
        name=text(item, "name", where=where),
        arguments=plain(item.get("arguments")),
    )


def _result(outcome: Outcome) -> dict[str, JSON]:
    return {
        "type": "function_call_output",
        "call_id": outcome.call_id,
        "output": _shown(content_of(outcome)),
    }


def _shown(blocks: Sequence[Content]) -> JSON:
    match blocks:
        case ():
            return ""
        case (Text(text=words),):
            return words
        case _:
            return [part for block in blocks for part in _parts(block)]


def _parts(block: Content) -> list[dict[str, JSON]]:
    match block:
        case Image(mime_type=kind, data=data) if kind in IMAGES:
            return [_image(kind, data)]
        case Resource(mime_type=str(kind), data=str(data)) if kind in IMAGES and not block.text:
            return [_text(label(block)), _image(kind, data)]
        case Resource(mime_type="application/pdf", data=str(data)) if not block.text:
            name = block.uri.rpartition("/")[2] or "resource.pdf"
            file = f"data:application/pdf;base64,{data}"
            parts = {"type": "input_file", "filename": name, "file_data": file}
            return [_text(label(block)), parts]
        case _:
            return [_text(in_words(block))]


def _text(words: str) -> dict[str, JSON]:
    return {"type": "input_text", "text": words}


def _image(kind: str, data: str) -> dict[str, JSON]:
    url = f"data:{kind};base64,{data}"
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def _context(words: str) -> dict[str, JSON]:
    return {"type": "message", "role": "user", "content": [_text(words)]}

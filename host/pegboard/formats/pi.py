"""The Pi agent's messages: tools, `toolCall` blocks and messages of the role `toolResult`."""

from collections.abc import Iterable, Iterator
from typing import Any

from pegboard.formats._board import Board, Loss
from pegboard.formats._content import content_of, contexts_of, in_words
from pegboard.formats._message import content_blocks, plain, text
from pegboard.formats._others import all_of
from pegboard.formats._present import Presented, as_the_tool_takes_them, losses_of, presented
from pegboard.outcomes import Failure, Outcome, ToolCall
from pegboard.values import JSON, Content, Image

_SAYS = frozenset({"title"})
_RESULTS = ("audio and the bytes of resources: a text says what was left out",)


def definitions(board: Board) -> list[dict[str, JSON]]:
    """The board's tools: name, description and parameters; the title, if there is one, as label."""
    return [_definition(each) for each in presented(board) if each.shown.schema is not None]


def calls(message: Any, board: Board | None = None) -> list[ToolCall]:
    """The calls of an assistant's message, of its content, or of one block.

    Args:
        message: a dict or list, or objects that can dump themselves.
        board: whose definitions the model was shown; this shape changes nothing of them.

    Raises:
        MessageError: it can't be read; says what is missing.
    """
    sent = plain(message)
    found = all_of([_call(each, where) for where, each in _blocks(sent)], sent, "pi")
    return as_the_tool_takes_them(found, board)


def results(outcomes: Iterable[Outcome]) -> list[dict[str, JSON]]:
    """A message of the role `toolResult` for each outcome, then a user's for each context."""
    taken = list(outcomes)
    contexts = [{"role": "user", "content": [_text(each)]} for each in contexts_of(taken)]
    return [*map(_result, taken), *contexts]


def losses(board: Board) -> tuple[Loss, ...]:
    """What this shape can't say of the board's tools."""
    return losses_of(presented(board), says=_SAYS, results=_RESULTS)


def _definition(tool: Presented) -> dict[str, JSON]:
    found: dict[str, JSON] = {"name": tool.definition.name}
    if tool.tool is not None and tool.tool.title is not None:
        found["label"] = tool.tool.title
    return {**found, "description": tool.definition.description, "parameters": tool.shown.schema}


def _blocks(message: JSON) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, block in content_blocks(message):
        if block.get("type") == "toolCall":
            yield where, block


def _call(block: dict[str, Any], where: str) -> ToolCall:
    return ToolCall(
        id=text(block, "id", where=where),
        name=text(block, "name", where=where),
        arguments=plain(block.get("arguments")),
    )


def _result(outcome: Outcome) -> dict[str, JSON]:
    details = _details(outcome)
    return {
        "role": "toolResult",
        "toolCallId": outcome.call_id,
        "toolName": outcome.tool,
        "content": [_block(each) for each in content_of(outcome)],
        "isError": outcome.is_error,
        **({} if details is None else {"details": details}),
    }


def _details(outcome: Outcome) -> JSON:
    if not isinstance(outcome, Failure):
        return outcome.meta
    own = outcome.details
    if isinstance(own, dict) and "error" not in own:
        return {"error": outcome.message, **own}
    return {"error": outcome.message, **({} if own is None else {"details": own})}


def _block(block: Content) -> dict[str, JSON]:
    if isinstance(block, Image):
        return {"type": "image", "data": block.data, "mimeType": block.mime_type}
    return _text(in_words(block))


def _text(words: str) -> dict[str, JSON]:
    return {"type": "text", "text": words}

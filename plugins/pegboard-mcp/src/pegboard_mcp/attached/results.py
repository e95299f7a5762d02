"""What a server answers to a call, as a value and content."""

import json
from collections.abc import Iterator
from typing import Any

import attrs
from pegboard import Audio, Content, Image, Resource, Text, ToolError, ToolResult

from pegboard_mcp.attached.masks import Masks

Result = dict[str, Any]
_OF_PROTOCOL = "io.modelcontextprotocol/"


class NoStructuredContent:
    """Stands for the value that a server promises by an output schema and doesn't give."""

    __module__ = "builtins"  # a model reads the name, and has no use for where it is


@attrs.frozen
class Answers:
    """Reads the answers of one server.

    Attributes:
        masks: takes what must not show out of failures.
    """

    masks: Masks

    def read(self, result: Result, *, promises_output: bool) -> ToolResult:
        """What a call has given.

        Args:
            result: the server's own result of `tools/call`.
            promises_output: whether the tool has an output schema.

        Raises:
            ToolError: the server says that the call failed, or answers in a way that isn't known.
        """
        if result.get("resultType", "complete") != "complete":
            kind = self.masks.hide(str(result["resultType"]))[:40]
            raise ToolError(
                f"the server answered with a result of kind {kind!r}, which isn't known"
            )
        blocks = tuple(_blocks(result.get("content")))
        if result.get("isError") is True:
            raise self._failure(blocks)
        if promises_output:
            return _result(result.get("structuredContent", NoStructuredContent()), blocks, result)
        if len(blocks) == 1 and isinstance(blocks[0], Text):
            return _result(blocks[0].text, blocks, result)
        if "structuredContent" in result:
            return _result(result["structuredContent"], blocks, result)
        return _result(result.get("content") or [], blocks, result)

    def _failure(self, blocks: tuple[Content, ...]) -> ToolError:
        shown = tuple(map(self._masked, blocks))
        text = "\n".join(each.text for each in shown if isinstance(each, Text)).strip()
        return ToolError(text or "the server says that the call failed", content=shown or None)

    def _masked(self, block: Content) -> Content:
        match block:
            case Text(text=text):
                return Text(self.masks.hide(text))
            case Resource(uri=uri, text=str(text)):
                return attrs.evolve(block, uri=self.masks.hide(uri), text=self.masks.hide(text))
            case Resource(uri=uri):
                return attrs.evolve(block, uri=self.masks.hide(uri))
            case _:
                return block


def _result(value: Any, blocks: tuple[Content, ...], result: Result) -> ToolResult:
    structured = result.get("structuredContent")
    rest = {} if structured is None or structured is value else {"structuredContent": structured}
    if meta := _meta(result.get("_meta")):
        rest["_meta"] = meta
    return ToolResult(value=value, content=blocks or None, meta=rest or None)


def _meta(meta: Any) -> dict[str, Any]:
    """What the server itself has added; what the protocol adds to every result isn't."""
    if not isinstance(meta, dict):
        return {}
    return {key: each for key, each in meta.items() if not key.startswith(_OF_PROTOCOL)}


def _blocks(content: Any) -> Iterator[Content]:
    for each in content if isinstance(content, list) else []:
        yield _block(each)


def _block(block: Any) -> Content:
    """A block of content; what has another form than it should is shown as text."""
    match block:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "image", "data": str(data), "mimeType": str(mime_type)}:
            return Image(data, mime_type)
        case {"type": "audio", "data": str(data), "mimeType": str(mime_type)}:
            return Audio(data, mime_type)
        case {"type": "resource", "resource": {"uri": str(uri)} as resource}:
            return Resource(
                uri,
                mime_type=_text_or_none(resource, "mimeType"),
                text=_text_or_none(resource, "text"),
                data=_text_or_none(resource, "blob"),
            )
        case {"type": "resource_link", "uri": str(uri)}:
            return Resource(uri, mime_type=_text_or_none(block, "mimeType"))
        case _:
            return Text(json.dumps(block, ensure_ascii=False))


def _text_or_none(fields: dict[str, Any], key: str) -> str | None:
    found = fields.get(key)
    return found if isinstance(found, str) else None

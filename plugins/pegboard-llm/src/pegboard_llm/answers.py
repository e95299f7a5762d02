"""What an llm tool gives, as pegboard takes it."""

import json
from pathlib import Path
from typing import Any

import llm
from pegboard import JSON, Audio, Content, Image, Resource, Text, ToolResult

_UNKNOWN = "application/octet-stream"


def answer_of(result: Any) -> Any:
    """The result of a tool: text as it is, else as llm writes it for a model, decoded again.

    What annotations say isn't believed. What comes with attachments is a `ToolResult`.
    """
    if not isinstance(result, llm.ToolOutput):
        return _json(result)
    value = _json(result.output)
    if not result.attachments:
        return value
    blocks = [_block(each) for each in result.attachments]
    return ToolResult(value, content=[*_text(value), *blocks])


def _json(result: Any) -> JSON:
    if isinstance(result, str):
        return str(result)
    try:
        return json.loads(json.dumps(result, default=repr, allow_nan=False))
    except ValueError:
        return json.dumps(result, default=repr)


def _text(value: JSON) -> list[Content]:
    if value is None or value == "":
        return []
    return [Text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))]


def _block(attachment: llm.Attachment) -> Content:
    """One attachment; what only has a URL is named, and not fetched."""
    if attachment.url and not (attachment.path or attachment.content):
        return Resource(attachment.url, mime_type=attachment.type)
    kind = attachment.resolve_type() or _UNKNOWN  # type: ignore[no-untyped-call]
    data = attachment.base64_content()  # type: ignore[no-untyped-call]
    if kind.startswith("image/"):
        return Image(data, kind)
    if kind.startswith("audio/"):
        return Audio(data, kind)
    return Resource(_uri(attachment), mime_type=kind, data=data)


def _uri(attachment: llm.Attachment) -> str:
    if attachment.path:
        return Path(attachment.path).absolute().as_uri()
    return f"urn:sha256:{attachment.id()}"  # type: ignore[no-untyped-call]

"""Results as JSON text."""

import json
import re
from typing import Any

from pegboard import Audio, Content, Failure, Image, Outcome, Resource, Success, Text, ToolCall
from pegboard.cli.streams import Streams
from pegboard.values import JSON

_UNPRINTED = re.compile(r"[^\n -~]")


def print_json(value: Any, streams: Streams) -> None:
    """Print a value as JSON, never wrapped and never cut; on a terminal nothing can steer it."""
    text = json.dumps(value, indent=2, ensure_ascii=not streams.is_unicode)
    if streams.is_terminal:
        text = _UNPRINTED.sub(lambda found: _escaped(found.group()), text)
    streams.result(text)


def _escaped(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def call_json(call: ToolCall) -> JSON:
    """A call as JSON."""
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def outcome_json(outcome: Outcome) -> JSON:
    """An outcome as JSON, all of it."""
    return {
        "call_id": outcome.call_id,
        "tool": outcome.tool,
        "is_error": outcome.is_error,
        **_own_json(outcome),
        "content": [_block(each) for each in outcome.content],
        "contexts": list(outcome.contexts),
        "notes": list(outcome.notes),
    }


def _own_json(outcome: Outcome) -> dict[str, JSON]:
    match outcome:
        case Success(value=value, meta=meta, concludes=concludes):
            return {"value": value, "meta": meta, "concludes": concludes}
        case Failure(code=code, message=message, details=details):
            return {"code": str(code), "message": message, "details": details}


def _block(block: Content) -> JSON:
    match block:
        case Text(text=text):
            return {"type": "text", "text": text}
        case Image(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mime_type": mime_type}
        case Audio(data=data, mime_type=mime_type):
            return {"type": "audio", "data": data, "mime_type": mime_type}
        case Resource(uri=uri, mime_type=mime_type, text=text, data=data):
            return {
                "type": "resource",
                "uri": uri,
                "mime_type": mime_type,
                "text": text,
                "data": data,
            }

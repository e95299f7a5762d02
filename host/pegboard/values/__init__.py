"""Lossless JSON values and content blocks."""

from pegboard.values.codec import decode_text, encode
from pegboard.values.content import (
    Audio,
    Content,
    Image,
    Resource,
    Text,
    check_content,
    check_content_size,
)
from pegboard.values.limits import DEFAULT_LIMITS, Limits
from pegboard.values.snapshot import JSON, Snapshot, read_text

__all__ = [
    "DEFAULT_LIMITS",
    "JSON",
    "Audio",
    "Content",
    "Image",
    "Limits",
    "Resource",
    "Snapshot",
    "Text",
    "check_content",
    "check_content_size",
    "decode_text",
    "encode",
    "read_text",
]

"""What an answer is: a page, text, an image, or something that a model can't read."""

from enum import StrEnum

_PAGES = frozenset(("text/html", "application/xhtml+xml"))
_TEXTS = frozenset(
    f"application/{name}"
    for name in (
        "ecmascript",
        "graphql",
        "javascript",
        "json",
        "jsonl",
        "rtf",
        "sql",
        "toml",
        "x-javascript",
        "x-ndjson",
        "x-sh",
        "x-yaml",
        "xml",
        "xml-dtd",
        "yaml",
    )
)
_SUFFIXES = ("+json", "+xml", "+yaml")
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_WEBP = "image/webp"
_IMAGES = frozenset((*dict(_SIGNATURES).values(), _WEBP))
_SNIFFED = 1024


class Kind(StrEnum):
    """What an answer is, by its media type."""

    PAGE = "page"
    TEXT = "text"
    IMAGE = "image"
    UNNAMED = "unnamed"
    OTHER = "other"


def media_type_of(content_type: str) -> str:
    """The media type that a header says, in small letters, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def kind_of(media_type: str) -> Kind:
    """What an answer of a media type is."""
    if not media_type:
        return Kind.UNNAMED
    if media_type in _PAGES:
        return Kind.PAGE
    if media_type in _IMAGES:
        return Kind.IMAGE
    is_text = media_type.startswith("text/") or media_type.endswith(_SUFFIXES)
    return Kind.TEXT if is_text or media_type in _TEXTS else Kind.OTHER


def guess(data: bytes) -> Kind:
    """What an answer without a media type is, by how it begins."""
    start = data[:_SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return Kind.PAGE
    return Kind.OTHER if b"\0" in start else Kind.TEXT


def image_type(data: bytes) -> str | None:
    """The media type of an image, by how it begins; None where it is none of those known."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _WEBP
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)

"""What an answer is: a page, text, an image, or something that a model can't read."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from enum import StrEnum

import httpx2

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
_FILES = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"\xd0\xcf\x11\xe0", b"7z\xbc\xaf")
"""How files begin that are no text, whatever a server calls them."""

_NO_TYPES = frozenset(
    ("application/octet-stream", "application/unknown", "binary/octet-stream", "unknown/unknown")
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


def content_type_of(headers: httpx2.Headers) -> str:
    """What a server says an answer is; the last word, if it says it more than once."""
    return next(reversed(headers.get_list("content-type")), "")


def media_type_of(content_type: str) -> str:
    """The media type that a header says, in small letters, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def kind_of(media_type: str) -> Kind:
    """What an answer of a media type is."""
    if "/" not in media_type or media_type in _NO_TYPES:
        return Kind.UNNAMED
    if media_type in _PAGES:
        return Kind.PAGE
    if media_type in _IMAGES:
        return Kind.IMAGE
    is_text = media_type.startswith("text/") or media_type.endswith(_SUFFIXES)
    return Kind.TEXT if is_text or media_type in _TEXTS else Kind.OTHER


def kind_in_truth(kind: Kind, data: bytes) -> Kind:
    """What an answer is that was read, seen how it begins."""
    if kind is Kind.IMAGE or image_type(data) is not None:
        return Kind.IMAGE
    if data.startswith(_FILES):
        return Kind.OTHER
    return _guess(data[:_SNIFFED]) if kind is Kind.UNNAMED else kind


def _guess(data: bytes) -> Kind:
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return Kind.PAGE
    is_wide = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    return Kind.OTHER if b"\0" in start and not is_wide else Kind.TEXT


def image_type(data: bytes) -> str | None:
    """The media type of an image, by how it begins; None where it is none of those known."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _WEBP
    return next((kind for start, kind in _SIGNATURES if data.startswith(start)), None)

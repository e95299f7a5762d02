"""What a model reads, for people."""

from collections.abc import Iterable

from pegboard import Audio, Content, Image, Resource, Text


def in_words(blocks: Iterable[Content]) -> str:
    """Content blocks as text; what is no text is named."""
    return "\n".join(map(_words, blocks))


def _words(block: Content) -> str:
    match block:
        case Text(text=text):
            return text
        case Image(mime_type=mime_type):
            return f"[image {mime_type}]"
        case Audio(mime_type=mime_type):
            return f"[audio {mime_type}]"
        case Resource(uri=uri, text=text):
            return f"[resource {uri}]" if text is None else text

"""Content blocks in words, for providers that can't show them."""

from collections.abc import Iterable, Sequence

from pegboard.outcomes import Failure, Outcome
from pegboard.values import JSON, Audio, Content, Image, Resource, Text, encode

IMAGES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})


def content_of(outcome: Outcome) -> tuple[Content, ...]:
    """The blocks of an outcome; a failure has one always."""
    if isinstance(outcome, Failure) and not outcome.content:
        return (Text(f"Error: {outcome.message}"),)
    return outcome.content


def in_words(block: Content) -> str:
    """A block as text: its own, or one that says what was left out."""
    match block:
        case Text(text=text):
            return text
        case Image(mime_type=kind, data=data):
            return f"[image left out: {kind}, {_size(data)}]"
        case Audio(mime_type=kind, data=data):
            return f"[audio left out: {kind}, {_size(data)}]"
        case Resource():
            return _resource(block)


def _resource(block: Resource) -> str:
    kind = f", {block.mime_type}" if block.mime_type else ""
    if block.text is not None:
        return f"[resource {block.uri}{kind}]\n{block.text}"
    if block.data is not None:
        return f"[resource left out: {block.uri}{kind}, {_size(block.data)}]"
    return f"[resource {block.uri}{kind}]"


def _size(data: str) -> str:
    return f"{len(data.rstrip('=')) * 3 // 4} bytes"


def all_in_words(blocks: Iterable[Content]) -> str:
    """All blocks as one text."""
    return "\n".join(map(in_words, blocks))


def label(block: Resource) -> str:
    """What a resource is, for the text before its bytes."""
    return f"[resource {block.uri}{f', {block.mime_type}' if block.mime_type else ''}]"


def contexts_of(outcomes: Sequence[Outcome]) -> list[str]:
    """The contexts of all outcomes in order, as text: their JSON unless they are strings."""
    return [_context(each) for outcome in outcomes for each in outcome.contexts]


def _context(context: JSON) -> str:
    return context if isinstance(context, str) else encode(context).decode()

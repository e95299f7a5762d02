"""Content blocks: what a model reads of an outcome."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import attrs

from pegboard.errors import NotJSONError
from pegboard.values.codec import encode
from pegboard.values.limits import Limits


def _text(_block: object, field: "attrs.Attribute[str]", value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"'{field.name}' must be text, not {type(value).__name__}")


_maybe_text = attrs.validators.optional(_text)


@attrs.frozen
class Text:
    """A block of text."""

    text: str = attrs.field(validator=_text)


_new = object.__new__
_set_text = Text.__dict__["text"].__set__


def text_block(text: str) -> Text:
    """A block of what is known to be text; one is made in every call, so nothing is checked."""
    block = _new(Text)
    _set_text(block, text)
    return block


@attrs.frozen
class Image:
    """An image.

    Attributes:
        data: the bytes in base64.
        mime_type: such as `image/png`.
    """

    data: str = attrs.field(validator=_text, repr=False)
    mime_type: str = attrs.field(validator=_text)


@attrs.frozen
class Audio:
    """A sound.

    Attributes:
        data: the bytes in base64.
        mime_type: such as `audio/wav`.
    """

    data: str = attrs.field(validator=_text, repr=False)
    mime_type: str = attrs.field(validator=_text)


@attrs.frozen
class Resource:
    """Something that has a URI, with its text or its bytes (base64), or neither."""

    uri: str = attrs.field(validator=_text)
    mime_type: str | None = attrs.field(default=None, validator=_maybe_text)
    text: str | None = attrs.field(default=None, validator=_maybe_text)
    data: str | None = attrs.field(default=None, validator=_maybe_text, repr=False)


Content: TypeAlias = Text | Image | Audio | Resource

BLOCKS = (Text, Image, Audio, Resource)


def check_content(blocks: Any) -> tuple[Content, ...]:
    """Content blocks as a tuple.

    Raises:
        TypeError: it isn't an iterable of content blocks; a bare string isn't one.
    """
    if isinstance(blocks, (str, bytes, dict)) or not isinstance(blocks, Iterable):
        raise TypeError(f"{type(blocks).__name__} isn't a list of content blocks")
    taken = tuple(blocks)
    for each in taken:
        if not isinstance(each, BLOCKS):
            raise TypeError(f"{type(each).__name__} isn't a content block")
    return taken


def check_content_size(blocks: Iterable[Content], limits: Limits) -> None:
    """Refuse content that is larger than one value may be.

    Raises:
        NotJSONError: it is, or a text of it isn't JSON; names the limit and the size.
    """
    size = sum(len(encode(block_as_json(each), limits)) for each in blocks)
    if size > limits.max_bytes:
        raise NotJSONError(limits.longer(size), is_too_much=True)


def block_as_json(block: Content) -> Any:
    """A block as plain JSON: a text as it is, anything else as an object with a type."""
    match block:
        case Text():
            return block.text
        case Image():
            return {"type": "image", "mime_type": block.mime_type, "data": block.data}
        case Audio():
            return {"type": "audio", "mime_type": block.mime_type, "data": block.data}
        case Resource():
            shown = attrs.asdict(block, filter=lambda _, each: each is not None)
            return {"type": "resource", **shown}

"""What a model reads of an outcome in another framework, and of a refusal by one."""

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pegboard import Audio, Content, Image, Outcome, Resource, Text
from pegboard.formats._content import IMAGES, all_in_words, content_of, contexts_of

_FILES = IMAGES | {"application/pdf"}


class Refusal(Protocol):
    """The part of pydantic's `ValidationError` that is read here."""

    def errors(self, *, include_url: bool, include_input: bool) -> Iterable[Mapping[str, Any]]:
        """What is wrong, one by one."""


def blocks_of(outcome: Outcome) -> tuple[Content, ...]:
    """The content of an outcome, and then its contexts, for frameworks without a place for them."""
    contexts = [Text(each) for each in contexts_of([outcome])]
    return (*content_of(outcome), *contexts)


def only_text(blocks: tuple[Content, ...]) -> str | None:
    """The text of blocks of which no model takes more than words, or None."""
    return None if any(map(has_bytes, blocks)) else all_in_words(blocks)


def has_bytes(block: Content) -> bool:
    """Whether models may take the bytes of a block; of others, words say what was left out."""
    match block:
        case Text():
            return False
        case Image():
            return block.mime_type in IMAGES
        case Audio():
            return True
        case Resource():
            return block.data is not None and block.mime_type in _FILES


def bytes_of(data: str) -> bytes | None:
    """The bytes of a block, or None where they aren't base64."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def faults_of(refusal: Refusal) -> str:
    """What pydantic found wrong in arguments, with paths and without values."""
    faults = refusal.errors(include_url=False, include_input=False)
    return "; ".join(f"{_path(each['loc'])}: {each['msg']}" for each in faults)


def _path(keys: Iterable[str | int]) -> str:
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)

"""Texts that must not show, taken out of what people and models read."""

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

import attrs

_SHORTEST = 4
"""Characters of the shortest text that is taken out; without shorter ones words stay readable."""
_BETWEEN_PARTS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def _by_length(texts: Iterable[str]) -> tuple[str, ...]:
    parts = {part for each in texts for part in _parts(each)}
    once = {form for each in parts for form in _forms(each)}
    kept = {form for each in once for form in _forms(each) if len(form) >= _SHORTEST}
    return tuple(sorted(kept, key=lambda each: (-len(each), each)))


def _parts(text: str) -> Iterator[str]:
    """A text, and the parts of it that may show alone: its lines, as they are cut at the ends."""
    yield text
    yield from (each.strip() for each in _BETWEEN_PARTS.split(text))


def _forms(text: str) -> Iterator[str]:
    """A text as it may stand in others: in JSON, in Python's words, in a URL."""
    yield text
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield repr(text)[1:-1]
    yield ascii(text)[1:-1]
    yield text.replace("\\", "\\\\").replace("'", "\\'")
    encoded = text.encode(errors="surrogateescape")
    yield repr(encoded)[2:-1]
    yield quote(encoded)
    yield quote(encoded, safe="")
    yield quote_plus(encoded)


@attrs.frozen
class Masks:
    """Takes the secrets of one server out of texts.

    Attributes:
        texts: what must not show; their lines and their escaped forms don't either.
    """

    texts: tuple[str, ...] = attrs.field(converter=_by_length, repr=False)

    def hide(self, text: str) -> str:
        """The text with an ellipsis for every secret in it."""
        for each in self.texts:
            text = text.replace(each, "…")
        return text

"""One JSON value that nobody can change."""

from typing import Any, TypeAlias

import attrs

from pegboard.values.codec import decode, decode_outer, encode
from pegboard.values.limits import DEFAULT_LIMITS, Limits

JSON: TypeAlias = Any
"""None, bool, int, finite float, str, list and dict with str keys; exactly those types."""


@attrs.frozen(eq=False, repr=False)
class Snapshot:
    """A JSON value, kept as its text, so that no reader can change it for another.

    Attributes:
        text: the JSON text in UTF-8, keys in their order; without white space, unless it came
            as text with white space.
    """

    text: bytes

    @classmethod
    def of(cls, value: Any, limits: Limits = DEFAULT_LIMITS) -> "Snapshot":
        """Take the value as it is now; a snapshot is given back as it is.

        Raises:
            NotJSONError: the value isn't lossless JSON or is larger than the limits.
        """
        if type(value) is not dict and isinstance(value, Snapshot):
            return value
        taken = _new(Snapshot)
        _set_text(taken, encode(value, limits))
        return taken

    def kept(self) -> "Snapshot":
        """The same for a long life: the encoder leaves kilobytes unused behind a short text."""
        return Snapshot(bytes(memoryview(self.text)))

    def read(self) -> JSON:
        """The value as plain JSON, a copy of the reader's own."""
        return decode(self.text)

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same value, types included; the order of keys doesn't count."""
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self.text == other.text or is_same(self.read(), other.read())

    __hash__ = None  # type: ignore[assignment]  # equal values may have different texts

    def __repr__(self) -> str:
        text = self.text[:200].decode(errors="ignore")
        return f"Snapshot({text}{'…' if len(self.text) > 200 else ''})"


# Two snapshots are made in every call, and a frozen class makes one three times slower.
_new = object.__new__
_set_text = Snapshot.__dict__["text"].__set__


def read_text(text: str, limits: Limits = DEFAULT_LIMITS) -> tuple[JSON, Snapshot]:
    """The value of JSON text from outside, for one reader alone, and the text kept as it came.

    Raises:
        NotJSONError: see `decode_text`.
    """
    value, raw = decode_outer(text, limits)
    kept = _new(Snapshot)
    _set_text(kept, raw)
    return value, kept


def is_same(one: JSON, other: JSON) -> bool:
    """Whether two JSON values are equal with their exact types: 1 isn't 1.0 and isn't True."""
    pairs = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if type(left) is not type(right):
            return False
        if type(left) is dict:
            if left.keys() != right.keys():
                return False
            pairs.extend((each, right[key]) for key, each in left.items())
        elif type(left) is list:
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True

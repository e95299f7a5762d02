"""What a text that a model reads must not hold, and showing it all the same."""

import json
import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\ud800-\udfff\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]"
)


def hidden_character(text: str) -> str | None:
    """The first character of a text that people don't see and a model reads, as `U+202E`."""
    found = _HIDDEN.search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def escaped(text: str) -> str:
    """Text in which whatever people don't see is written as JSON escapes it."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)

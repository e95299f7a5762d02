"""What the text of an item may be."""

import re

from pegboard import ToolError

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def check_text(text: str, *, most: int) -> None:
    """Let the text of an item pass; it is never repaired.

    Args:
        text: what a model wrote.
        most: how many characters it may have.

    Raises:
        ToolError: it is empty, too long, or not one line that people can see.
    """
    if not text.strip():
        raise ToolError("the text of an item is empty; say what is to be done", code="invalid_text")
    if len(text) > most:
        raise ToolError(
            f"the text of an item has {len(text)} characters, and may have {most}; say it shorter, "
            "or make several items of it",
            code="invalid_text",
        )
    if found := _UNSEEN.search(text):
        raise ToolError(
            f"the text of an item is one line without control characters; U+{ord(found[0]):04X} "
            "is none of them",
            code="invalid_text",
        )

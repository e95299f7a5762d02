"""Which calls of a batch may run beside each other, by the path that they name."""

from typing import Any
from unicodedata import normalize


def by_path(arguments: Any) -> str:
    """A key that calls on one path share, however the path is written.

    Links aren't looked at: what they hide is refused when the file has changed under a call.
    """
    parts: list[str] = []
    for part in str(arguments.get("path", "")).split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return f"path {normalize('NFC', '/'.join(parts)).casefold()}"

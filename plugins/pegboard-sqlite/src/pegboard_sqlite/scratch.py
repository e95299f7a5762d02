"""How much SQLite has put into temporary files."""

import os

_OPEN_FILES = "/proc/self/fd"
_MARK = "/etilqs_"
"""What is in the name of each of SQLite's temporary files."""


def scratch_bytes() -> int:
    """The bytes in the temporary files of SQLite in this process; 0 where nobody can know."""
    try:
        opened = os.listdir(_OPEN_FILES)  # noqa: PTH208 - names only
    except OSError:
        return 0
    return sum(map(_size, opened))


def _size(name: str) -> int:
    path = f"{_OPEN_FILES}/{name}"
    try:
        return os.stat(path).st_size if _MARK in os.readlink(path) else 0  # noqa: PTH115, PTH116
    except OSError:
        return 0

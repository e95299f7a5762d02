"""How much SQLite has put into temporary files, and the process into its memory."""

import os

_OPEN_FILES = "/proc/self/fd"
_MEMORY = "/proc/self/statm"
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


def resident_bytes() -> int:
    """How much memory this process has; 0 where nobody can know."""
    try:
        with open(_MEMORY, encoding="ascii") as told:  # noqa: PTH123 - twice as quick
            pages = told.read().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")

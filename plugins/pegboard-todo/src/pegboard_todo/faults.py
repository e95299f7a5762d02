"""What is wrong with the file, in words."""

import sqlite3

_FAULTS = {
    sqlite3.SQLITE_BUSY: ("locked", "is locked by another program; try again later"),
    sqlite3.SQLITE_LOCKED: ("locked", "is locked by another program; try again later"),
    sqlite3.SQLITE_NOTADB: ("damaged", "is damaged, or something else; nothing in it was changed"),
    sqlite3.SQLITE_CORRUPT: ("damaged", "is damaged; nothing in it was changed"),
    sqlite3.SQLITE_SCHEMA: ("locked", "is being changed by another program; try again"),
    sqlite3.SQLITE_CANTOPEN: (
        "cant_open",
        "can't be opened: its folder is gone, or the host may not use it",
    ),
    sqlite3.SQLITE_PERM: ("cant_open", "can't be opened: the host has no permission"),
    sqlite3.SQLITE_READONLY: ("read_only", "can't be written: it or its folder is read-only"),
    sqlite3.SQLITE_IOERR: ("full", "can't be written: the disk is full or fails"),
    sqlite3.SQLITE_FULL: ("full", "can't be written: the disk is full"),
    sqlite3.SQLITE_INTERRUPT: ("too_slow", "took too long to read"),
}
_OTHERWISE = ("damaged", "is damaged; nothing in it was changed")


def fault_of(error: Exception) -> tuple[str, str]:
    """A code, and what to say of the file."""
    if isinstance(error, FileNotFoundError):
        return "gone", "was removed while it was written; look at the list before you go on"
    return _FAULTS.get(_number(error), _OTHERWISE)


def is_busy(error: Exception) -> bool:
    """Whether a lock of another program is in the way."""
    return _number(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _number(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF

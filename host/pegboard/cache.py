"""The cache folder, and what tells whether what lies there is still right.

Imports little: a command that finds its answer in the cache reads it through this module.
"""

import os
import stat
import sys
from collections.abc import Iterable

_TICK = 2
"""Seconds within which file systems may give two changes one time."""
VARIABLE = "PEGBOARD_CACHE"
"""Names the folder in the place of the user's own; empty for none."""


def cache_folder() -> str | None:
    """The folder for what can be made anew; None where there is none.

    It is `PEGBOARD_CACHE`, or `pegboard` in what the system has for a user's caches
    (the XDG base directories, `~/Library/Caches`, `%LOCALAPPDATA%`).
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return named or None
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    if given and os.path.isabs(given):
        return os.path.join(given, "pegboard")
    home = os.path.expanduser("~")
    usual = {"darwin": "Library/Caches", "win32": "AppData/Local"}.get(sys.platform, ".cache")
    is_there = os.path.isabs(home) and home != os.sep
    return os.path.join(home, usual, "pegboard") if is_there else None


def state_of(path: str) -> str:
    """Text that changes when a file does, or when something comes into a folder or goes from it.

    Whole seconds: images of containers keep no more.

    Returns:
        `-` where there is nothing; else the time of the last change, and the size of a file.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return "-"
    time = int(status.st_mtime)
    return f"{time}" if stat.S_ISDIR(status.st_mode) else f"{time} {status.st_size}"


def is_settled(states: Iterable[str], *, now: float) -> bool:
    """Whether none of what has these states could change within their second, unseen."""
    times = (each.partition(" ")[0] for each in states)
    return all(each == "-" or int(each) + _TICK <= now for each in times)


def read_own(path: str) -> str | None:
    """The text of a file that no stranger can write; None where there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
            status = os.fstat(file.fileno())
            return file.read() if os.name != "posix" or _is_own(status) else None
    except (OSError, ValueError):
        return None


def _is_own(status: os.stat_result) -> bool:
    """Whether nobody could have written it who can't write this program; for POSIX systems."""
    if status.st_mode & 0o022:
        return False
    return status.st_uid in (os.geteuid(), 0) or status.st_uid == os.stat(__file__).st_uid


def write_whole(path: str, text: str) -> bool:
    """Put a file in its place in one step, with its folders; whether that could be done."""
    beside = f"{path}.{os.getpid()}.{id(text)}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(beside, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            os.chmod(beside, 0o600)
            file.write(text)
        os.replace(beside, path)
    except OSError:
        _remove(beside)
        return False
    return True


def keep_newest(folder: str, most: int) -> None:
    """Leave the files of a folder that were written last, this many of them."""
    try:
        with os.scandir(folder) as entries:
            files = sorted(entries, key=lambda each: each.stat().st_mtime_ns)
        for each in files[:-most]:
            os.unlink(each.path)
    except OSError:
        return


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return

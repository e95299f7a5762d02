"""A folder that keeps texts in files of their own: private, never overwritten, and bounded."""

import errno
import hashlib
import itertools
import os
import re
import threading
from contextlib import suppress
from pathlib import Path

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class Folder:
    """Keeps texts in one folder of the operator's.

    Args:
        path: the folder; made if it isn't there.
        most: how many bytes all files in it may have together.
    """

    def __init__(self, path: Path, *, most: int) -> None:
        self._path = path.resolve()
        self._most = most
        self._lock = threading.Lock()
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def keep(self, text: str, *, call_id: str, board: str) -> str:
        """Write a text into a new file.

        Returns:
            the file's name.

        Raises:
            OSError: it can't be written, and nothing of it is left; or there is no room left, and
                nothing is removed to make some.
        """
        written = text.encode()
        with self._lock:
            if self._used() + len(written) > self._most:
                raise OSError(errno.ENOSPC, f"{self._path} may hold {self._most} bytes")
            stem = f"{_clean(call_id)}-{_digest(board, call_id, text)}"
            return self._write(stem, written)

    def _used(self) -> int:
        with os.scandir(self._path) as found:
            return sum(each.stat(follow_symlinks=False).st_size for each in found)

    def _write(self, stem: str, written: bytes) -> str:
        for number in itertools.count(1):
            path = self._path / (f"{stem}.txt" if number == 1 else f"{stem}-{number}.txt")
            try:
                file = open(path, "xb", opener=_private)  # noqa: SIM115 - it is closed below
            except FileExistsError:
                continue
            try:
                with file:
                    file.write(written)
            except BaseException:
                with suppress(OSError):
                    path.unlink()
                raise
            return path.name
        raise AssertionError  # the numbers don't end


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _clean(call_id: str) -> str:
    return _UNSAFE.sub("-", call_id)[:60].strip("-") or "call"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

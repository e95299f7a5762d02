"""The file where the answer "always" is kept: read again when it changes, replaced as a whole."""

import codecs
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import TypeAlias

from filelock import FileLock, Timeout

from pegboard_permissions.answers import Answer, Answers
from pegboard_permissions.tables import StoreError, read_answers, with_answer

_Seen: TypeAlias = tuple[int, int, int, int]
_UNSETTLED = 0.1
"""Seconds in which two changes of a file may look like one."""


class Store:
    """One file of answers, which its operator may edit at any time."""

    def __init__(self, path: Path, *, patience: float = 10.0) -> None:
        self.path = path
        self._lock = FileLock(f"{path}.lock", timeout=patience)
        self._seen: _Seen | None = None
        self._is_settled = False
        self._answers = Answers()
        self._fault: StoreError | None = None

    def current(self) -> Answers:
        """The answers that the file holds now.

        Raises:
            StoreError: it can't be read; says on which line and why.
        """
        seen, is_settled = self._look()
        if not self._is_settled or seen != self._seen:
            self._read()
            self._seen, self._is_settled = seen, is_settled
        if self._fault is not None:
            raise self._fault
        return self._answers

    def _read(self) -> None:
        self._answers, self._fault = Answers(), None
        try:
            self._answers = Answers(read_answers(self.path, self._text(self._bytes())))
        except StoreError as error:
            self._fault = error

    def add(self, answer: Answer) -> None:
        """Write one more answer into the file.

        Raises:
            StoreError: the file can't be read or replaced; it is as it was.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock:
                self._add(answer)
        except Timeout as error:
            raise StoreError(f"{self.path}.lock is held by another process") from error
        except OSError as error:
            raise StoreError(f"{self.path} can't be written: {error.strerror}") from error

    def _add(self, answer: Answer) -> None:
        before = self._bytes()
        text = self._text(before)
        if answer in read_answers(self.path, text):
            return
        target = Path(os.path.realpath(self.path))
        mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
        written = mark + with_answer(self.path, text, answer).encode()
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, name)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _bytes(self) -> bytes:
        try:
            if self.path.exists() and not self.path.is_file():
                raise StoreError(f"{self.path} isn't a regular file")
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise StoreError(f"{self.path} can't be read: {error.strerror}") from error

    def _text(self, written: bytes) -> str:
        try:
            return written.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise StoreError(f"{self.path}:{line}: isn't UTF-8") from error

    def _look(self) -> tuple[_Seen | None, bool]:
        """What tells this text of the file from others, and whether it surely does."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None, True
        except OSError:
            return None, False
        seen = (found.st_ino, found.st_size, found.st_mtime_ns, stat.S_IFMT(found.st_mode))
        return seen, abs(time.time() - found.st_mtime) > _UNSETTLED

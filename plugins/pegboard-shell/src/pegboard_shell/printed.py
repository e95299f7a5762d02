"""What a command has written, as text: in memory while it is short, then in a kept file."""

import os
from codecs import getincrementaldecoder

import attrs

from pegboard_shell.cleaning import Cleaner
from pegboard_shell.kept import Kept, KeptFile


@attrs.frozen
class Piece:
    """A part of what was written.

    Attributes:
        text: the part.
        after: the position behind it, in bytes of the text.
    """

    text: str
    after: int


@attrs.define(eq=False)
class Printed:
    """What a command has written so far, as text in UTF-8.

    Attributes:
        kept: where it goes once it is long.
        most: bytes that it may be.
        most_in_memory: bytes from which on it stands in a file.
        size: bytes that it is.
        is_full: whether more came than it may be.
    """

    kept: Kept
    most: int
    most_in_memory: int
    size: int = attrs.field(default=0, init=False)
    is_full: bool = attrs.field(default=False, init=False)
    _cleaner: Cleaner = attrs.field(factory=Cleaner, init=False)
    _memory: bytearray = attrs.field(factory=bytearray, init=False)
    _file: KeptFile | None = attrs.field(default=None, init=False)
    _path: str | None = attrs.field(default=None, init=False)

    @property
    def path(self) -> str | None:
        """The path of the file from the root; None while the text is short."""
        return self._path

    def add(self, data: bytes, *, is_last: bool = False) -> None:
        """Take what the command wrote.

        Raises:
            OSError: the disk doesn't take it.
        """
        text = self._cleaner.feed(data, is_last=is_last).encode()
        room = self.most - self.size
        self.is_full = self.is_full or len(text) > room
        self._write(text[:room] if len(text) <= room else _whole(text[:room]))

    def from_(self, since: int, *, most: int) -> Piece:
        """What stands at a position, up to a number of bytes, cut between characters."""
        data = self._read(since, most)
        whole = _whole(data) or data
        return Piece(whole.decode(errors="replace"), since + len(whole))

    def ends(self, most: int) -> str:
        """The whole text, or its beginning and its end with a line between them."""
        if self.size <= most:
            return self.from_(0, most=most).text
        head = self.from_(0, most=most // 2)
        tail = self._read(self.size - most // 2, most // 2).decode(errors="ignore")
        left_out = self.size - head.after - len(tail.encode())
        return f"{head.text}\n[... {left_out} bytes are left out here ...]\n{tail}"

    def close(self) -> None:
        """Close the file; what isn't in memory can't be read any more."""
        if self._file is not None:
            self.kept.end(self._file)
            self._file = None

    def _write(self, text: bytes) -> None:
        if self._path is None and self.size + len(text) <= self.most_in_memory:
            self._memory += text
        else:
            self._write_out(text)
        self.size += len(text)

    def _write_out(self, text: bytes) -> None:
        if self._path is None:
            self._file = self.kept.begin()
            self._path = self._file.path
            text, self._memory = bytes(self._memory) + text, bytearray()
        if self._file is not None:
            _write_all(self._file.descriptor, text)

    def _read(self, since: int, most: int) -> bytes:
        if self._file is None:
            return bytes(self._memory[since : since + most])
        return os.pread(self._file.descriptor, most, since)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _whole(data: bytes) -> bytes:
    """Bytes without a character at their end that is cut."""
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return data[: len(data) - len(decoder.getstate()[0])]

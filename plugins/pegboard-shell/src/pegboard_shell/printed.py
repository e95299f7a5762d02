"""What a command has written, as text: both ends in memory, and in a kept file once it is long."""

import os
from codecs import getincrementaldecoder
from collections.abc import Iterator

import attrs

from pegboard_shell.cleaning import Cleaner
from pegboard_shell.kept import Kept, KeptFile


@attrs.frozen
class Piece:
    """A part of what was written.

    Attributes:
        text: the part.
        since: where it begins, in bytes of the text: later than asked for where that isn't kept.
        after: the position behind it.
    """

    text: str
    since: int
    after: int


@attrs.define(eq=False)
class Printed:
    """What a command has written so far, as text in UTF-8.

    Attributes:
        kept: where it goes once it is long.
        most: bytes that it may be.
        most_in_memory: bytes of either end that stand in memory; what is longer stands in a file.
        size: bytes that it is.
        is_full: whether more came than it may be.
    """

    kept: Kept
    most: int
    most_in_memory: int
    size: int = attrs.field(default=0, init=False)
    is_full: bool = attrs.field(default=False, init=False)
    _cleaner: Cleaner = attrs.field(factory=Cleaner, init=False)
    _head: bytearray = attrs.field(factory=bytearray, init=False)
    _tail: bytearray = attrs.field(factory=bytearray, init=False)
    _file: KeptFile | None = attrs.field(default=None, init=False)
    _path: str | None = attrs.field(default=None, init=False)
    _in_file: int = attrs.field(default=0, init=False)
    _fault: str | None = attrs.field(default=None, init=False)

    @property
    def path(self) -> str | None:
        """The path of the file with the whole text from the root; None where there is none."""
        return None if self._fault else self._path

    @property
    def notes(self) -> Iterator[str]:
        """Where the whole text is, if the file doesn't have it."""
        if self._fault:
            part = f", but for the first {self._in_file} bytes in {self._path}"
            yield (
                f"what is left out is lost{part if self._in_file else ''}, since the host can't "
                f"write below {'/'.join(self.kept.names)}: {self._fault}; where it matters, run "
                "the command through grep, head or tail"
            )

    def add(self, data: bytes, *, is_last: bool = False) -> None:
        """Take what the command wrote."""
        text = self._cleaner.feed(data, is_last=is_last).encode()
        room = self.most - self.size
        self.is_full = self.is_full or len(text) > room
        self._write(text if len(text) <= room else _whole(text[:room]))

    def from_(self, since: int, *, most: int) -> Piece:
        """What stands at a position, up to a number of bytes, cut between characters."""
        is_there = since < max(self._in_file, len(self._head))
        begin = since if is_there else max(since, self.size - len(self._tail))
        data = self._read(begin, most)
        cut = len(data) - len(data.lstrip(_INSIDE))
        whole = _whole(data[cut:]) or data[cut:]
        return Piece(whole.decode(errors="replace"), begin + cut, begin + cut + len(whole))

    def ends(self, most: int) -> str:
        """The whole text, or its beginning and its end with a line between them."""
        if self.size <= most:
            return self.from_(0, most=most).text
        head = _to_line(self.from_(0, most=most // 2).text)
        tail = _from_line(self.from_(self.size - most // 2, most=most // 2).text)
        left_out = self.size - len(head.encode()) - len(tail.encode())
        end = "" if head.endswith("\n") else "\n"
        return f"{head}{end}[... {left_out} bytes are left out here ...]\n{tail}"

    def close(self) -> None:
        """Close the file; what isn't in memory can't be read any more."""
        if self._file is not None:
            self.kept.end(self._file)
            self._file = None

    def _write(self, text: bytes) -> None:
        if self.size + len(text) > self.most_in_memory and self._fault is None:
            self._write_out(text)
        self._head += text[: self.most_in_memory - len(self._head)]
        self._tail = (self._tail + text)[-self.most_in_memory :]
        self.size += len(text)

    def _write_out(self, text: bytes) -> None:
        done = 0
        try:
            if self._file is None:
                self._file = self.kept.begin()
                self._path, text = self._file.path, bytes(self._head) + text
            while done < len(text):
                done += os.write(self._file.descriptor, text[done:])
        except OSError as error:
            self._fault = os.strerror(error.errno or 0).lower()
            text = _whole(text[:done])
        self._in_file += len(text)

    def _read(self, since: int, most: int) -> bytes:
        if self._file is not None and since < self._in_file:
            return os.pread(self._file.descriptor, min(most, self._in_file - since), since)
        offset = since - (self.size - len(self._tail))
        if offset < 0:
            return bytes(self._head[since : since + most])
        return bytes(self._tail[offset : offset + most])


_INSIDE = bytes(range(0x80, 0xC0))
"""The bytes that begin no character."""


def _whole(data: bytes) -> bytes:
    """Bytes without a character at their end that is cut."""
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return data[: len(data) - len(decoder.getstate()[0])]


def _to_line(text: str) -> str:
    """A text up to its last line end, unless that takes too much away."""
    end = text.rfind("\n") + 1
    return text[:end] if end > len(text) // 2 else text


def _from_line(text: str) -> str:
    """A text from behind its first line end on, unless that takes too much away."""
    begin = text.find("\n") + 1
    return text[begin:] if begin < len(text) // 2 else text

"""A search under way: which lines matched, and when it has to stop."""

import time
from collections.abc import Callable
from io import BytesIO

import attrs

from pegboard_files.encoding import encoding_of
from pegboard_files.expressions import Expression
from pegboard_files.regular import Bytes
from pegboard_files.text import is_binary

MOST_OF_A_LINE = 10_000
SHOWN_OF_A_LINE = 300
LINES_BETWEEN_LOOKS = 256


@attrs.frozen
class Match:
    """A line that matches.

    Attributes:
        path: its file, from the root.
        line: its number, counted from 1.
        text: the line without its end, cut if it is long.
    """

    path: str
    line: int
    text: str


@attrs.define
class Scan:
    """A search under way.

    Attributes:
        expression: what is looked for.
        most_matches: how many matches it gives.
        most_bytes: how much text it gives.
        seconds: how long it goes on.
        look_up: called now and then; may raise to end it.
        fallback: the encoding of text that has no mark and isn't UTF-8, if there is one.
        matches: what was found so far.
        searched: how many files were looked at.
        stopped: why it ended early, if it did.
    """

    expression: Expression
    most_matches: int
    most_bytes: int
    seconds: float
    look_up: Callable[[], None]
    fallback: str | None = None
    matches: list[Match] = attrs.field(factory=list, init=False)
    searched: int = attrs.field(default=0, init=False)
    stopped: str | None = attrs.field(default=None, init=False)
    _size: int = attrs.field(default=0, init=False)
    _counts: dict[str, int] = attrs.field(factory=dict, init=False)
    _began: float = attrs.field(factory=time.monotonic, init=False)

    def file(self, path: str, read: Bytes) -> None:
        """Look at the lines of one file."""
        data = self._text(read)
        if data is None:
            self.count("binary files that were not searched")
            return
        self.pass_over()
        if not read.is_whole:
            self.count(f"files searched only in their first {len(read.data)} bytes")
        for number, line in enumerate(BytesIO(data), 1):
            if number % LINES_BETWEEN_LOOKS == 0 and self.is_over():
                return
            self._line(path, number, line.rstrip(b"\r\n"))
            if self.stopped:
                return

    def pass_over(self) -> None:
        """Count a file as looked at."""
        self.searched += 1

    def count(self, what: str) -> None:
        """Count something that was left out."""
        self._counts[what] = self._counts.get(what, 0) + 1

    def is_over(self) -> bool:
        """Whether the search has to end here."""
        self.look_up()
        if self.stopped is None and time.monotonic() - self._began > self.seconds:
            self.stopped = f"stopped after {self.seconds:g} s; search a folder further down"
        return self.stopped is not None

    def notes(self) -> list[str]:
        """What was left out, in words."""
        counted = [f"{what}: {count}" for what, count in self._counts.items()]
        return [*([self.stopped] if self.stopped else []), *counted]

    def _text(self, read: Bytes) -> bytes | None:
        """The text of a file as UTF-8; None for what is none."""
        encoding = encoding_of(read.data, fallback=self.fallback)
        if encoding.is_plain:
            return None if is_binary(read.data) else read.data
        try:
            return encoding.as_utf8(read.data, is_cut=not read.is_whole)
        except UnicodeDecodeError:
            return None

    def _line(self, path: str, number: int, line: bytes) -> None:
        if len(line) > MOST_OF_A_LINE:
            line = line[:MOST_OF_A_LINE]
            self.count(f"lines searched only in their first {MOST_OF_A_LINE} bytes")
        if self.expression.is_in(line):
            self._take(Match(path, number, _cut(line.decode("utf-8", "replace"))))

    def _take(self, match: Match) -> None:
        self._size += len(match.path.encode()) + len(match.text.encode())
        if len(self.matches) >= self.most_matches or self._size > self.most_bytes:
            self.stopped = f"only the first {len(self.matches)} matches are shown; ask more exactly"
        else:
            self.matches.append(match)


def _cut(line: str) -> str:
    return line if len(line) <= SHOWN_OF_A_LINE else f"{line[:SHOWN_OF_A_LINE]}..."

"""Files of a search that ripgrep looks at first, a few opened ones at a time."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import attrs
from pegboard import ToolError

from pegboard_files.below import Below
from pegboard_files.encoding import encoding_of
from pegboard_files.regular import opened, read_opened
from pegboard_files.ripgrep import Sieve
from pegboard_files.scan import Scan
from pegboard_files.text import BEGINNING, is_binary

MOST_FILES = 64


@attrs.frozen
class _Waiting:
    path: str
    descriptor: int | None
    is_sifted: bool


@attrs.define
class Sifting:
    """Files that wait to be searched, in order.

    Attributes:
        scan: the search.
        sieve: what says which of them can be passed over; None once it has failed.
        most: how much of a file is looked at.
    """

    scan: Scan
    sieve: Sieve | None
    most: int
    _waiting: list[_Waiting] = attrs.field(factory=list, init=False)
    _opened: ExitStack = attrs.field(factory=ExitStack, init=False)

    @contextmanager
    def open(self) -> Iterator["Sifting"]:
        """Search what still waits at the end of the block, and leave no file open after it."""
        with self._opened:
            yield self
            self._search()

    def add(self, below: Below) -> None:
        """Let a file wait, or search all that wait if they are many."""
        self._waiting.append(self._wait(below))
        if self.sieve is None or len(self._waiting) >= MOST_FILES:
            self._search()

    def _wait(self, below: Below) -> _Waiting:
        name, path = below.names[-1], below.path
        try:
            descriptor = self._opened.enter_context(opened(name, at=below.folder, path=path))
            return _Waiting(path, descriptor, self._is_usual(descriptor))
        except (OSError, ToolError):
            return _Waiting(path, None, is_sifted=False)

    def _is_usual(self, descriptor: int) -> bool:
        """Whether ripgrep would look at the same bytes of a file as the search itself."""
        if self.sieve is None or os.fstat(descriptor).st_size > self.most:
            return False
        beginning = os.pread(descriptor, BEGINNING, 0)
        return encoding_of(beginning, fallback=None).is_plain and not is_binary(beginning)

    def _search(self) -> None:
        usual = [each.descriptor for each in self._waiting if each.is_sifted]
        hits = self._hits([each for each in usual if each is not None])
        for each in self._waiting:
            if self.scan.is_over():
                break
            self._search_one(each, hits)
        self._waiting.clear()
        self._opened.close()

    def _hits(self, descriptors: list[int]) -> frozenset[int]:
        if self.sieve is None or not descriptors or self.scan.is_over():
            return frozenset(descriptors)
        hits = self.sieve.hits(descriptors, is_over=self.scan.is_over)
        if hits is None:
            self.sieve = None
            if self.scan.stopped is None:
                self.scan.count("times that ripgrep failed, and the search went on without it")
        return frozenset(descriptors) if hits is None else hits

    def _search_one(self, waiting: _Waiting, hits: frozenset[int]) -> None:
        if waiting.descriptor is None:
            self.scan.count("files that can't be read")
        elif waiting.is_sifted and waiting.descriptor not in hits:
            self.scan.pass_over()
        else:
            self._read(waiting.path, waiting.descriptor)

    def _read(self, path: str, descriptor: int) -> None:
        try:
            read = read_opened(descriptor, most=self.most)
        except OSError:
            self.scan.count("files that can't be read")
        else:
            self.scan.file(path, read)

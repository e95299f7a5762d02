"""Where results and messages go; what plugins print is a message."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TextIO, cast

import attrs

from pegboard.cli.heard import Heard
from pegboard.cli.listed import is_unicode

_HIDDEN = re.compile(r"[^ -~]")


@attrs.frozen
class Streams:
    """Where one command writes.

    Attributes:
        results: what was asked for.
        messages: everything else.
    """

    results: TextIO
    messages: TextIO

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads the results as they come."""
        return self.results.isatty()

    @property
    def is_unicode(self) -> bool:
        """Whether the results may hold any character."""
        return is_unicode(self.results.encoding)

    @property
    def is_silent(self) -> bool:
        """Whether nothing but results was written."""
        return isinstance(self.messages, Heard) and self.messages.is_silent

    @property
    def passing(self) -> TextIO:
        """Where to show what is no message, since it passes without a trace."""
        return self.messages.stream if isinstance(self.messages, Heard) else self.messages

    @property
    def width(self) -> int:
        """How many columns a person has."""
        said = os.environ.get("COLUMNS", "")
        if said.isdecimal() and int(said) > 0:
            return int(said)
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self.results.fileno()).columns or 80
        return 100

    def taken(self) -> TextIO:
        """The results, for somebody who writes there alone until the program ends.

        What is written anywhere else is a message, also by threads that outlast the command.

        Raises:
            OSError: the results have no descriptor.
        """
        self.results.flush()
        own = os.dup(self.results.fileno())
        if self.results is not sys.__stdout__:
            os.dup2(1, self.results.fileno(), inheritable=False)
        encoding = self.results.encoding
        return open(own, "w", encoding=encoding, closefd=False)

    def result(self, text: str) -> None:
        """Write text, and a line end where it has none.

        Raises:
            BrokenPipeError: nobody reads it.
        """
        self.results.write(text if text.endswith("\n") else f"{text}\n")
        self.results.flush()

    def message(self, text: str) -> None:
        """Write one line for people."""
        with suppress(OSError):
            self.messages.write(f"pegboard: {legible(text)}\n")
            self.messages.flush()


def legible(text: str, *, keep: str = "") -> str:
    """Text in which nothing can steer a terminal: what doesn't print is escaped."""
    return _HIDDEN.sub(lambda found: _seen(found.group(), keep), text)


def _seen(character: str, keep: str) -> str:
    if character in keep or character.isprintable():
        return character
    return character.encode("unicode_escape").decode()


@contextmanager
def own_streams() -> Iterator[Streams]:
    """Keep standard output for results; whatever else writes to its descriptor is a message.

    Raises:
        BrokenPipeError: there is no standard output.
    """
    if sys.stdout is None:
        raise BrokenPipeError
    with ExitStack() as stack:
        errors = sys.stderr or stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        messages = cast("TextIO", Heard(errors))
        results = stack.enter_context(_results())
        stack.enter_context(redirect_stdout(results))
        stack.enter_context(redirect_stderr(messages))
        yield Streams(results, messages)


@contextmanager
def _results() -> Iterator[TextIO]:
    sys.stdout.flush()
    if not _is_descriptor(sys.stdout, 1):
        yield sys.stdout
        return
    kept = os.dup(1)
    try:
        _point_at_messages()
        yield from _opened(kept, sys.stdout.encoding)
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _opened(descriptor: int, encoding: str) -> Iterator[TextIO]:
    results = open(  # noqa: SIM115 - closing flushes, and that may fail once more
        descriptor, "w", encoding=encoding, errors="backslashreplace", closefd=False
    )
    try:
        yield results
    finally:
        with suppress(OSError):
            results.close()


def _point_at_messages() -> None:
    """Let file descriptor 1 write where 2 does, for code that knows no `sys.stdout`."""
    if _is_descriptor(sys.stderr, 2):
        os.dup2(2, 1)
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _is_descriptor(stream: TextIO | None, number: int) -> bool:
    try:
        return stream is not None and stream.fileno() == number
    except (OSError, ValueError):
        return False

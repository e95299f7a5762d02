"""What is written to standard output, whoever writes it."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from tempfile import TemporaryFile

_OUTPUT = 1


@contextmanager
def printed() -> Iterator[Callable[[], str]]:
    """Catch what goes to `sys.stdout` and to its file descriptor.

    Yields:
        a function that gives what has been written so far.
    """
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as file:

        def written() -> str:
            file.flush()
            file.seek(0)
            return file.read()

        sys.stdout.flush()
        kept = os.dup(_OUTPUT)
        os.dup2(file.fileno(), _OUTPUT)
        try:
            with redirect_stdout(file):
                yield written
        finally:
            os.dup2(kept, _OUTPUT)
            os.close(kept)

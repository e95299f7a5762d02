"""Standard error, with an ear to it."""

from typing import Any, TextIO


class Heard:
    """A stream that knows whether anything was written to it.

    Attributes:
        stream: the stream itself, for what passes without being a message, such as a bar.
        is_silent: whether nothing was.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_silent = True

    def write(self, text: str) -> int:
        """Write text; from now on it isn't silent."""
        self.is_silent = False
        return self.stream.write(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

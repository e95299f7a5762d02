"""How text stands in a file: its encoding and its mark, so that both stay when it is changed."""

import codecs

import attrs
from pegboard import ToolError

from pegboard_files.paths import shown
from pegboard_files.text import is_binary

_ASCII = bytes(range(32, 127)) + b"\t\r\n"


@attrs.frozen
class Encoding:
    """The encoding of a file.

    Attributes:
        name: the codec of Python that reads it.
        mark: the byte order mark that the file begins with.
    """

    name: str
    mark: bytes = b""

    @property
    def is_plain(self) -> bool:
        """Whether it is UTF-8 without a mark."""
        return self == PLAIN

    def decode(self, data: bytes, *, is_cut: bool = False) -> str:
        """The text of a file; a character that the cut went through is left out.

        Raises:
            UnicodeDecodeError: it isn't text of this encoding.
        """
        decoder = codecs.getincrementaldecoder(self.name)()
        return decoder.decode(data[len(self.mark) :], final=not is_cut)

    def as_utf8(self, data: bytes, *, is_cut: bool = False) -> bytes:
        """The same as UTF-8 without a mark; what is UTF-8 already is given as it stands.

        Raises:
            UnicodeDecodeError: it isn't text of this encoding.
        """
        if self.name == PLAIN.name:
            return data[len(self.mark) :]
        return self.decode(data, is_cut=is_cut).encode()

    def encode(self, text: str) -> bytes:
        """Text as the bytes of a file, the mark first and never twice.

        Raises:
            UnicodeEncodeError: the encoding can't say it.
        """
        plain = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}") if self.mark else text
        return self.mark + plain.encode(self.name)

    def brings_back(self, text: str, data: bytes) -> bool:
        """Whether text that was read from data would be written as the same bytes."""
        try:
            return self.encode(text) == data
        except UnicodeEncodeError:
            return False


PLAIN = Encoding("utf-8")
_MARKED = (
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
)
_NOT_READ = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def encoding_of(data: bytes, *, fallback: str | None) -> Encoding:
    """The encoding of a file, by its mark; UTF-8 without one, or else what the settings say.

    Args:
        data: the beginning of the file, or all of it.
        fallback: the encoding of what has no mark and isn't UTF-8.
    """
    if data.startswith(_NOT_READ):
        return PLAIN
    for each in _MARKED:
        if data.startswith(each.mark):
            return each
    if fallback is None or is_binary(data) or _is_utf8(data):
        return PLAIN
    return Encoding(fallback)


def extends_ascii(name: str) -> bool:
    """Whether Python knows a text encoding of this name in which ASCII is itself."""
    try:
        return _ASCII.decode(name) == _ASCII.decode("ascii")
    except (LookupError, UnicodeError, ValueError):
        return False


def text_of(data: bytes, encoding: Encoding, *, path: str, is_cut: bool = False) -> bytes:
    """The text of a file as UTF-8 without a mark.

    Raises:
        ToolError: it begins like text of an encoding, and isn't.
    """
    try:
        return encoding.as_utf8(data, is_cut=is_cut)
    except UnicodeDecodeError as error:
        raise ToolError(
            f"{shown(path)} isn't valid {encoding.name} text, as which its beginning or the "
            "settings mark it; it can't be read",
            code="not_text",
        ) from error


def _is_utf8(data: bytes) -> bool:
    try:
        PLAIN.decode(data, is_cut=True)
    except UnicodeDecodeError:
        return False
    return True

"""What a command writes, made plain text: no terminal's escape codes, no invalid UTF-8."""

import re
from codecs import getincrementaldecoder

LONGEST_ESCAPE = 2_048

_STRING = rf"[\]PX^_][^\x07\x1b\n]{{0,{LONGEST_ESCAPE}}}"
_ESCAPE = re.compile(
    rf"\x1b(?:\[[0-?]*[ -/]*[@-~]|{_STRING}(?:\x07|\x1b\\)|(?![\[\]PX^_])[ -/]*[0-~])"
)
_BEGUN = re.compile(rf"(?:\r|\x1b(?:\[[0-?]*[ -/]*|{_STRING}\x1b?|[ -/]*))\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}
"""Control characters, and the signs that Unicode has for them."""


class Cleaner:
    """Makes plain text of bytes that come in pieces, cut anywhere."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._begun = ""

    def feed(self, data: bytes, *, is_last: bool = False) -> str:
        """The text of the next piece; what may go on in the one after is held back.

        A carriage return ends a line. Escape codes are left out, other control characters are
        shown by their signs.
        """
        text = (self._begun + self._decoder.decode(data, final=is_last)).replace("\r\n", "\n")
        self._begun = "" if is_last else _unfinished(text)
        return _plain(text[: len(text) - len(self._begun)])


def _unfinished(text: str) -> str:
    found = _BEGUN.search(text, max(0, len(text) - LONGEST_ESCAPE))
    return found[0] if found else ""


def _plain(text: str) -> str:
    if not _CONTROL.search(text):
        return text
    return _ESCAPE.sub("", text.replace("\r", "\n")).translate(_PICTURES)

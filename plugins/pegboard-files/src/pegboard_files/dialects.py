"""RE2's expressions as ripgrep reads them: what it then leaves out has no match in RE2 either."""

import re
from collections.abc import Iterator

import attrs

# Bytes that are no UTF-8, of which RE2 takes some for a character.
_BROKEN = r"(?-u:[\x80-\xff]){3,4}"
_ANY = rf"(?:.|{_BROKEN})"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\f\r "}
_BLANKS = {"t": r"\t", "r": r"\r", "f": r"\f", "v": r"\v"}
_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~")
_TOKEN = re.compile(
    r"""
      (?P<escape>\\.)
    | (?P<group>\((?:\?:|(?!\?)))
    | (?P<set>\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|\\.|[^\]\\\[&~^-])+\])
    | (?P<count>\{\d+(?:,\d*)?\}\??)
    | (?P<times>[*+?]\??)
    | (?P<end>\$)
    | (?P<plain>[^\[{(])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_SET = re.compile(r"[A-Za-z0-9]-[A-Za-z0-9]|\\.|.", re.DOTALL)


class _OtherDialectError(Exception):
    """Something that ripgrep may read in another way."""


@attrs.frozen
class Dialect:
    """An expression that RE2 takes, to be read by ripgrep.

    Attributes:
        pattern: the expression, or plain text.
        is_plain: whether it is plain text.
        ignores_case: whether capitals don't matter.
    """

    pattern: str
    is_plain: bool
    ignores_case: bool

    def options(self) -> tuple[str, ...] | None:
        """The options of ripgrep with which no line is lost; None where there are none."""
        if {"\0", "\n"} & {*self.pattern} or (self.ignores_case and not self.pattern.isascii()):
            return None
        case = "--ignore-case" if self.ignores_case else "--case-sensitive"
        if self.is_plain:
            return ("--fixed-strings", case, f"--regexp={self.pattern}")
        try:
            return (case, f"--regexp={''.join(self._pieces())}")
        except _OtherDialectError:
            return None

    def _pieces(self) -> Iterator[str]:
        for found in _TOKEN.finditer(self.pattern):
            yield self._piece(found, self.pattern[found.end() :])

    def _piece(self, found: re.Match[str], rest: str) -> str:
        token = found[0]
        match found.lastgroup:
            case "group" | "count" | "times":
                return token
            case "escape":
                return self._escape(token[1])
            case "set":
                return self._set(token)
            case "end":
                return self._end(rest)
            case "plain":
                return self._plain(token)
        raise _OtherDialectError(token)

    def _plain(self, letter: str) -> str:
        if letter == ".":
            return _ANY
        return letter if letter in "^|)" else _quoted(letter)

    def _end(self, rest: str) -> str:
        """The end of a line, with the carriage returns before it that aren't searched."""
        if rest.strip(")") or "\\b" in self.pattern or self.pattern.count("$") > 1:
            raise _OtherDialectError("$")
        return r"(?:\r*$)"

    def _escape(self, letter: str) -> str:
        if letter in _CLASSES:
            return f"[{_CLASSES[letter]}]"
        if letter.lower() in _CLASSES:
            return self._negated(_CLASSES[letter.lower()])
        if letter == "b":
            return r"(?-u:\b)"
        if letter in _BLANKS:
            return _BLANKS[letter]
        return _punctuation(letter)

    def _set(self, token: str) -> str:
        is_negated = token.startswith("[^")
        inner = "".join(map(self._in_set, _IN_SET.findall(token[2 if is_negated else 1 : -1])))
        return self._negated(inner) if is_negated else f"[{inner}]"

    def _in_set(self, token: str) -> str:
        if len(token) == 3:
            return token
        if not token.startswith("\\"):
            return _quoted(token)
        letter = token[1]
        return _CLASSES.get(letter) or _BLANKS.get(letter) or _punctuation(letter)

    def _negated(self, inner: str) -> str:
        if self.ignores_case:
            raise _OtherDialectError(inner)
        return f"(?:[^{inner}]|{_BROKEN})"


def _punctuation(letter: str) -> str:
    if not letter.isascii() or letter.isalnum() or letter == "_" or not letter.isprintable():
        raise _OtherDialectError(letter)
    return _quoted(letter)


def _quoted(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character

"""Patterns for paths, as expressions that take time in proportion to the path."""

import re

from pegboard import ToolError

from pegboard_files.expressions import Expression
from pegboard_files.paths import shown

MOST_CHARACTERS = 200

_TOKEN = re.compile(r"\*+/?|\?|\[[!^]?\]?[^\]/]*\]|[{},]|.", re.DOTALL)
_QUOTED = re.compile(r"([\\.+*?()|\[\]{}^$])")


class Glob:
    """A compiled pattern for the paths below a folder.

    `*` and `?` stand for characters of one name, `[abc]` and `[!abc]` for one of them or none of
    them, `{a,b}` for one of several texts, and `**` as a whole part for any folders.

    Args:
        pattern: the pattern, relative to the folder.
        called: what a model calls it.

    Raises:
        ToolError: no path below a folder can fit it.
    """

    def __init__(self, pattern: str, *, called: str = "pattern") -> None:
        fault = _fault(pattern)
        if fault:
            raise ToolError(f"the {called} {shown(pattern)} {fault}", code="invalid_pattern")
        self.wants_folder = pattern.endswith("/")
        plain = pattern.removeprefix("./").rstrip("/")
        self.depth = None if "**" in plain else plain.count("/") + 1
        self._expression = Expression.of_paths(_translated(plain))

    def fits(self, path: str) -> bool:
        """Whether it fits a path, which begins below the folder."""
        return self._expression.is_in(path.encode())


def _fault(pattern: str) -> str | None:
    if not pattern.strip("./") or len(pattern) > MOST_CHARACTERS:
        return f"must have 1 to {MOST_CHARACTERS} characters, such as '**/*.md'"
    if "\0" in pattern or "\\" in pattern:
        return "has a NUL character or a backslash; write '/' between folders, '[*]' for a star"
    if pattern.startswith("/"):
        return "is absolute; it begins below the folder that is searched"
    if ".." in pattern.split("/"):
        return "has a part '..'; name the folder to search as the path"
    return None


def _translated(pattern: str) -> str:
    """The same as an expression of RE2; braces that don't fit together stand for themselves."""
    pieces, open_braces, before = [], 0, "/"
    has_braces = _closes(pattern)
    for found in _TOKEN.finditer(pattern):
        piece, after = found[0], pattern[found.end() : found.end() + 1]
        if piece == "{" and has_braces:
            open_braces += 1
            pieces.append("(?:")
        elif piece == "}" and has_braces:
            open_braces -= 1
            pieces.append(")")
        elif piece == "," and open_braces:
            pieces.append("|")
        else:
            is_part = before in "/{," and (piece.endswith("/") or after in ("", "}", ","))
            pieces.append(_piece(piece, is_part=is_part))
        before = piece[-1]
    return rf"\A(?:{''.join(pieces)})\z"


def _closes(pattern: str) -> bool:
    depth = 0
    for piece in _TOKEN.findall(pattern):
        depth += (piece == "{") - (piece == "}")
        if depth < 0:
            return False
    return depth == 0


def _piece(piece: str, *, is_part: bool) -> str:
    is_star = piece.startswith("*")
    if is_star and piece.startswith("**") and is_part:
        return r"(?:[^/]+/)*" if piece.endswith("/") else r"(?s:.*)"
    if is_star:
        return r"[^/]*/" if piece.endswith("/") else r"[^/]*"
    if piece == "?":
        return r"[^/]"
    if len(piece) > 1:
        return _one_of(piece[1:-1])
    return _QUOTED.sub(r"\\\1", piece)


def _one_of(inner: str) -> str:
    is_negated = inner.startswith(("!", "^"))
    plain = re.sub(r"[\[\]\\^&~]", r"\\\g<0>", inner[1:] if is_negated else inner)
    return f"[^/{plain}]" if is_negated else f"[{plain}]"

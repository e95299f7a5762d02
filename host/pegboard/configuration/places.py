"""On which line of a TOML text each part of it stands."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str, ...]

_DEEPEST = 64
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[{\]}\n]",
    re.DOTALL,
)
"""Strings and comments as a whole, brackets, ends of lines."""


def places(text: str) -> dict[Path, int]:
    """The line of every table and key, by its path of keys.

    The text must be TOML. Keys are read with `tomllib`, so that quoted and dotted ones are what
    they are in TOML; below 64 keys nothing has a line of its own. The tables of `[[an.array]]` have
    their numbers as keys.
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    for line, statement in statements(text):
        path = _path_of(tomllib.loads(statement))
        if statement.lstrip().startswith("["):
            table = path = _numbered(path, counts, is_new=statement.lstrip().startswith("[["))
        else:
            path = table + path
        for end in range(1, min(len(path), _DEEPEST) + 1):
            found.setdefault(path[:end], line)
    return found


def _numbered(path: Path, counts: dict[Path, int], *, is_new: bool) -> Path:
    """The path of a table's head with the numbers of the tables of arrays that it goes through."""
    taken: Path = ()
    for key in path[:-1] if is_new else path:
        taken = (*taken, key)
        if taken in counts:
            taken = (*taken, str(counts[taken] - 1))
    if not is_new:
        return taken
    taken = taken + path[-1:]
    counts[taken] = counts.get(taken, 0) + 1
    return (*taken, str(counts[taken] - 1))


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Every table's head and every key with its value, with the line on which it begins."""
    begun, line, start, depth = 1, 1, 0, 0
    for token in _TOKEN.finditer(f"{text}\n"):
        match token.group():
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case "\n" if depth <= 0:
                statement = text[start : token.end()]
                if not _is_blank(statement):
                    yield begun, statement
                line += 1
                begun, start, depth = line, token.end(), 0
            case words:
                line += words.count("\n")
    if not _is_blank(text[start:]):
        yield begun, text[start:]


def _is_blank(statement: str) -> bool:
    return statement.lstrip()[:1] in ("", "#")


def _path_of(parsed: Any) -> Path:
    """The path of keys down to the first value that isn't a table of one key."""
    path: list[str] = []
    node = parsed[0] if isinstance(parsed, list) and parsed else parsed
    while isinstance(node, dict) and len(node) == 1:
        key, node = next(iter(node.items()))
        path.append(key)
        node = node[0] if isinstance(node, list) and node and isinstance(node[0], dict) else node
    return tuple(path)

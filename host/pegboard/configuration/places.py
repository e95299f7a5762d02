"""On which line of a TOML text each part of it stands."""

import tomllib
from collections.abc import Iterator
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str, ...]


def places(text: str) -> dict[Path, int]:
    """The line of every table and key, by its path of keys.

    The text must be TOML. Each statement is told from the next by reading it with `tomllib`, so
    that quoted keys, dotted keys and values of several lines are what they are in TOML.
    """
    found: dict[Path, int] = {}
    table: Path = ()
    for line, statement in _statements(text):
        path = _path_of(tomllib.loads(statement))
        if statement.lstrip().startswith("["):
            table = path
        else:
            path = table + path
        for end in range(1, len(path) + 1):
            found.setdefault(path[:end], line)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    pending, begun = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not pending:
            begun = number
        pending += f"{line}\n"
        if not _is_whole(pending):
            continue
        if pending.strip() and not pending.lstrip().startswith("#"):
            yield begun, pending
        pending = ""


def _is_whole(statement: str) -> bool:
    try:
        tomllib.loads(statement)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _path_of(parsed: Any) -> Path:
    """The path of keys down to the first value that isn't a table of one key."""
    path: list[str] = []
    node = parsed[0] if isinstance(parsed, list) and parsed else parsed
    while isinstance(node, dict) and len(node) == 1:
        key, node = next(iter(node.items()))
        path.append(key)
        node = node[0] if isinstance(node, list) and node and isinstance(node[0], dict) else node
    return tuple(path)

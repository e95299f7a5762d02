"""What `pegboard tools --json` printed before, while nothing that it depends on has changed.

Imports next to nothing: where the answer is found here, nothing else runs.
"""

import os
import sys
from io import TextIOWrapper

from pegboard.cache import cache_folder, read_own, state_of
from pegboard.version import VERSION

_MARK = "pegboard listing 1"
_PRIME = 2**127 - 1
_JSON = "--json"
_WITH_VALUE = ("--board", "--config")


def listed(words: tuple[str, ...]) -> str | None:
    """What a command line printed before; None where it has to be answered anew."""
    asked = asked_in(words)
    if asked is None or sys.stdout is None:
        return None
    shape = is_unicode(sys.stdout.encoding), sys.stdout.isatty()
    key = key_of(*asked, shape=shape)
    path = None if key is None else path_of(key)
    kept = None if path is None else read_own(path)
    return None if kept is None or key is None else text_in(kept, key)


def asked_in(words: tuple[str, ...]) -> tuple[str | None, str | None] | None:
    """The board and the configuration of `tools --json`; None for another command line."""
    given: dict[str, str] = {}
    rest = iter(words[1:])
    for word in rest:
        name, sign, value = word.partition("=")
        if not sign and name in _WITH_VALUE:
            value = next(rest, "-")
        is_known = name in _WITH_VALUE or word == _JSON
        if not is_known or name in given or value.startswith("-"):
            return None
        given[name] = value
    if words[:1] != ("tools",) or _JSON not in given:
        return None
    return given.get("--board"), given.get("--config")


def key_of(board: str | None, config: str | None, *, shape: tuple[bool, bool]) -> str | None:
    """What an answer depends on beside files, as text; None where that can't be said.

    Args:
        board: the name that was given, if any.
        config: the path that was given, if any.
        shape: whether results may hold any character, and whether a person reads them.
    """
    if config is not None and ".." in config:
        return None  # behind a link, that is another folder than its text says
    try:
        folder = os.getcwd()
    except OSError:
        return None
    place = None if config is None else os.path.join(folder, os.path.normpath(config))
    python = (sys.version, sys.executable, sys.prefix, sys.path)
    return repr((VERSION, *python, folder, board, place, shape))


def is_unicode(encoding: str | None) -> bool:
    """Whether an encoding has every character; the text of a program's own stream has them."""
    return (encoding or "utf-8").lower().replace("-", "") == "utf8"


def path_of(key: str) -> str | None:
    """Where what was printed is kept; None where nothing can be."""
    folder = cache_folder()
    name = int.from_bytes(key.encode(), "big") % _PRIME
    return None if folder is None else f"{folder}/listings/{name:x}"


def kept_text(key: str, stamps: dict[str, str], text: str) -> str:
    """What is kept of an answer, so that `text_in` gives it back."""
    fields = [_MARK, key, str(len(text)), *(each for stamp in stamps.items() for each in stamp)]
    return "\0".join([*fields, "", text])


def text_in(kept: str, key: str) -> str | None:
    """The answer that was kept, if it is whole, of that key, and every stamp still holds."""
    head, _, text = kept.partition("\0\0")
    fields = head.split("\0")
    if fields[:3] != [_MARK, key, str(len(text))] or not len(fields) % 2 or "\0" in text:
        return None
    holds = (state_of(fields[at]) == fields[at + 1] for at in range(3, len(fields), 2))
    return text if all(holds) else None


def print_listed(text: str) -> None:
    """Write text as the rest of the command does, in the encoding of standard output.

    Raises:
        OSError: it can't be written.
    """
    if not _is_descriptor():
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    results = open(  # noqa: SIM115 - closing flushes, and that may fail once more
        1, "w", encoding=sys.stdout.encoding, errors="backslashreplace", closefd=False
    )
    try:
        results.write(text)
        results.flush()
    finally:
        _close(results)


def _is_descriptor() -> bool:
    """Whether standard output is file descriptor 1, and not what a program put in its place."""
    try:
        return sys.stdout.fileno() == 1
    except (OSError, ValueError):
        return False


def _close(results: TextIOWrapper) -> None:
    try:
        results.close()
    except OSError:
        return  # what could not be written was said when it was written

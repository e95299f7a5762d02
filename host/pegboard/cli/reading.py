"""What the user gives: files, standard input, JSON."""

import os
import sys
from pathlib import Path

from pegboard import Config, Limits, NotJSONError
from pegboard.cli.mistakes import UsageError, no_file
from pegboard.configuration import read_config
from pegboard.values import JSON, decode_text

DEFAULT = Path("pegboard.toml")
"""The configuration where none is named, if it is there."""


def config_of(asked: Path | None) -> Config:
    """The configuration that was named, that of the working folder, or none.

    Raises:
        UsageError: there is no such file.
        ConfigError: what is wrong in it.
    """
    if asked is None:
        return read_config(DEFAULT) if os.path.lexists(DEFAULT) else Config()
    if not os.path.lexists(asked):
        raise no_file(asked, kind="configuration file")
    return read_config(asked)


def arguments_of(word: str | None, limits: Limits) -> str | None:
    """The arguments of a call, as their JSON text: a word, `@FILE`, or `-` for standard input.

    Raises:
        UsageError: it can't be read, or isn't JSON; says where.
    """
    if word is None:
        return None
    if word == "-":
        return _checked(_standard_input(), "standard input", limits)
    if word.startswith("@"):
        return _checked(_text(Path(word[1:])), word[1:], limits)
    return _checked(word, "JSON", limits)


def message_of(path: Path, limits: Limits) -> JSON:
    """The message in a file; `-` is standard input.

    Raises:
        UsageError: it can't be read, is empty, or isn't JSON; says where.
    """
    source = "standard input" if str(path) == "-" else str(path)
    text = _standard_input() if str(path) == "-" else _text(path)
    if not text.strip():
        raise UsageError(f"{source} is empty where a message is expected")
    return _decoded(text, source, limits)


def _checked(text: str, source: str, limits: Limits) -> str | None:
    """The text itself: what reads it as arguments decodes it, and once is enough."""
    if not text.strip():
        return None
    _decoded(text, source, limits)
    return text


def _decoded(text: str, source: str, limits: Limits) -> JSON:
    try:
        return decode_text(text, limits)
    except NotJSONError as error:
        raise UsageError(f"{source}: {error}") from None


def _text(path: Path) -> str:
    try:
        return _unicode(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise no_file(path, kind="file") from None
    except OSError as error:
        raise UsageError(f"{str(path)!r} can't be read: {error.strerror}") from None


def _standard_input() -> str:
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    try:
        return _unicode(sys.stdin.buffer.read(), "standard input")
    except OSError as error:
        raise UsageError(f"standard input can't be read: {error.strerror}") from None


def _unicode(text: bytes, source: str) -> str:
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} isn't text in UTF-8: see byte {error.start}") from None

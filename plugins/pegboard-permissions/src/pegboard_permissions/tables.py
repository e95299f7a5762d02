"""The text of the file of answers: read with every mistake named, written with comments kept."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomlkit
from pegboard import JSON, PegboardError
from tomlkit.exceptions import ParseError, TOMLKitError

from pegboard_permissions.answers import Answer
from pegboard_permissions.judging import Question

HEAD = """\
# Answers "always" of people, written by pegboard-permissions, which reads the file again when it
# changes. Remove an entry to be asked again. A rule that denies wins over every entry.

"""
_KEYS = {"plugin", "distribution", "tool", "arguments", "boards"}
_ENTRY = re.compile(r"^[ \t]*\[\[[ \t]*(?:allow|\"allow\"|'allow')[ \t]*\]\]", re.MULTILINE)


class StoreError(PegboardError):
    """The file of answers can't be used; the message says where and why."""


def read_answers(path: Path, text: str) -> list[Answer]:
    """The answers in a file's text.

    Raises:
        StoreError: something in it isn't what it should be; says on which line.
    """
    table = _parsed(path, text).unwrap()
    for key in table:
        if key != "allow":
            raise StoreError(f"{path}:{_line_of(text, key)}: {key!r} isn't known; use [[allow]]")
    entries = table.get("allow", [])
    if not isinstance(entries, list):
        raise StoreError(f"{path}:{_line_of(text, 'allow')}: write [[allow]] for each answer")
    lines = _lines_of_entries(text)
    return [_answer(entry, f"{path}:{next(lines)}") for entry in entries]


def with_answer(path: Path, text: str, answer: Answer) -> str:
    """The text with one more answer, and everything else in it as it was.

    Raises:
        StoreError: the text can't be read.
    """
    read_answers(path, text)
    document = _parsed(path, text or HEAD)
    entries: Any = document.get("allow")
    if entries is None:
        entries = tomlkit.aot()
        document.append("allow", entries)
    inside = isinstance(entries, tomlkit.items.Array)
    entry: Any = tomlkit.inline_table() if inside else tomlkit.table()
    for key, value in answer.to_json().items():
        entry.append(key, _inline(value))
    entries.append(entry)
    written = tomlkit.dumps(document)
    read_answers(path, written)
    return written


def _inline(value: JSON) -> Any:
    if not isinstance(value, dict):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _parsed(path: Path, text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except ParseError as error:
        raise StoreError(f"{path}:{error.line}: {_sentence(error)}") from error
    except TOMLKitError as error:
        raise StoreError(f"{path}: {_sentence(error)}") from error


def _sentence(error: Exception) -> str:
    said = re.sub(r" at line \d+ col \d+$", "", str(error)) or type(error).__name__
    return f"isn't TOML: {said}"


def _answer(entry: object, place: str) -> Answer:
    if not isinstance(entry, dict):
        raise StoreError(f"{place}: an answer is a table")
    for key in entry:
        if key not in _KEYS:
            raise StoreError(f"{place}: {key!r} isn't known; use {', '.join(sorted(_KEYS))}")
    names = {key: entry.get(key) for key in ("plugin", "distribution", "tool")}
    for key, name in names.items():
        if (name is not None or key == "tool") and (not isinstance(name, str) or not name):
            raise StoreError(f"{place}: {key!r} must be a name")
    arguments, boards = entry.get("arguments", {}), entry.get("boards", ["*"])
    if not isinstance(arguments, dict) or not _are(arguments.values(), str, bool, int, float):
        raise StoreError(f"{place}: 'arguments' must be patterns, numbers or booleans by path")
    if not isinstance(boards, list) or not boards or not _are(boards, str):
        raise StoreError(f"{place}: 'boards' must be a list of patterns")
    question = Question.of(arguments)
    tool = str(names["tool"])
    return Answer(names["plugin"], names["distribution"], tool, question, tuple(boards))


def _are(values: Any, *kinds: type) -> bool:
    return all(isinstance(each, kinds) for each in values)


def _lines_of_entries(text: str) -> Iterator[int]:
    """The line of each entry, as far as each has a head of its own."""
    last = _line_of(text, "allow")
    for found in _ENTRY.finditer(text):
        last = text.count("\n", 0, found.start()) + 1
        yield last
    while True:
        yield last


def _line_of(text: str, key: str) -> int:
    found = re.search(rf"^[ \t]*\[*[ \t]*[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return 1 if found is None else text.count("\n", 0, found.start()) + 1

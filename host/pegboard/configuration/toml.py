"""From a file to the plain values of its table, and the line of each."""

import datetime as dt
import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, TypeAlias

import attrs

from pegboard.config import Place
from pegboard.configuration.places import places, statements
from pegboard.errors import ConfigError, did_you_mean, near_names

Keys: TypeAlias = tuple[Any, ...]

_DEEPEST = 128
_MOST = 4 * 2**20
"""Bytes of a file; reading more takes longer than anything may take."""
_PYPROJECT = ("tool", "pegboard")


@attrs.frozen
class Source:
    """One file's table.

    Attributes:
        path: the file.
        table: its plain values.
        known: where each part stands in it.
    """

    path: Path
    table: dict[str, Any]
    known: Mapping[Keys, Place]


def read_source(path: Path) -> Source:
    """The table that a file holds for pegboard.

    Raises:
        ConfigError: it can't be read, isn't TOML, or holds no such table.
    """
    text = _text(path)
    table = _parsed(path, text)
    known = {keys: Place(path, line) for keys, line in places(text).items()}
    if path.name != "pyproject.toml":
        return Source(path, table, known)
    inner = _own_table(path, table, known)
    size = len(_PYPROJECT)
    return Source(path, inner, {k[size:]: at for k, at in known.items() if k[:size] == _PYPROJECT})


def plain(value: Any, note: Callable[[Keys, str], None], at: Keys = ()) -> Any:
    """TOML's dates and times as the text that JSON has for them; what JSON hasn't is left out.

    Args:
        value: what TOML gave.
        note: gets the keys of each number that isn't finite, and what is wrong with it.
        at: the keys of the value.
    """
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if _is_kept(each, note, (*at, key))}
        return {key: plain(each, note, (*at, key)) for key, each in kept.items()}
    if isinstance(value, list):
        items = [(i, each) for i, each in enumerate(value) if _is_kept(each, note, (*at, i))]
        return [plain(each, note, (*at, i)) for i, each in items]
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return value


def _is_kept(value: Any, note: Callable[[Keys, str], None], at: Keys) -> bool:
    is_kept = not isinstance(value, float) or math.isfinite(value)
    if not is_kept:
        note(at, "must be a finite number")
    return is_kept


def _text(path: Path) -> str:
    try:
        mode = path.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise ConfigError([_no_file(path)])
        return _bytes(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError([f"there is no configuration file {str(path)!r}"]) from None
    except (OSError, ValueError) as error:
        raise ConfigError([f"{path} can't be read: {error}"]) from error


def _bytes(path: Path) -> bytes:
    """What stands in a file; never waits for who writes to a pipe that has taken its place.

    Raises:
        ConfigError: it is no file any more, is too large, or somebody writes to it.
    """
    with open(path, "rb", opener=_opened) as file:
        before = os.fstat(file.fileno())
        if not S_ISREG(before.st_mode):
            raise ConfigError([_no_file(path)])
        text = file.read(_MOST + 1)
        after = os.fstat(file.fileno())
    if len(text) > _MOST:
        raise ConfigError([f"{path} can't be read: it is larger than {_MOST} bytes"])
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise ConfigError([f"{path} can't be read: it is being written"])
    return text


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _no_file(path: Path) -> str:
    return f"{path} can't be read: it is a pipe or a device, not a file"


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        hint = ""
        if '"configured"' in text:
            hint = '; beside [boards.…] tables, write unknown_boards = "refuse" at the top'
        raise ConfigError([f"{path} isn't TOML: {error}{hint}"]) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError([_refusal(path, text)]) from error
    if not _is_shallow(table):
        raise ConfigError([_refusal(path, text)])
    return table


def _refusal(path: Path, text: str) -> str:
    """The first statement that can't be taken, and why."""
    for line, statement in statements(text):
        try:
            is_taken = _is_shallow(tomllib.loads(statement))
        except tomllib.TOMLDecodeError:
            continue
        except ValueError:
            return f"{Place(path, line)}: a number here has too many digits"
        except RecursionError:
            is_taken = False
        if not is_taken:
            return f"{Place(path, line)}: is nested deeper than {_DEEPEST} levels"
    return f"{path}: is nested deeper than {_DEEPEST} levels"


def _is_shallow(table: Any) -> bool:
    level = [table]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return True
    return False


def _inside(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, dict) else value
    return (each for each in inner if isinstance(each, (dict, list)))


def _own_table(path: Path, table: Any, known: Mapping[Keys, Place]) -> dict[str, Any]:
    """What stands under `[tool.pegboard]`."""
    for end, key in enumerate(_PYPROJECT, 1):
        if key not in table:
            near = near_names(key, table)
            where = known.get((*_PYPROJECT[: end - 1], near[0]), path) if near else path
            said = did_you_mean([f"[{'.'.join((*_PYPROJECT[: end - 1], each))}]" for each in near])
            raise ConfigError([f"{where}: there is no table [{'.'.join(_PYPROJECT)}]{said}"])
        table = table[key]
        if not isinstance(table, dict):
            keys = _PYPROJECT[:end]
            raise ConfigError([f"{known.get(keys, path)}: {'.'.join(keys)}: must be one table"])
    return dict(table)

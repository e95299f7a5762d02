"""Values between SQLite and JSON, each exact."""

import base64
import binascii
import math
from typing import Literal, TypeAlias

import attrs
from pegboard import JSON, ToolError

from pegboard_sqlite.wording import shown

_LEAST, _MOST = -(2**63), 2**63 - 1
_MARKS = (":", "@", "$")


@attrs.frozen
class Bytes:
    """A BLOB, or a text that isn't UTF-8.

    Attributes:
        base64: its bytes, or the first of them.
        size: how many it has.
        kind: what SQLite calls it.
    """

    base64: str
    size: int
    kind: Literal["blob", "text"]


@attrs.frozen
class Number:
    """A number that JSON can't say."""

    number: Literal["Infinity", "-Infinity"]


Cell: TypeAlias = int | float | str | Bytes | Number | None


@attrs.frozen
class _Text:
    """The bytes of a text that isn't UTF-8, on their way out of SQLite."""

    data: bytes


def read_text(data: bytes) -> str | _Text:
    """A text of a database."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _Text(data)


def legible(text: object) -> str:
    """A text of a database as valid text; bytes that aren't UTF-8 are shown in hexadecimal."""
    return text.data.decode(errors="backslashreplace") if isinstance(text, _Text) else str(text)


def cell_of(value: object, *, most: int) -> tuple[Cell, bool]:
    """A value as JSON has it, and whether it was cut.

    Args:
        value: as Python's sqlite3 gives it.
        most: how many bytes of it are kept.
    """
    match value:
        case str():
            return _cut(value, most)
        case float() if not math.isfinite(value):
            return Number("Infinity" if value > 0 else "-Infinity"), False
        case None | int() | float():
            return value, False
        case bytes():
            return _bytes(value, "blob", most)
        case _Text():
            return _bytes(value.data, "text", most)
        case _:
            raise TypeError(f"SQLite gave {type(value).__name__}")


def _cut(text: str, most: int) -> tuple[str, bool]:
    if len(text) * 4 <= most or len(data := text.encode()) <= most:
        return text, False
    return data[:most].decode(errors="ignore"), True


def _bytes(data: bytes, kind: Literal["blob", "text"], most: int) -> tuple[Bytes, bool]:
    return Bytes(base64.b64encode(data[:most]).decode(), len(data), kind), len(data) > most


def bound(parameters: list[JSON] | dict[str, JSON] | None) -> list[object] | dict[str, object]:
    """Parameters of a call as SQLite takes them.

    Raises:
        ToolError: one is nothing that SQLite can hold.
    """
    if isinstance(parameters, dict):
        return _named(parameters)
    return [_parameter(each, str(number)) for number, each in enumerate(parameters or (), 1)]


def _named(parameters: dict[str, JSON]) -> dict[str, object]:
    """Parameters by their names, which SQL writes with a mark in front and Python without."""
    found: dict[str, object] = {}
    for key, value in parameters.items():
        name = key[1:] if key.startswith(_MARKS) else key
        if name in found:
            raise _misfit(shown(key), "is given twice, with and without its mark")
        found[name] = _parameter(value, shown(key))
    return found


def _parameter(value: JSON, which: str) -> object:
    match value:
        case {"base64": str(encoded)}:
            return _decoded(encoded, which)
        case {"number": "Infinity" | "-Infinity" as number}:
            return float(str(number))
    if isinstance(value, (dict, list)):
        raise _misfit(which, "is an array or an object; give it as JSON text")
    if isinstance(value, int) and not _LEAST <= value <= _MOST:
        raise _misfit(which, "has more than 64 bits; give it as text")
    return value


def _decoded(text: str, which: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise _misfit(which, "isn't valid base64") from None


def _misfit(which: str, reason: str) -> ToolError:
    return ToolError(f"parameter {which} {reason}", code="misfit")

"""Whether the bytecode that Python keeps beside a source is what the source compiles to."""

import importlib.util
import marshal
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType

_HEADER = 16
_LEVELS = ("", 1, 2)
_UNREADABLE = (
    EOFError,
    MemoryError,
    OverflowError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


def foreign_bytecode(source: Path, text: bytes) -> Iterator[Path]:
    """The kept bytecode that Python would run in the place of a source, and that isn't of it.

    Args:
        source: the file.
        text: what stands in it.
    """
    for level in _LEVELS:
        kept = Path(importlib.util.cache_from_source(str(source), optimization=level))
        if kept.is_file() and not _is_of(kept.read_bytes(), source, text, int(level or 0)):
            yield kept


def _is_of(kept: bytes, source: Path, text: bytes, level: int) -> bool:
    """Whether it is of the source, or so old that Python compiles the source anew."""
    if not _is_taken(kept[:_HEADER], source, text):
        return True
    try:
        wanted = compile(text, str(source), "exec", dont_inherit=True, optimize=level)
        if kept[_HEADER:] == marshal.dumps(wanted):
            return True
        found = marshal.loads(kept[_HEADER:])  # noqa: S302 - read as an import would, not run
    except _UNREADABLE:
        return False
    return isinstance(found, CodeType) and _is_same(found, wanted)


def _is_taken(header: bytes, source: Path, text: bytes) -> bool:
    """Whether Python takes what stands below such a header rather than the source."""
    if len(header) < _HEADER or header[:4] != importlib.util.MAGIC_NUMBER:
        return False
    flags = int.from_bytes(header[4:8], "little")
    if not flags & 1:
        time, size = (int.from_bytes(header[at : at + 4], "little") for at in (8, 12))
        return time == int(source.stat().st_mtime) & 0xFFFFFFFF and size == len(text) & 0xFFFFFFFF
    is_checked = bool(flags & 2)
    return not is_checked or header[8:16] == importlib.util.source_hash(text)


def _is_same(found: CodeType, wanted: CodeType) -> bool:
    """Whether two pieces of code do the same; where their sources are said to be doesn't count."""
    if found != wanted:
        return False
    pairs = zip(_parts(found), _parts(wanted), strict=True)
    return all(_extras(one) == _extras(other) for one, other in pairs)


def _parts(code: CodeType) -> Iterator[CodeType]:
    """The code itself and all code inside it."""
    pending: list[CodeType] = [code]
    while pending:
        each = pending.pop()
        yield each
        pending += _codes(each.co_consts)


def _codes(constants: Iterable[object]) -> Iterator[CodeType]:
    return (each for each in constants if isinstance(each, CodeType))


def _extras(code: CodeType) -> tuple[object, ...]:
    """What comparing code leaves out on some versions of Python."""
    return code.co_exceptiontable, code.co_stacksize, code.co_qualname, code.co_linetable

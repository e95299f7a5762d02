"""What is otherwise in one JSON value than in another, line by line."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from pegboard.texts import escaped
from pegboard.values import JSON
from pegboard.values.codec import sorted_text

_Pair: TypeAlias = tuple[str, Any, Any]
_ABSENT = object()


def differences(accepted: JSON, found: JSON) -> tuple[str, ...]:
    """What was accepted (`- path: value`) and what there is (`+ path: value`), by path.

    The order of keys doesn't count; whatever people don't see in a text is escaped.
    """
    lines: list[str] = []
    pending: list[_Pair] = [("", accepted, found)]
    while pending:
        path, old, new = pending.pop()
        inside = _inside(path, old, new)
        if inside is None:
            lines += _lines(path, old, new)
        else:
            pending += reversed(list(inside))
    return tuple(lines)


def _inside(path: str, old: Any, new: Any) -> Iterator[_Pair] | None:
    """The pairs to look into, or None where both sides are to be shown as a whole."""
    if type(old) is dict and type(new) is dict:
        return _of_objects(path, old, new)
    if type(old) is list and type(new) is list:
        return _of_lists(path, old, new)
    return None


def _of_objects(path: str, old: dict[str, JSON], new: dict[str, JSON]) -> Iterator[_Pair]:
    for key in sorted(old.keys() | new.keys()):
        shown = escaped(key)
        yield f"{path}.{shown}" if path else shown, old.get(key, _ABSENT), new.get(key, _ABSENT)


def _of_lists(path: str, old: list[JSON], new: list[JSON]) -> Iterator[_Pair]:
    """What lies between an equal start and an equal end: in pairs, or what went and what came."""
    texts = [[sorted_text(each) for each in side] for side in (old, new)]
    start = _equal(zip(*texts, strict=False))
    rest = [side[start:] for side in texts]
    end = _equal(zip(*map(reversed, rest), strict=False))
    gone, came = range(start, len(old) - end), range(start, len(new) - end)
    if len(gone) == len(came):
        yield from ((f"{path}[{at}]", old[at], new[at]) for at in gone)
        return
    yield from ((f"{path}[{at}]", old[at], _ABSENT) for at in gone)
    yield from ((f"{path}[{at}]", _ABSENT, new[at]) for at in came)


def _equal(pairs: Iterable[Sequence[bytes]]) -> int:
    """How many pairs are equal, up to the first that isn't."""
    number = 0
    for one, other in pairs:
        if one != other:
            break
        number += 1
    return number


def _lines(path: str, old: Any, new: Any) -> Iterator[str]:
    is_there = old is not _ABSENT and new is not _ABSENT
    if is_there and sorted_text(old) == sorted_text(new):
        return
    for sign, value in (("-", old), ("+", new)):
        if value is not _ABSENT:
            shown = json.dumps(value, ensure_ascii=False, sort_keys=True)
            yield f"{sign} {path}: {escaped(shown)}"

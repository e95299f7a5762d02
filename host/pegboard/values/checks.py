"""Whether a Python value is lossless JSON; no check recurses on the interpreter's stack."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import isfinite
from typing import Any

from pegboard.errors import NotJSONError
from pegboard.values.limits import MAX_DIGITS, Limits

_SCALARS = frozenset({str, int, float, bool, type(None)})
_HOLDERS = frozenset({dict, list})
_FLAT = frozenset({str, int, bool, type(None)})
_MANY = 10_000
_TOO_LARGE = 10**MAX_DIGITS

KINDS = _SCALARS | _HOLDERS
"""The exact types of JSON."""


def is_flat(value: Any, limits: Limits) -> bool:
    """Whether it is a scalar, or a dict of text, integers, booleans and None: the common case.

    Keys and the finiteness of a lone float are left to the encoder.
    """
    if type(value) is not dict:
        return type(value) in _SCALARS
    for each in value.values():
        if type(each) not in _FLAT:
            return False
    return len(value) < limits.max_nodes


def kinds_in(value: Any, limits: Limits) -> AbstractSet[type]:
    """The types of all that is inside a value; none if it goes beyond the limits.

    Level by level, with the types of a whole level collected at once, so that the cost is per
    container. What it doesn't see (keys, lone surrogates, huge integers) the encoder refuses.
    """
    kinds, left, depth = {type(value)}, limits.max_nodes - 1, 0
    level: Sequence[Any] = [value] if type(value) in _HOLDERS else ()
    while level:
        depth += 1
        if depth > limits.max_depth:
            return frozenset()
        values: list[Any] = []
        for each in level:
            values += each.values() if type(each) is dict else each
            if len(values) > left:
                return frozenset()
        left -= len(values)
        found = set(map(type, values))
        kinds |= found
        level = _holders(values, found)
    return kinds


def is_finite(value: Any) -> bool:
    """Whether every float inside is; for a value of JSON types that keeps to the limits."""
    level = [value]
    while level:
        if not all(isfinite(each) for each in level if type(each) is float):
            return False
        holders = [each for each in level if type(each) in _HOLDERS]
        level = []
        for each in holders:
            level += each.values() if type(each) is dict else each
    return True


def _holders(values: list[Any], kinds: AbstractSet[type]) -> Sequence[Any]:
    if dict not in kinds and list not in kinds:
        return ()
    if len(kinds) == 1:
        return values
    if dict not in kinds:
        return [each for each in values if type(each) is list]
    return [each for each in values if type(each) in _HOLDERS]


def find_fault(value: Any, limits: Limits) -> NotJSONError | None:
    """The first thing in `value` that isn't lossless JSON, with its path, or None."""
    for nodes, (path, item, depth, ancestors) in enumerate(_walk(value), 1):
        is_over = nodes > limits.max_nodes or _size_of(item) > limits.max_nodes
        if is_over or (nodes == _MANY and _holds_more(value, limits.max_nodes)):
            return NotJSONError(limits.more_nodes())
        if id(item) in ancestors:
            return NotJSONError("a list or object that holds itself", path=show_path(path))
        if depth > limits.max_depth:
            return NotJSONError(limits.deeper(), path=show_path(path[:8]) + "…")
        reason = _fault_of(item)
        if reason:
            return NotJSONError(reason, path=show_path(path), keys=path)
    return None


def _holds_more(value: Any, most: int) -> bool:
    """Whether there are more values inside each other, found without the paths that cost time."""
    nodes, level = 1, [value]
    while level and nodes <= most:
        below: list[Any] = []
        for item in level:
            nodes += _size_of(item)
            if nodes > most:
                return True
            parts = item.values() if type(item) is dict else item
            below.extend(each for each in parts if type(each) is dict or type(each) is list)
        level = below
    return False


def _size_of(item: Any) -> int:
    return len(item) if type(item) is dict or type(item) is list else 0


def _walk(value: Any) -> Iterator[tuple[tuple[Any, ...], Any, int, frozenset[int]]]:
    stack: list[tuple[tuple[Any, ...], Any, frozenset[int]]] = [((), value, frozenset())]
    while stack:
        path, item, ancestors = stack.pop()
        is_holder = type(item) is dict or type(item) is list
        yield path, item, len(path) + is_holder, ancestors
        if not is_holder or id(item) in ancestors:
            continue
        inside = ancestors | {id(item)}
        pairs = item.items() if type(item) is dict else enumerate(item)
        stack.extend(((*path, key), each, inside) for key, each in reversed(list(pairs)))


def _fault_of(item: Any) -> str | None:
    kind = type(item)
    if kind not in KINDS:
        return f"{_kind_name(kind)} isn't JSON"
    if kind is float and not isfinite(item):
        return "a float that isn't finite isn't JSON"
    if kind is int and abs(item) >= _TOO_LARGE:
        return f"an integer of more than {MAX_DIGITS} digits"
    if kind is str and _has_surrogate(item):
        return "text with a lone surrogate isn't JSON"
    if kind is dict:
        return _fault_of_keys(item)
    return None


def _fault_of_keys(item: dict[Any, Any]) -> str | None:
    for key in item:
        if type(key) is not str:
            return f"a key of type {_kind_name(type(key))} isn't JSON"
        if _has_surrogate(key):
            return "a key with a lone surrogate isn't JSON"
    return None


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text)


def _kind_name(kind: type) -> str:
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def show_path(path: tuple[Any, ...]) -> str:
    """A JSON path for people: `$.items[3]`, keys that aren't plain words quoted."""
    shown = "$"
    for part in path:
        if type(part) is int:
            shown += f"[{part}]"
        elif isinstance(part, str) and part.isidentifier():
            shown += f".{part}"
        else:
            shown += f"[{part!a:.80}]"
    return shown

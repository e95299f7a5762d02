"""Whether a Python value is lossless JSON; no check recurses on the interpreter's stack."""

from collections.abc import Iterator
from gc import get_referents
from math import isfinite
from typing import Any

from pegboard.errors import NotJSONError
from pegboard.values.limits import MAX_DIGITS, Limits

_FLAT = frozenset({str, int, bool, type(None)})
_KINDS = _FLAT | {float, dict, list}
_MANY = 10_000
_TOO_LARGE = 10**MAX_DIGITS


def is_flat(value: Any, limits: Limits) -> bool:
    """Whether it is text, a whole number and so on, or a dict of such: the common case.

    Keys are left to the encoder.
    """
    if type(value) is not dict:
        return type(value) in _FLAT
    for each in value.values():
        if type(each) not in _FLAT:
            return False
    return len(value) < limits.max_nodes


def is_exact(value: Any, limits: Limits) -> bool:
    """Whether all that is inside is of JSON's own types and finite, and keeps to the limits.

    Level by level. What lists and dicts hold is asked of the garbage collector, which tells it for
    a whole level at once; keys are left to the encoder, as are lone surrogates and huge integers.
    """
    level, left, depth = [value], limits.max_nodes, 0
    while True:
        left -= len(level)
        is_last = True
        for each in level:
            kind = type(each)
            if kind is str or kind is int or each is None or kind is bool:
                continue
            if kind is dict or kind is list:
                is_last = False
            elif kind is not float or not isfinite(each):
                return False
        depth += not is_last
        if left < 0 or depth > limits.max_depth:
            return False
        if is_last:
            return True
        level = get_referents(*level)


def find_fault(value: Any, limits: Limits) -> NotJSONError | None:
    """The first thing in `value` that isn't lossless JSON, with its path, or None."""
    for nodes, (path, item, depth, ancestors) in enumerate(_walk(value), 1):
        is_over = nodes > limits.max_nodes or _size_of(item) > limits.max_nodes
        if is_over or (nodes == _MANY and _holds_more(value, limits.max_nodes)):
            return NotJSONError(limits.more_nodes(), is_too_much=True)
        if id(item) in ancestors:
            return NotJSONError("a list or object that holds itself", path=show_path(path))
        if depth > limits.max_depth:
            return NotJSONError(limits.deeper(), path=show_path(path[:8]) + "…", is_too_much=True)
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
    if kind not in _KINDS:
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

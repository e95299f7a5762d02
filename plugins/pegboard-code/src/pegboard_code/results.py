"""The value of a program as lossless JSON, or what stands in the way."""

import math
from typing import Any

from pegboard import JSON, Limits

LONG = "an integer of more than 4300 digits"
"""What Python itself refuses to write."""

_LIMIT = 10**4300
_ADVICE = {
    "set": "make a list of it, with sorted()",
    "frozenset": "make a list of it, with sorted()",
    "dict_keys": "make a list of it, with list()",
    "dict_values": "make a list of it, with list()",
    "dict_items": "make a list of it, with list()",
    "range": "make a list of it, with list()",
    "bytes": "decode it",
    "coroutine": "write `await` before the call",
    "function": "call it",
    "builtin_function_or_method": "call it",
    "datetime": "make text of it, with .isoformat()",
    "date": "make text of it, with .isoformat()",
    "Decimal": "make a number or text of it, with float() or str()",
    "nan": "use None instead",
    "inf": "use None instead",
    LONG: "make text of it in another base, with hex(), or a float",
}
_BARE = {"nan", "inf", LONG}


class NotLosslessError(ValueError):
    """A value that isn't JSON; the text says where and what."""


def refusal(path: str, kind: str, *, root: str = "the result") -> NotLosslessError:
    """The error for a value.

    Args:
        path: where it is below the root, as Python would write it.
        kind: what it is, the name of a type.
        root: what the whole is.
    """
    advice = f": {_ADVICE[kind]}" if kind in _ADVICE else ""
    named = kind if kind in _BARE else f"of type {kind}"
    return NotLosslessError(f"{_where(path, root)} is {named}, which is not JSON{advice}")


def refusal_of_key(path: str, kind: str, *, root: str = "the result") -> NotLosslessError:
    """The error for a dict with a key that isn't text; see `refusal`."""
    said = f"has a key of type {kind}: keys are text in JSON, use str()"
    return NotLosslessError(f"{_where(path, root)} {said}")


def found_odd(found: Any, *, root: str) -> NotLosslessError:
    """The error for what was found inside of the sandbox: a path, a type and a role.

    Nothing is found where a value contains itself, or has no end that is near.
    """
    if not isinstance(found, tuple) or len(found) != 3:
        return NotLosslessError(f"{root} contains itself, or is nested too deeply")
    path, kind, role = map(str, found)
    if role == "key":
        return refusal_of_key(path, kind, root=root)
    return refusal(path, kind, root=root)


def _where(path: str, root: str) -> str:
    """A place in the whole, as the author of the program would find it."""
    return f"{root}, at {path[:200]}," if path else root


def lossless(value: Any, *, root: str = "the result") -> JSON:
    """A copy in which tuples are lists.

    Raises:
        NotLosslessError: something in it isn't JSON, or it is nested too deeply.
    """
    whole: list[Any] = [None]
    left: list[tuple[Any, Any, Any, str, int]] = [(whole, 0, value, "", 1)]
    most = Limits().max_depth
    while left:
        holder, key, each, path, depth = left.pop()
        if depth > most:
            raise NotLosslessError(f"{root} is nested deeper than {most - 1} levels")
        if isinstance(each, list | tuple):
            holder[key] = copy = [None] * len(each)
            left += [(copy, n, one, f"{path}[{n}]", depth + 1) for n, one in enumerate(each)]
        elif type(each) is dict:
            holder[key] = mapping = dict.fromkeys(_texts(each, path, root))
            left += [(mapping, k, one, f"{path}[{k!r}]", depth + 1) for k, one in each.items()]
        else:
            holder[key] = _scalar(each, path, root)
    return whole[0]


def _texts(each: dict[Any, Any], path: str, root: str) -> dict[str, Any]:
    for key in each:
        if type(key) is not str:
            raise refusal_of_key(path, _kind(key), root=root)
    return each


def _scalar(each: Any, path: str, root: str) -> JSON:
    kind = type(each)
    if each is None or kind in {bool, str}:
        return each
    if kind is int:
        if -_LIMIT < each < _LIMIT:
            return each
        raise refusal(path, LONG, root=root)
    if kind is float and math.isfinite(each):
        return each
    raise refusal(path, _kind(each), root=root)


def _kind(each: Any) -> str:
    """What a value is, as the program would name it."""
    if type(each) is float and not math.isfinite(each):
        return "nan" if math.isnan(each) else "inf"
    if isinstance(each, type):
        return "type"
    shown = getattr(each, "name", None)
    if type(each).__name__ == "MontyClassProxy" and isinstance(shown, str):
        return shown
    if type(each).__name__ == "MontyStdTypeProxy":
        return str(getattr(each, "kind", "function"))
    return type(each).__name__

"""The value of a program as lossless JSON, or what stands in the way."""

import math
from typing import Any

from pegboard import JSON, Limits

LONG = "an integer of more than 4300 digits"
"""What Python itself refuses to write."""

_LIMIT = 10**4300
_LONGEST_PATH = 200
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
    if not _is_place(found):
        return NotLosslessError(f"{root} contains itself, or is nested too deeply")
    path, kind, role = found
    kind = kind[:_LONGEST_PATH]
    if role == "key":
        return refusal_of_key(path, kind, root=root)
    if role == "tuple":
        said = f"is of type {kind}, which is not JSON: make a list of it, with list()"
        return NotLosslessError(f"{_where(path, root)} {said}")
    return refusal(path, kind, root=root)


def _is_place(found: Any) -> bool:
    is_three = isinstance(found, tuple) and len(found) == 3
    return is_three and all(type(each) is str for each in found)


def _where(path: str, root: str) -> str:
    """A place in the whole, as the author of the program would find it."""
    return f"{root}, at {path[:_LONGEST_PATH]}," if path else root


def lossless(value: Any, *, root: str = "the result") -> JSON:
    """A copy in which tuples are lists.

    What is in it more than once is counted each time, so the copy is never much larger than what
    the limits of JSON allow.

    Raises:
        NotLosslessError: something in it isn't JSON, or it is too large or nested too deeply.
    """
    whole: list[Any] = [None]
    left: list[tuple[Any, Any, Any, str, int]] = [(whole, 0, value, "", 1)]
    most = Limits().max_depth
    budget = _Budget(root)
    budget.take_parts(1)
    while left:
        holder, key, each, path, depth = left.pop()
        if depth > most:
            raise NotLosslessError(f"{root} is nested deeper than {most - 1} levels")
        if isinstance(each, list | tuple):
            budget.take_parts(len(each))
            holder[key] = copy = [None] * len(each)
            left += [(copy, n, one, _below(path, n), depth + 1) for n, one in enumerate(each)]
        elif type(each) is dict:
            budget.take_parts(len(each))
            holder[key] = mapping = dict.fromkeys(_texts(each, path, budget))
            left += [(mapping, k, one, _below(path, k), depth + 1) for k, one in each.items()]
        else:
            holder[key] = _scalar(each, path, budget)
    return whole[0]


class _Budget:
    """How much of a value may still be copied."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._most = Limits()
        self._parts = self._most.max_nodes
        self._bytes = self._most.max_bytes

    def take_parts(self, count: int) -> None:
        self._parts -= count
        if self._parts < 0:
            raise self._spent(f"{self._most.max_nodes:,} parts")

    def take_text(self, text: str) -> None:
        self._take(len(text) if text.isascii() else len(text.encode(errors="surrogatepass")))

    def take_integer(self, number: int) -> None:
        self._take(number.bit_length() // 4)

    def _take(self, size: int) -> None:
        self._bytes -= size
        if self._bytes < 0:
            raise self._spent(f"{self._most.max_bytes:,} bytes of text")

    def _spent(self, limit: str) -> NotLosslessError:
        return NotLosslessError(f"{self.root} has more than {limit}: give back less of it")


def _below(path: str, key: str | int) -> str:
    """The path of a part, no longer than anyone reads."""
    if len(path) > _LONGEST_PATH:
        return path
    return f"{path}[{key[:_LONGEST_PATH]!r}]" if isinstance(key, str) else f"{path}[{key}]"


def _texts(each: dict[Any, Any], path: str, budget: _Budget) -> dict[str, Any]:
    for key in each:
        if type(key) is not str:
            raise refusal_of_key(path, _kind(key), root=budget.root)
        budget.take_text(key)
    return each


def _scalar(each: Any, path: str, budget: _Budget) -> JSON:
    kind = type(each)
    if kind is str:
        budget.take_text(each)
        return each
    if each is None or kind is bool:
        return each
    if kind is int:
        if not -_LIMIT < each < _LIMIT:
            raise refusal(path, LONG, root=budget.root)
        budget.take_integer(each)
        return each
    if kind is float and math.isfinite(each):
        return each
    raise refusal(path, _kind(each), root=budget.root)


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

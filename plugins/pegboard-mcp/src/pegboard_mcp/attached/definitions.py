"""The definitions of tools that a server lists: those that can be read, and why others can't."""

import json
from typing import Any

import attrs

Definition = dict[str, Any]
_DEEPEST = 200
"""Levels of lists and objects inside each other; the client reads little more."""
_MAY_BE_NULL = frozenset(
    {"title", "description", "outputSchema", "annotations", "icons", "execution", "_meta"}
)


@attrs.frozen
class Unsound:
    """A tool of a list that can't be read.

    Attributes:
        number: where it stands in the list, from 1 on.
        name: the server's name for it, if it has one.
        reason: what is wrong.
    """

    number: int
    name: str | None
    reason: str


@attrs.frozen
class Listing:
    """What a server lists.

    Attributes:
        tools: the definitions that can be read, in the server's order.
        unsound: the others.
    """

    tools: tuple[Definition, ...]
    unsound: tuple[Unsound, ...] = ()

    @classmethod
    def of(cls, listed: list[Any], *, start: int = 1) -> "Listing":
        """The same without what can't be read, and with null where a field may be absent gone.

        Args:
            listed: what the server wrote.
            start: the number of the first of them.
        """
        tools, unsound = [], []
        for number, each in enumerate(listed, start):
            reason = _fault(each)
            if reason is None:
                tools.append(_without_nulls(each))
            else:
                unsound.append(Unsound(number, _name_of(each), reason))
        return cls(tuple(tools), tuple(unsound))


def _fault(tool: Any) -> str | None:
    if not isinstance(tool, dict):
        return "it is no object"
    if not isinstance(tool.get("name"), str):
        return "its name is no text"
    if _is_deeper(tool, _DEEPEST):
        return f"its definition is nested deeper than {_DEEPEST} levels"
    try:
        json.dumps(tool, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "its definition holds half a character"
    except ValueError:
        return "its definition holds a number that isn't finite"
    return None


def _is_deeper(value: Any, levels: int) -> bool:
    found = [value]
    for _ in range(levels + 1):
        found = [part for each in found for part in _parts(each)]
        if not found:
            return False
    return True


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _without_nulls(tool: Definition) -> Definition:
    return {key: each for key, each in tool.items() if each is not None or key not in _MAY_BE_NULL}


def _name_of(tool: Any) -> str | None:
    """The name, if it can be shown."""
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) and name.isprintable() else None

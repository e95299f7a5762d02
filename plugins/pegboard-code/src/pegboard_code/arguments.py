"""What a program calls a tool with."""

import re
from typing import Any

from pegboard import JSON, Sdk

from pegboard_code.results import NotLosslessError, found_odd, lossless
from pegboard_code.steps import Called

_SHAPES = re.compile(r"^(?:class (\w+)\(TypedDict\b|(\w+) = TypedDict\()", re.MULTILINE)


def is_shape(name: str, sdk: Sdk) -> bool:
    """Whether the declarations call a shape of dicts so; calling it makes a dict."""
    return any(name in each for each in _SHAPES.findall(sdk.text))


def arguments_of(call: Called) -> dict[str, JSON]:
    """The arguments of a call: its keywords, or the one mapping that it was given.

    Raises:
        TypeError: they can't be the arguments of a tool.
    """
    given: Any = call.keywords
    if call.positional:
        _refuse_more(call)
        given = call.positional[0]
    if not isinstance(given, dict):
        raise TypeError(f"{call.name}() takes keyword arguments, or one dict of them")
    try:
        arguments = lossless(given, root=_root(call))
    except NotLosslessError as error:
        raise TypeError(str(error)) from error
    return arguments if isinstance(arguments, dict) else {}


def _root(call: Called) -> str:
    return f"what {call.name}() was given"


def _refuse_more(call: Called) -> None:
    if len(call.positional) == 2 and call.positional[0] is None:
        raise TypeError(str(found_odd(call.positional[1], root=_root(call))))
    if len(call.positional) > 1:
        count = len(call.positional)
        said = f"takes keyword arguments, or one dict of them, and not {count} positional ones"
        raise TypeError(f"{call.name}() {said}")
    if call.keywords:
        raise TypeError(
            f"{call.name}() takes keyword arguments or one dict of them, and not both at once"
        )

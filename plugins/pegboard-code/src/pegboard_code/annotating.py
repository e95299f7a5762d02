"""How a value that is right gets past the type checker: with the type that it should have."""

import re

from pegboard import Sdk

_PASSED = re.compile(r"Argument to [\w ]+ `([^`]+)` is incorrect: Expected `(.+)`, found `(.+)`$")
_KEYED = re.compile(
    r"Invalid argument to key \"(.*)\" with declared type `(.+)` on TypedDict `.+`: "
    r"value of type `(.+)`$"
)
_VARIABLE = re.compile(r"(?:\w+ ?= ?|[\"'][^\"']*[\"']: ?)?(\*\*)?([^\W\d]\w*) *(?:[,)}]|$)")
_UNPACKED = re.compile(r"\*\*arguments: Unpack\[(\w+)\]")
_PLAIN = re.compile(r"\b(?:str|int|bool)\b")
_QUOTED = re.compile(r"\"[^\"]*\"")
_LONGEST = 160


def annotation(message: str, text: str, sdk: Sdk, *, is_sole: bool) -> str:
    """A hint on how the value may pass, as the continuation of what the checker says.

    Args:
        message: what the checker says.
        text: of the program, from where it is about to the end of the line.
        sdk: the declarations.
        is_sole: whether the checker says nothing else of the line.

    Returns:
        the hint; empty where the value can't be right, or is no variable's.
    """
    said = _PASSED.match(message) or _KEYED.match(message)
    if said is None:
        return ""
    function, expected, found = said.groups()
    variable = _VARIABLE.match(text)
    if variable is not None and variable[1]:
        unpacked = _UNPACKED.search(sdk.declarations.get(function, ""))
        return _advice(variable[2], unpacked[1] if unpacked else "the type of its arguments")
    if not _may_fit(expected, found):
        return ""
    if variable is not None:
        return _advice(variable[2], expected)
    return _general(expected) if is_sole else ""


def _may_fit(expected: str, found: str) -> bool:
    """Whether a value may be right of which the checker knows no more than this."""
    if "Literal[" in expected and _PLAIN.search(_QUOTED.sub("", found)):
        return True
    kind = found.partition("[")[0]
    return kind == "dict" or (kind == "list" and "list[" in expected)


def _advice(variable: str, kind: str) -> str:
    origin = ", Literal is imported from typing" if "Literal[" in kind else ""
    how = f"annotate `{variable}` where it is made ({variable}: {_short(kind)} = …{origin})"
    return f"; if the value is right, {how}, or write the literal in the call"


def _general(kind: str) -> str:
    how = f"annotate the variables in it so that it is {_short(kind)}"
    return f"; if the value is right, {how}, or write the literal in the call"


def _short(kind: str) -> str:
    return kind if len(kind) <= _LONGEST else "the declared type"

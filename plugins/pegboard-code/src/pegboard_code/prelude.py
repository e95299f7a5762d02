"""What every program finds when it begins, beside what the declarations say.

Much that isn't JSON would leave the sandbox as text: a function, a range, a list that contains
itself. So what leaves it is looked at inside, where it still is what it was.
"""

from collections.abc import Callable
from typing import Any

from pegboard import Sdk

from pegboard_code.results import LONG

FAILURE = "RuntimeError"
"""What `ToolCallError` is called where a program raises it: no class from outside can be caught."""

FIND = "_pegboard_find"
"""A function of the sandbox: the path, the type and the role of the first part that isn't JSON."""

MEASURE = "_pegboard_measure"
"""A function of the sandbox: the length of a value as JSON text."""

# Defaults keep what they are, whatever a program does to its builtins.
_PRELUDE = f"""\
import json as _pegboard_json
ToolCallError = {FAILURE}
def {FIND}(
    value, dict=dict, list=list, tuple=tuple, int=int, float=float, str=str, type=type,
    repr=repr, range=range, enumerate=enumerate, isinstance=isinstance, limit=10**4300,
):
    left = [("", value, 0)]
    for _ in range(300000):
        if not left:
            return None
        path, each, depth = left.pop()
        if depth > 600:
            return None
        if isinstance(each, dict):
            for key, inner in each.items():
                if not isinstance(key, str):
                    return (path, type(key).__name__, "key")
                left.append((path + "[" + repr(key)[:80] + "]", inner, depth + 1))
        elif isinstance(each, tuple) and type(each) is not tuple:
            return (path, type(each).__name__, "tuple")
        elif isinstance(each, (list, tuple)):
            for n, inner in enumerate(each):
                left.append((path + "[" + str(n) + "]", inner, depth + 1))
        elif isinstance(each, int):
            if not -limit < each < limit:
                return (path, "{LONG}", "value")
        elif each is not None and not isinstance(each, (float, str)):
            return (path, type(each).__name__, "value")
def {MEASURE}(value, dumps=_pegboard_json.dumps, len=len):
    return len(dumps(value))
def _pegboard_tool(
    call, measure={MEASURE}, find={FIND}, odd=(TypeError, ValueError, RecursionError)
):
    def tool(*positional, **keywords):
        try:
            measure([positional, keywords])
        except odd:
            return call(None, find(positional[0] if positional else keywords))
        return call(*positional, **keywords)
    return tool
tools = {{name: _pegboard_tool(call) for name, call in _pegboard_calls.items()}}
"""


def prelude(sdk: Sdk) -> str:
    """The text that makes the tools globals of a program."""
    return _PRELUDE + "".join(f"{name} = tools[{name!r}]\n" for name in sdk.functions)


def stand_ins(sdk: Sdk) -> dict[str, Any]:
    """What the text is given: functions that ask the host when they are called."""
    return {"_pegboard_calls": {name: _stand_in(name) for name in sdk.names}}


def _stand_in(name: str) -> Callable[[], None]:
    def tool() -> None:
        """Only its name crosses to the worker."""

    tool.__name__ = name
    return tool

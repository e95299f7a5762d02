"""What to do instead, where a program wants what the sandbox hasn't got."""

import builtins
from difflib import get_close_matches

from pegboard import Sdk

NO_EXIT = "programs have no exit, each ends after its last line; use if and else, or return"
"""For one who would end a program early."""

NO_KEYWORDS = (
    "asyncio.gather() takes no keyword arguments here; where a call may fail, write a small async "
    "function that awaits it in a try with `except ToolCallError`, and gather calls of that"
)
"""For one who would have `gather` give exceptions back."""

MODULES = (
    *("asyncio", "base64", "bisect", "collections", "copy", "csv", "dataclasses", "datetime"),
    *("decimal", "functools", "hashlib", "itertools", "json", "math", "random", "re", "time"),
    *("tomllib", "typing", "unicodedata"),
)
"""The standard library of the sandbox, as far as programs need it."""

TYPES = frozenset({"Any", "Callable", "Iterable", "Literal", "Mapping", "Optional", "Sequence"})
"""What `typing` has here, of what is used in annotations."""

_INSTEAD = {
    "gather() does not yet support keyword arguments": NO_KEYWORDS,
    "class inheritance": "write classes without bases, or functions and dicts",
    "the 'del' statement": "use pop(), or assign None",
    "yield expressions": "build a list and return it",
    "Wildcard imports": "import the names that you use",
    "async with": "use try and finally",
    "type aliases": "write the type out",
    "exception groups": "use except",
    "cannot suspend in this synchronous context": (
        "call tools in a loop or a comprehension, not inside of sorted(), map() and the like"
    ),
    "the sandbox lacks": "write it with functions, loops, lists and dicts",
    "__future__": "leave it out, annotations are not evaluated",
    "module 'asyncio' has no attribute": (
        "asyncio has gather(), run() and sleep() here: await asyncio.gather(f(…), g(…))"
    ),
    "No module named": (
        "there are no packages here, and of the standard library only "
        f"{', '.join(MODULES[:-1])} and {MODULES[-1]}"
    ),
    "from 'typing'": "typing lacks that here: use dicts, or leave the annotation out",
    "is not supported in this environment": "programs have no environment: use the tools",
    "Permission denied": "programs have no files: use the tools",
}
_ALIASES = {
    "Cannot resolve imported module": "No module named",
    "Module `asyncio` has no member": "module 'asyncio' has no attribute",
}
EXITS = frozenset({"exit", "quit"})
"""What Python has to end a program, and the sandbox has not."""

_MOST = 20


def what_to_do(text: str) -> str:
    """A hint on what a message is about, as its continuation; empty where there is none."""
    for sign, meant in _ALIASES.items():
        if sign in text:
            return f"; {_INSTEAD[meant]}"
    return next((f"; {each}" for sign, each in _INSTEAD.items() if sign in text), "")


def near_tools(name: str, sdk: Sdk) -> str:
    """Which tools there are, for one who used a name that isn't there."""
    if name in sdk.names:
        return _its_way(name, sdk)
    if (missing := _missing(name)) is not None:
        return f"; {missing}"
    near = get_close_matches(name[:64], sdk.names, n=3, cutoff=0.6)
    if near:
        return f"; did you mean {' or '.join(_way(each, sdk) for each in near)}?"
    more = f" and {len(sdk.names) - _MOST} more" if len(sdk.names) > _MOST else ""
    some = ", ".join(_way(each, sdk) for each in sdk.names[:_MOST])
    return f"; the tools are {some}{more}" if some else "; there are no tools"


def _missing(name: str) -> str | None:
    """What to do about a name that Python has, or that was to be imported; None for others."""
    if name == "open":
        return _INSTEAD["Permission denied"]
    if name in EXITS:
        return NO_EXIT
    if name in MODULES:
        return f"write `import {name}`"
    if name in TYPES:
        return f"write `from typing import {name}`"
    return "the sandbox has no such builtin" if hasattr(builtins, name) else None


def _its_way(name: str, sdk: Sdk) -> str:
    """For one who named a tool otherwise than it is called."""
    return f"; {taken(name)}" if name in sdk.functions else f'; use tools["{name}"]'


def near_ways(name: str, sdk: Sdk) -> str:
    """How to call a tool, for one who looked for it in `tools`."""
    return f"; write `await {name}(…)`" if name in sdk.functions else near_tools(name, sdk)


def taken(name: str) -> str:
    """What to do where a variable is called like a tool."""
    return f"`{name}` is a tool: give the variable another name"


def _way(name: str, sdk: Sdk) -> str:
    """How a program names a tool."""
    return name if name in sdk.functions else f'tools["{name}"]'

"""What to do instead, where a program wants what the sandbox hasn't got."""

from difflib import get_close_matches

from pegboard import Sdk

_INSTEAD = {
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
        "there are no packages here, and of the standard library only asyncio, base64, bisect, "
        "collections, copy, csv, dataclasses, datetime, decimal, functools, hashlib, itertools, "
        "json, math, random, re, time, tomllib, typing and unicodedata"
    ),
    "is not supported in this environment": "programs have no environment: use the tools",
    "Permission denied": "programs have no files: use the tools",
}
_ALIASES = {
    "Cannot resolve imported module": "No module named",
    "Module `asyncio` has no member": "module 'asyncio' has no attribute",
}
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
        return f'; use tools["{name}"]'
    if name == "open":
        return f"; {_INSTEAD['Permission denied']}"
    near = get_close_matches(name[:64], sdk.names, n=3, cutoff=0.6)
    if near:
        return f"; did you mean {' or '.join(_way(each, sdk) for each in near)}?"
    more = f" and {len(sdk.names) - _MOST} more" if len(sdk.names) > _MOST else ""
    some = ", ".join(_way(each, sdk) for each in sdk.names[:_MOST])
    return f"; the tools are {some}{more}" if some else "; there are no tools"


def _way(name: str, sdk: Sdk) -> str:
    """How a program names a tool."""
    return name if name in sdk.functions else f'tools["{name}"]'

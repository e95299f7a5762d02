"""`toolbox`: the public methods of an object as tools."""

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pegboard.errors import InvalidToolError, did_you_mean, near_names
from pegboard.tools.decorator import tool
from pegboard.tools.model import Tool


def toolbox(
    obj: object,
    *,
    prefix: str = "",
    include: Iterable[str] | None = None,
    output: Literal["any"] | None = None,
) -> tuple[Tool, ...]:
    """The public methods of an object as tools, in the order in which they are written.

    Args:
        obj: the object; all its tools share it.
        prefix: what goes before each name.
        include: the names of the methods to take; by default every public one.
        output: `"any"` doesn't believe the return annotations.

    Raises:
        InvalidToolError: a method that can't be a tool, or a name that isn't one of a method.
    """
    methods = list(_public_methods(obj))
    wanted = methods if include is None else list(include)
    for name in wanted:
        if name not in methods:
            near = did_you_mean(near_names(name, methods))
            raise InvalidToolError(f"{type(obj).__name__} has no public method {name!r}{near}")
    return tuple(
        tool(getattr(obj, name), name=prefix + name, output=output)
        for name in methods
        if name in wanted
    )


def _public_methods(obj: object) -> Iterator[str]:
    names: dict[str, Any] = {}
    for cls in reversed(type(obj).__mro__[:-1]):
        names |= dict.fromkeys(vars(cls))
    for name in names:
        found = inspect.getattr_static(obj, name)
        if not name.startswith("_") and isinstance(found, _METHODS):
            yield name


_METHODS = (type(lambda: None), staticmethod, classmethod)

"""How a function is called: its parameters with their annotations resolved."""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from pegboard.errors import InvalidToolError
from pegboard.tools.context import RunContext

_KINDS = inspect.Parameter
_NONE = type(None)
_EMPTY = inspect.Parameter.empty
_NO_NAMES: Mapping[str, Any] = types.MappingProxyType({})
_TYPE_MODULES = ("types", "typing", "typing_extensions")


@attrs.frozen(eq=False)
class Parameter:
    """A parameter that a model may fill.

    Attributes:
        name: its name, in Python and in JSON.
        annotation: what its author wrote, resolved.
        default: its default, or NOTHING.
        is_positional: whether it can't be given by name.
    """

    name: str
    annotation: Any
    default: Any
    is_positional: bool


@attrs.frozen(eq=False)
class Signature:
    """How a typed function is called.

    Attributes:
        function: the function, as it will be called.
        parameters: those that a model may fill.
        context: the name of the parameter that gets the `RunContext`, or None.
        context_at: where it stands among those that can't be given by name, or None.
        others: the annotation of `**parameters`, or NOTHING.
        returns: the return annotation, or NOTHING where there is none.
        local: names of where the function was written, for postponed annotations of classes that
            were written there too.
    """

    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    context: str | None
    context_at: int | None
    others: Any
    returns: Any
    local: Mapping[str, Any] = _NO_NAMES

    def names(self) -> Mapping[str, Any]:
        """What annotations may name: the function's closure, its module, where it was written."""
        return names_around(self.function, self.local)


def read_signature(function: Callable[..., Any], *, tool: str, takes_others: bool) -> Signature:
    """How a function is called.

    Args:
        function: what the author gave.
        tool: its name, for messages.
        takes_others: whether `**parameters` have a meaning.

    Raises:
        InvalidToolError: something that no model could fill: no annotation, `*args`, a name that
            can't be resolved.
    """
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise InvalidToolError(f"function '{tool}' has no signature: {error}") from error
    bound = bound_names(function)
    parameters: list[Parameter] = []
    context, context_at, others, positional = None, None, attrs.NOTHING, 0
    hints = read_hints(function, tool=tool)
    for each in found.parameters.values():
        if each.name in bound:
            continue
        annotation = _annotation(each, hints, tool)
        if _is_context(annotation):
            context = each.name
            context_at = positional if each.kind is _KINDS.POSITIONAL_ONLY else None
        elif each.kind is _KINDS.VAR_KEYWORD and takes_others:
            others = annotation
        else:
            parameters.append(_parameter(each, annotation, tool))
        positional += each.kind is _KINDS.POSITIONAL_ONLY
    returns = hints.get("return", found.return_annotation)
    returns = attrs.NOTHING if returns is _EMPTY else returns
    return Signature(function, tuple(parameters), context, context_at, others, returns)


def _parameter(each: inspect.Parameter, annotation: Any, tool: str) -> Parameter:
    if each.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD):
        stars = "*" if each.kind is _KINDS.VAR_POSITIONAL else "**"
        raise InvalidToolError(
            f"function '{tool}', parameter '{stars}{each.name}': a model can only fill parameters "
            "that have a name of their own"
        )
    default = attrs.NOTHING if each.default is _EMPTY else each.default
    return Parameter(each.name, annotation, default, each.kind is _KINDS.POSITIONAL_ONLY)


def _annotation(each: inspect.Parameter, hints: Mapping[str, Any], tool: str) -> Any:
    annotation = hints.get(each.name, each.annotation)
    if annotation is _EMPTY:
        raise InvalidToolError(
            f"function '{tool}', parameter '{each.name}': it has no annotation; write one, or "
            "bind the parameter"
        )
    return annotation


def _is_context(annotation: Any) -> bool:
    if annotation is RunContext or isinstance(annotation, type):
        return annotation is RunContext
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _is_context(annotation.__origin__)
    if origin is not typing.Union and origin is not types.UnionType:
        return False
    return [each for each in typing.get_args(annotation) if each is not _NONE] == [RunContext]


def bound_names(function: Any) -> frozenset[str]:
    """The parameters that partials have filled; they are nobody else's to fill."""
    names: set[str] = set()
    while isinstance(function, functools.partial):
        names |= function.keywords.keys()
        function = function.func
    return frozenset(names)


def innermost(function: Any) -> Any:
    """The function inside partials, decorators and callable objects: it has the names and text."""
    if type(function) is types.FunctionType and not hasattr(function, "__wrapped__"):
        return function
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__name__") and callable(function):
        function = type(function).__call__
    return inspect.unwrap(function)


def read_hints(function: Any, *, tool: str) -> dict[str, Any]:
    """The annotations, postponed ones resolved in the function's own module and closure.

    Raises:
        InvalidToolError: a name that can't be resolved.
    """
    inner = innermost(function)
    try:
        return typing.get_type_hints(inner, include_extras=True)
    except NameError:
        return _hints_in_closure(inner, tool)
    except TypeError:
        return {}
    except Exception as error:
        raise InvalidToolError(
            f"function '{tool}' has annotations that can't be read: {error}"
        ) from error


def _hints_in_closure(inner: Any, tool: str) -> dict[str, Any]:
    names = names_around(inner, _NO_NAMES)
    found: dict[str, Any] = {}
    for name, annotation in inner.__annotations__.items():
        holder = types.FunctionType(_nothing.__code__, {}, "holder")
        holder.__annotations__ = {name: annotation}
        try:
            found |= typing.get_type_hints(holder, dict(names), include_extras=True)
        except NameError as error:
            raise InvalidToolError(
                f"function '{tool}', parameter '{name}': annotation '{annotation}' can't be "
                f"resolved: {error}"
            ) from error
    return found


def _nothing() -> None:
    """A function whose code annotations can be hung on."""


def names_around(function: Any, local: Mapping[str, Any]) -> Mapping[str, Any]:
    """What annotations of a function may name: its closure, where it was written, its module."""
    inner = innermost(function)
    closure = inspect.getclosurevars(inner).nonlocals if inspect.isfunction(inner) else {}
    return {**getattr(inner, "__globals__", {}), **(local or local_names(inner)), **closure}


def local_names(function: Any) -> Mapping[str, Any]:
    """The types among the names of the running function in which another one is written."""
    outer, _, _ = getattr(function, "__qualname__", "").rpartition(".<locals>.")
    frame: Any = inspect.currentframe() if outer else None
    while frame is not None:
        if frame.f_code.co_qualname == outer and frame.f_globals is function.__globals__:
            return {name: each for name, each in frame.f_locals.items() if _is_type(each)}
        frame = frame.f_back
    return _NO_NAMES


def _is_type(value: Any) -> bool:
    return isinstance(value, type) or type(value).__module__ in _TYPE_MODULES

"""How a function is called: its parameters with their annotations resolved."""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import attrs

from pegboard.errors import InvalidToolError
from pegboard.tools.context import RunContext

_KINDS = inspect.Parameter
_BY_PLACE, _BY_NAME = _KINDS.POSITIONAL_ONLY, _KINDS.KEYWORD_ONLY
_EITHER = _KINDS.POSITIONAL_OR_KEYWORD
_STARRED = (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD)
_STARS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_Given: TypeAlias = tuple[str, Any, Any, Any]
"""A parameter as it is written: name, kind, default or NOTHING, annotation."""

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
    bound = bound_names(function)
    parameters: list[Parameter] = []
    context, context_at, others, positional = None, None, attrs.NOTHING, 0
    given, returns = _given(function, tool)
    hints = read_hints(function, tool=tool)
    for name, kind, default, written in given:
        if name in bound:
            continue
        annotation = hints.get(name, written)
        if annotation is _EMPTY:
            raise _without_annotation(name, tool)
        if _is_context(annotation):
            context = name
            context_at = positional if kind is _BY_PLACE else None
        elif kind is _KINDS.VAR_KEYWORD and takes_others:
            others = annotation
        elif kind in _STARRED:
            raise _without_name(name, kind, tool)
        else:
            parameters.append(Parameter(name, annotation, default, kind is _BY_PLACE))
        positional += kind is _BY_PLACE
    returns = hints.get("return", returns)
    returns = attrs.NOTHING if returns is _EMPTY else returns
    return Signature(function, tuple(parameters), context, context_at, others, returns)


def _given(function: Any, tool: str) -> tuple[Iterable[_Given], Any]:
    """The parameters of a function, and its return annotation, as they are written."""
    if _is_plain(function) and not function.__code__.co_flags & _STARS:
        return _given_by_code(function), function.__annotations__.get("return", _EMPTY)
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise InvalidToolError(f"function '{tool}' has no signature: {error}") from error
    given = [
        (each.name, each.kind, _default_of(each), each.annotation)
        for each in found.parameters.values()
    ]
    return given, found.return_annotation


def _default_of(parameter: inspect.Parameter) -> Any:
    return attrs.NOTHING if parameter.default is _EMPTY else parameter.default


def _is_plain(function: Any) -> bool:
    """Whether it is a function that says nothing else of its signature than its code does."""
    is_function = type(function) is types.FunctionType
    return is_function and not (
        hasattr(function, "__wrapped__") or hasattr(function, "__signature__")
    )


def _given_by_code(function: types.FunctionType) -> Iterator[_Given]:
    """The same, in a sixth of the time that `inspect` takes."""
    code = function.__code__
    by_place, count = code.co_posonlyargcount, code.co_argcount
    names, written = code.co_varnames, function.__annotations__
    defaults, named = function.__defaults__ or (), function.__kwdefaults__ or {}
    first = count - len(defaults)
    for at in range(count):
        name, kind = names[at], _EITHER if at >= by_place else _BY_PLACE
        default = defaults[at - first] if at >= first else attrs.NOTHING
        yield name, kind, default, written.get(name, _EMPTY)
    for name in names[count : count + code.co_kwonlyargcount]:
        yield name, _BY_NAME, named.get(name, attrs.NOTHING), written.get(name, _EMPTY)


def _without_name(name: str, kind: Any, tool: str) -> InvalidToolError:
    stars = "*" if kind is _KINDS.VAR_POSITIONAL else "**"
    return InvalidToolError(
        f"function '{tool}', parameter '{stars}{name}': a model can only fill parameters "
        "that have a name of their own"
    )


def _without_annotation(name: str, tool: str) -> InvalidToolError:
    return InvalidToolError(
        f"function '{tool}', parameter '{name}': it has no annotation; write one, or "
        "bind the parameter"
    )


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


def read_hints(function: Any, *, tool: str) -> Mapping[str, Any]:
    """The annotations, postponed ones resolved in the function's own module and closure.

    Raises:
        InvalidToolError: a name that can't be resolved.
    """
    inner = innermost(function)
    found = _hints_of_classes(inner) if type(inner) is types.FunctionType else None
    if found is not None:
        return found
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


def _hints_of_classes(inner: types.FunctionType) -> Mapping[str, Any] | None:
    """The annotations if they are nothing but classes, which `typing` need not be asked for."""
    found: dict[str, Any] = {}
    if getattr(inner, "__type_params__", ()):
        return None
    for name, annotation in inner.__annotations__.items():
        if type(annotation) is str:
            try:
                annotation = eval(annotation, inner.__globals__)  # noqa: S307, PLW2901 - as `typing` does it
            except Exception:  # noqa: BLE001 - an annotation can be any code
                return None
        if not _is_resolved(annotation):
            return None
        found[name] = annotation
    return found


def _is_resolved(annotation: Any) -> bool:
    """Whether no name in it is left to be looked up."""
    if type(annotation) is type or annotation is None:
        return True
    if type(annotation) is types.UnionType or type(annotation) is types.GenericAlias:
        return all(map(_is_resolved, annotation.__args__))
    return annotation is Any or isinstance(annotation, type)


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

"""`@tool`: from a typed function to a tool."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, overload

import attrs

from pegboard.annotations import ToolAnnotations
from pegboard.errors import InvalidToolError
from pegboard.tools.model import ConcurrencySafe, Extra, Output, Tool, Written
from pegboard.tools.signature import Signature, innermost, local_names, read_signature

Function = Callable[..., Any]

_COMMON: Mapping[Any, Output] = {
    dict: Output(Written(b'{"type":"object"}')),
    list: Output(Written(b'{"type":"array"}')),
    str: Output(Written(b'{"type":"string"}')),
    int: Output(Written(b'{"type":"integer"}')),
    float: Output(Written(b'{"type":"number"}')),
    bool: Output(Written(b'{"type":"boolean"}')),
}


@overload
def tool(function: Function, /) -> Tool: ...
@overload
def tool(
    function: Function,
    /,
    *,
    name: str | None = ...,
    description: str | None = ...,
    output: Output | Literal["any"] | None = ...,
    title: str | None = ...,
    timeout: float | None = ...,
    concurrency_safe: ConcurrencySafe = ...,
    annotations: ToolAnnotations | None = ...,
    tags: Iterable[str] = ...,
    defer_loading: bool = ...,
    extra: Extra = ...,
    coerce: bool = ...,
    project: Function | None = ...,
    finalize: Function | None = ...,
    present_call: Function | None = ...,
    present_result: Function | None = ...,
) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = ...,
    description: str | None = ...,
    output: Output | Literal["any"] | None = ...,
    title: str | None = ...,
    timeout: float | None = ...,
    concurrency_safe: ConcurrencySafe = ...,
    annotations: ToolAnnotations | None = ...,
    tags: Iterable[str] = ...,
    defer_loading: bool = ...,
    extra: Extra = ...,
    coerce: bool = ...,
    project: Function | None = ...,
    finalize: Function | None = ...,
    present_call: Function | None = ...,
    present_result: Function | None = ...,
) -> Callable[[Function], Tool]: ...
def tool(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    output: Output | Literal["any"] | None = None,
    title: str | None = None,
    timeout: float | None = None,
    concurrency_safe: ConcurrencySafe = None,
    annotations: ToolAnnotations | None = None,
    tags: Iterable[str] = (),
    defer_loading: bool = False,
    extra: Extra = "drop",
    coerce: bool = False,
    project: Function | None = None,
    finalize: Function | None = None,
    present_call: Function | None = None,
    present_result: Function | None = None,
) -> Tool | Callable[[Function], Tool]:
    """Make a function a tool that can still be called as the function.

    Its parameters come from the annotations, the descriptions from the docstring or from
    `Annotated[..., Doc("…")]`. A parameter annotated `RunContext` is injected.

    Args:
        function: sync or async; a method, a partial or a callable object too.
        name: what a model calls it; the function's own name by default.
        description: what a model reads; the docstring by default.
        output: schema, renderer and meta; the schema comes from the return annotation by default,
            and `"any"` takes any JSON value in its place.
        title: a name for people.
        timeout: seconds that a call may take.
        concurrency_safe: whether a call may overlap its neighbours in a batch.
        annotations: what it does to the world.
        tags: words to select it by.
        defer_loading: whether a model may find it later.
        extra: what happens to undeclared arguments.
        coerce: whether text that spells a value is taken for it.
        project: gives content or None, before the after hooks.
        finalize: the same, as the very last.
        present_call: gives the card of a call.
        present_result: gives the card of an outcome.

    Raises:
        InvalidToolError: the function can't be offered as it is written; names function,
            parameter and annotation.
    """
    options: dict[str, Any] = {
        "title": title,
        "timeout": timeout,
        "concurrency_safe": concurrency_safe,
        "annotations": annotations,
        "tags": tags,
        "defer_loading": defer_loading,
        "extra": extra,
        "coerce": coerce,
        "project": project,
        "finalize": finalize,
        "present_call": present_call,
        "present_result": present_result,
    }

    def made(found: Function) -> Tool:
        return _make(found, name, description, output, options)

    return made if function is None else made(function)


def _make(
    function: Function,
    name: str | None,
    description: str | None,
    output: Output | Literal["any"] | None,
    options: dict[str, Any],
) -> Tool:
    from pegboard.tools.docstrings import read_docstring
    from pegboard.tools.parameters import read_parameters

    if isinstance(function, Tool):
        raise InvalidToolError(f"'{function.name}' is a tool already")
    if inspect.isclass(function) or not callable(function):
        raise InvalidToolError(f"{_shown(function)} isn't a function")
    name = name or own_name(function)
    is_open = options["extra"] == "keep"
    signature = read_signature(function, tool=name, takes_others=is_open)
    if output == "any":
        signature = attrs.evolve(signature, returns=attrs.NOTHING)
    docstring = read_docstring(_docstring(function))
    parameters = read_parameters(signature, tool=name, described=docstring.parameters)
    if parameters.walk.has_looked:
        signature = attrs.evolve(signature, local=local_names(innermost(function)))
    return Tool(
        name=name,
        description=description or docstring.description,
        parameters=parameters.schema(is_closed=not is_open),
        signature=signature,
        secret_parameters=parameters.secret,
        output=_output(signature, output, name),
        **options,
    )


def _output(signature: Signature, output: Output | Literal["any"] | None, name: str) -> Output:
    if output is None and type(signature.returns) is type and signature.returns in _COMMON:
        return _COMMON[signature.returns]
    given = output if isinstance(output, Output) else None
    if given is not None and given.schema_snapshot is not None:
        return given
    from pegboard.tools.parameters import read_returned

    schema = read_returned(signature, tool=name).schema()
    return Output(schema) if given is None else attrs.evolve(given, schema=schema)


def own_name(function: Any) -> str:
    """The name that a function brings: that of what is inside partials, or of its class."""
    while hasattr(function, "func") and not hasattr(function, "__name__"):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _docstring(function: Any) -> str | None:
    text: str | None = innermost(function).__doc__
    if text:
        return text
    is_object = not inspect.isroutine(function) and not hasattr(function, "func")
    return inspect.getdoc(type(function) if is_object else function)


def _shown(value: Any) -> str:
    return f"class '{value.__name__}'" if inspect.isclass(value) else type(value).__name__

"""The two schemas of a typed function, and the forms behind them."""

import contextlib
import inspect
import types
import typing
from collections import abc
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from pegboard.errors import InvalidToolError
from pegboard.tools.forms import Anything, Field, Form, FormError, Items, show
from pegboard.tools.model import Written
from pegboard.tools.schemas import Writer
from pegboard.tools.signature import Signature, innermost
from pegboard.tools.stages import ToolResult
from pegboard.tools.unions import check_union
from pegboard.tools.walk import Walk
from pegboard.values import JSON
from pegboard.values.content import BLOCKS

_ITERATORS = frozenset({abc.Iterator, abc.Generator, abc.AsyncIterator, abc.AsyncGenerator}) | {
    abc.AsyncIterable,
    abc.Iterable,
}
_NOT_DESCRIBED: Mapping[str, str] = MappingProxyType({})
_GIVEN = (list, tuple, set, frozenset)


@attrs.frozen(eq=False)
class Parameters:
    """What a model may send to a typed function.

    Attributes:
        fields: one for each parameter.
        others: the form of undeclared keys, or None where they have no place.
        secret: the names of those that must not show.
        walk: the walk that read them.
    """

    fields: tuple[Field, ...]
    others: Form | None
    secret: frozenset[str]
    walk: Walk

    def schema(self, *, is_closed: bool) -> Written | dict[str, JSON]:
        """The JSON Schema of the arguments; a plain dict where it may hold what isn't JSON."""
        writer = Writer(self.walk.uses, self.walk.recursive, is_closed=is_closed)
        others: JSON = False if is_closed else None
        if self.others is not None:
            others = writer.write(self.others) or None
        schema = writer.object_of(self.fields, others=others)
        return writer.taken(schema) or schema


def read_parameters(
    signature: Signature, *, tool: str, described: Mapping[str, str] = _NOT_DESCRIBED
) -> Parameters:
    """The forms of a function's parameters.

    Args:
        signature: how the function is called.
        tool: its name, for messages.
        described: what its docstring says of them.

    Raises:
        InvalidToolError: one that can't be expressed; names function, parameter and annotation.
    """
    walk = Walk(signature.names)
    fields: list[Field] = []
    secret: set[str] = set()
    for each in signature.parameters:
        walk.is_secret = False
        try:
            form, remarks = walk.read_with_remarks(each.annotation)
        except FormError as error:
            raise _refused(tool, each.name, each.annotation, error) from error
        if walk.is_secret:
            secret.add(each.name)
        description = remarks.description or described.get(each.name, "")
        is_required = each.default is attrs.NOTHING
        fields.append(
            Field(each.name, each.name, form, each.default, is_required, description=description)
        )
    others = _read_others(walk, signature, tool)
    _check_unions(walk, signature, tool)
    return Parameters(tuple(fields), others, frozenset(secret), walk)


def _read_others(walk: Walk, signature: Signature, tool: str) -> Form | None:
    if signature.others is attrs.NOTHING:
        return None
    try:
        return walk.read(signature.others)
    except FormError as error:
        raise _refused(tool, "**", signature.others, error) from error


def _check_unions(walk: Walk, signature: Signature, tool: str) -> None:
    for union in walk.unions:
        try:
            check_union(union)
        except FormError as error:
            names = ", ".join(f"'{each.name}'" for each in signature.parameters)
            raise InvalidToolError(f"function '{tool}', parameters {names}: {error}") from error


def _refused(tool: str, name: str, annotation: Any, error: FormError) -> InvalidToolError:
    return InvalidToolError(
        f"function '{tool}', parameter '{name}', annotation `{show(annotation)}`: {error}"
    )


@attrs.frozen(eq=False)
class Returned:
    """What a typed function gives.

    Attributes:
        form: the form of its value; None where it is any JSON value, or content.
        walk: the walk that read it.
        is_drained: whether it gives an iterator that has to be read to its end.
    """

    form: Form | None
    walk: Walk
    is_drained: bool = False

    def schema(self) -> Written | dict[str, JSON] | None:
        """The JSON Schema of the value, or None where any JSON value is right."""
        if self.form is None or isinstance(self.form, Anything):
            return None
        writer = Writer(self.walk.uses, self.walk.recursive, is_output=True)
        schema = writer.root(self.form)
        return (writer.taken(schema) or schema) if schema else None


def read_returned(signature: Signature, *, tool: str) -> Returned:
    """The form of what a function gives.

    Raises:
        InvalidToolError: a return annotation that can't be expressed.
    """
    walk = Walk(signature.names)
    annotation = _awaited(signature.returns)
    inner = innermost(signature.function)
    is_generator = inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner)
    if annotation is attrs.NOTHING or is_content(annotation):
        return Returned(None, walk, is_generator)
    if ToolResult in _leaves(annotation):
        raise InvalidToolError(
            f"function '{tool}', return annotation `{show(annotation)}`: "
            "a ToolResult is all that a tool gives, and stands in nothing else"
        )
    is_iterator = (typing.get_origin(annotation) or annotation) in _ITERATORS
    try:
        if is_iterator:
            arguments = typing.get_args(annotation)
            item = walk.read(arguments[0] if arguments else Any)
            return Returned(Items(item, list, _GIVEN), walk, is_drained=True)
        return Returned(walk.read(annotation), walk, is_generator)
    except FormError as error:
        raise InvalidToolError(
            f"function '{tool}', return annotation `{show(annotation)}`: {error}"
        ) from error


def returned_by(signature: Signature | None, *, tool: str) -> Returned:
    """The same for a call; nothing of it where an author's own schema stands for it."""
    if signature is not None:
        with contextlib.suppress(InvalidToolError):
            return read_returned(signature, tool=tool)
    return Returned(None, Walk())


def _awaited(annotation: Any) -> Any:
    origin = typing.get_origin(annotation)
    if origin in (abc.Awaitable, abc.Coroutine):
        return typing.get_args(annotation)[-1]
    return annotation


def is_content(annotation: Any) -> bool:
    """Whether an annotation speaks of content blocks only, or of results that have their own."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        each = set(typing.get_args(annotation))
        if ToolResult in each and each <= {ToolResult, type(None), *BLOCKS}:
            return True
    kinds = set(_leaves(annotation))
    return annotation is ToolResult or (
        bool(kinds) and kinds <= {*BLOCKS, type(None)} and kinds != {type(None)}
    )


def _leaves(annotation: Any) -> Iterator[Any]:
    arguments = [each for each in typing.get_args(annotation) if each is not Ellipsis]
    if not arguments or typing.get_origin(annotation) in (dict, abc.Mapping, typing.Literal):
        yield annotation if isinstance(annotation, type) else object
    for each in arguments:
        yield from _leaves(each)

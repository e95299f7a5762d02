"""Calling the function of a tool with the types that it asks for."""

import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from pegboard.errors import InvalidToolError
from pegboard.tools.building import Build, Builders, is_whole
from pegboard.tools.context import RunContext
from pegboard.tools.conversion import Converter
from pegboard.tools.draining import drain, drain_async
from pegboard.tools.faults import ArgumentFaults, Fault, Faults
from pegboard.tools.forms import Form
from pegboard.tools.model import Tool
from pegboard.tools.parameters import read_parameters
from pegboard.tools.refusals import find_refusals
from pegboard.tools.signature import Signature
from pegboard.values import JSON, Limits, Snapshot
from pegboard.values.codec import decode
from pegboard.values.stack import run_deep

_NO_FORMS: Mapping[str, Form] = MappingProxyType({})


class Caller:
    """Binds arguments to the function of one tool."""

    __slots__ = (
        *("_builders", "_forms", "_function", "_hooks", "_is_drained", "_is_plain"),
        *("_limits", "_others", "_signature", "_whole"),
    )

    def __init__(
        self, tool: Tool, converter: Converter, limits: Limits, *, is_drained: bool
    ) -> None:
        if tool.function is None:
            raise InvalidToolError(f"tool {tool.name!r} has no body")
        self._function = tool.function
        self._signature = tool.signature
        self._builders: Builders | None = None
        self._limits = limits
        self._is_drained = is_drained
        self._forms: Mapping[str, Form] = _NO_FORMS
        self._whole: tuple[str, ...] = ()
        self._hooks: tuple[tuple[str, Build], ...] = ()
        self._others: Build | None = None
        self._is_plain = False
        if tool.signature is not None:
            self._read(tool, tool.signature, converter)

    def _read(self, tool: Tool, signature: Signature, converter: Converter) -> None:
        parameters = read_parameters(signature, tool=tool.name)
        builders = Builders(converter)
        forms = {each.key: each.form for each in parameters.fields}
        self._whole = tuple(key for key, form in forms.items() if is_whole(form))
        hooks = ((key, builders.of(form)) for key, form in forms.items() if not is_whole(form))
        self._hooks = tuple((key, hook) for key, hook in hooks if hook is not None)
        if parameters.others is not None:
            self._others = builders.of(parameters.others)
        if self._hooks or self._others:
            self._builders, self._forms = builders, forms
        has_positional = any(each.is_positional for each in signature.parameters)
        self._is_plain = (
            tool.extra != "keep" and not has_positional and signature.context_at is None
        )

    def bind(
        self, arguments: Snapshot, context: RunContext | None, values: JSON = None
    ) -> Callable[[], Any]:
        """The call, ready to be made once.

        Args:
            arguments: as they were prepared.
            context: for a function that asks for one.
            values: the arguments decoded, if nobody else holds them: the function may change them.

        Raises:
            ArgumentFaults: a type's own validator or converter refuses a value.
        """
        if values is None:
            values = decode(arguments.text)
        signature = self._signature
        if signature is None:
            return functools.partial(self._function, values, context)
        for key in self._whole:
            if type(values.get(key)) is float:
                values[key] = int(values[key])
        if self._hooks or self._others:
            self._build(values, arguments)
        if signature.context is not None:
            values[signature.context] = context
        if self._is_plain:
            call: Callable[[], Any] = functools.partial(self._function, **values)
        else:
            call = self._with_places(values, signature)
        return functools.partial(_drained, call, self._limits) if self._is_drained else call

    def _build(self, values: dict[str, Any], arguments: Snapshot) -> None:
        try:
            self._build_all(values)
        except RecursionError:
            values.update(arguments.read())
            run_deep(self._build_or_refuse, values, arguments)
        except BaseException as error:
            raise self._refused(arguments.read()) from error

    def _build_or_refuse(self, values: dict[str, Any], arguments: Snapshot) -> None:
        try:
            self._build_all(values)
        except BaseException as error:
            raise self._refused(arguments.read()) from error

    def _build_all(self, values: dict[str, Any]) -> None:
        for key, hook in self._hooks:
            if key in values:
                values[key] = hook(values[key])
        if self._others is not None:
            for key in values.keys() - self._forms.keys():
                values[key] = self._others(values[key])

    def _refused(self, values: JSON) -> ArgumentFaults:
        faults = tuple(self._refusals(values))
        return ArgumentFaults(Faults(faults or (Fault("$", "can't be turned into its types"),)))

    def _refusals(self, values: JSON) -> Iterator[Fault]:
        for key, form in self._forms.items():
            if key in values and self._builders is not None:
                yield from find_refusals(self._builders, form, values[key], (key,))

    def _with_places(self, values: dict[str, Any], signature: Signature) -> Callable[[], Any]:
        """The call of a function that takes some of its arguments by place."""
        context = values.pop(signature.context, None) if signature.context else None
        known = {each.name for each in signature.parameters}
        by_place: list[Any] = []
        for each in signature.parameters:
            if len(by_place) == signature.context_at:
                by_place.append(context)
            if each.is_positional:
                by_place.append(values.pop(each.name, each.default))
        if len(by_place) == signature.context_at:
            by_place.append(context)
        elif signature.context is not None and signature.context_at is None:
            values[signature.context] = context
            known.add(signature.context)
        if signature.others is attrs.NOTHING:
            values = {key: each for key, each in values.items() if key in known}
        return functools.partial(self._function, *by_place, **values)


def _drained(call: Callable[[], Any], limits: Limits) -> Any:
    found = call()
    if hasattr(found, "__aiter__"):
        return drain_async(found, limits)
    if hasattr(found, "__await__"):
        return _drained_later(found, limits)
    return drain(found, limits) if hasattr(found, "__next__") else found


async def _drained_later(call: Awaitable[Any], limits: Limits) -> Any:
    found = await call
    if hasattr(found, "__aiter__"):
        return await drain_async(found, limits)
    return drain(found, limits) if hasattr(found, "__next__") else found

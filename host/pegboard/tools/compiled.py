"""A tool ready to be called: arguments in, value and content out."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import attrs

from pegboard.tools.arguments import Settling
from pegboard.tools.building import Builders
from pegboard.tools.calling import Caller
from pegboard.tools.context import RunContext
from pegboard.tools.conversion import Converter
from pegboard.tools.faults import Faults
from pegboard.tools.model import Tool
from pegboard.tools.parameters import Returned, read_returned
from pegboard.tools.projection import Projection, Projector
from pegboard.tools.roots import declared_keys, settle_root
from pegboard.values import DEFAULT_LIMITS, JSON, Limits, Snapshot
from pegboard.values.codec import decode
from pegboard.values.stack import run_deep


@attrs.define(eq=False)  # made in every call, seen by the pipeline only: frozen takes twice as long
class Prepared:
    """Arguments as a tool will get them.

    Attributes:
        arguments: the very snapshot that was sent, where nothing had to change.
        notes: what was left out or coerced, in words.
    """

    arguments: Snapshot
    notes: tuple[str, ...] = ()


class CompiledTool:
    """One tool with everything that its calls need; made at its first call.

    Attributes:
        tool: what the author wrote.
        is_async: whether calling it gives something to await.
        needs_context: whether it gets a `RunContext`.
        bind: `Caller.bind`: the call itself, with the types that the function asks for.
        project: `Projector.project`: what the body gave, as the outcome shows it.
        revalidate: `Projector.revalidate`: the same for a value that is JSON already.
    """

    __slots__ = (
        *("_accepts", "_converter", "_declared", "_limits", "_validator", "bind", "is_async"),
        *("needs_context", "project", "revalidate", "tool"),
    )

    def __init__(
        self, tool: Tool, *, converter: Converter, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        signature = tool.signature
        self.tool = tool
        self.is_async = runs_on_loop(tool.function)
        self.needs_context = signature is None or signature.context is not None
        self._limits = limits
        self._converter = converter
        is_typed = signature is not None
        self._validator = converter.validator(tool.parameters_snapshot, is_typed=is_typed)
        self._accepts = self._validator.accepts
        self._declared = None
        if not is_typed and tool.extra != "keep":
            self._declared = declared_keys(tool.parameters)
        returned = _returned(tool)
        form = None if returned is None else returned.form
        drains = returned is not None and returned.is_drained
        self.bind = Caller(tool, Builders(converter), limits, is_drained=drains).bind
        projector = Projector(tool, form, converter, limits)
        self.project = projector.project
        self.revalidate = projector.revalidate

    def prepare(self, arguments: Snapshot) -> Prepared | Faults:
        """The arguments as the tool will get them, or everything that is wrong with them."""
        value = decode(arguments.text)
        declared = self._declared
        if self._accepts(value) and (declared is None or value.keys() <= declared):
            return Prepared(arguments)
        return run_deep(self._settle, value)

    def _settle(self, value: Any) -> Prepared | Faults:
        schema = self.tool.parameters
        definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}
        settling = Settling(
            definitions,
            self.tool.extra,
            self.tool.coerce,
            functools.partial(self._accepts_part, definitions),
            self._limits,
        )
        if self.tool.signature is None:
            settle_root(settling, value, schema, self._validator)
        else:
            value = settling.settle(value, schema)
        faults = (*settling.faults, *self._validator.faults(value))
        if faults:
            return Faults(faults)
        return Prepared(Snapshot.of(value, self._limits), tuple(settling.notes))

    def _accepts_part(self, definitions: JSON, part: JSON, value: JSON) -> bool:
        schema = Snapshot.of({**part, "$defs": definitions} if definitions else part)
        return self._converter.validator(schema, is_typed=True).accepts(value)


def _returned(tool: Tool) -> Returned | None:
    if tool.signature is None:
        return None
    return read_returned(tool.signature, tool=tool.name)


def runs_on_loop(function: Any) -> bool:
    """Whether calling it gives something to await or an asynchronous iterator."""
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function):
        function = getattr(type(function), "__call__", function)
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)

"""A tool ready to be called: arguments in, value and content out."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol

from pegboard.tools.context import RunContext
from pegboard.tools.conversion import Converter
from pegboard.tools.faults import Faults
from pegboard.tools.model import Tool
from pegboard.tools.stages import Prepared, Projection
from pegboard.values import DEFAULT_LIMITS, JSON, Limits, Snapshot


class Project(Protocol):
    """Makes value and content of what a body gave, or of a value that is JSON already."""

    def __call__(self, arguments: Snapshot, value: Any, *, is_direct: bool) -> Projection:
        """The value as the outcome shows it.

        Raises:
            OutputError: it isn't what the tool's output schema says, isn't JSON, or can't be
                rendered.
        """


class Prepare(Protocol):
    """Makes the arguments of what was sent."""

    def __call__(self, arguments: Snapshot, value: JSON = None, /) -> Prepared | Faults:
        """The arguments as the tool will get them, or everything that is wrong with them."""


class Bind(Protocol):
    """Binds arguments to the function."""

    def __call__(
        self, arguments: Snapshot, context: RunContext | None, values: JSON = None, /
    ) -> Callable[[], Any]:
        """The call, ready to be made once."""


class CompiledTool:
    """One tool with everything that its calls need; made at its first call.

    Attributes:
        tool: what the author wrote.
        is_async: whether calling it gives something to await.
        limits: what the values that pass through it keep to.
        needs_context: whether it gets a `RunContext`.
        prepare: gives the arguments as the tool will get them, or everything that is wrong.
        bind: gives the call itself, with the types that the function asks for; calling it runs the
            body once. Raises `ArgumentFaults` where a type's own validator refuses a value.
        project: makes value and content of what the body gave.
        revalidate: the same for a snapshot that somebody put in the place of the tool's value.
    """

    __slots__ = (
        *("bind", "is_async", "limits", "needs_context"),
        *("prepare", "project", "revalidate", "tool"),
    )

    prepare: Prepare
    bind: Bind
    project: Project
    revalidate: Project

    def __init__(
        self, tool: Tool, *, converter: Converter, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        from pegboard.tools.calling import Caller  # late, as listing tools needs none of it
        from pegboard.tools.parameters import returned_by
        from pegboard.tools.preparing import Preparer
        from pegboard.tools.projection import Projector

        returned = returned_by(tool.signature, tool=tool.name)
        projector = Projector(tool, returned.form, converter, limits)
        self.tool = tool
        self.limits = limits
        self.is_async = runs_on_loop(tool.function)
        self.needs_context = tool.signature is None or tool.signature.context is not None
        self.prepare = Preparer(tool, converter, limits).prepare
        self.bind = Caller(tool, converter, limits, is_drained=returned.is_drained).bind
        self.project = projector.project
        self.revalidate = projector.revalidate


def runs_on_loop(function: Any) -> bool:
    """Whether calling it gives something to await or an asynchronous iterator."""
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)

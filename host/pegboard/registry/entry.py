"""A contribution that stands on a layer: a tool, or a hook."""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

import attrs

from pegboard.errors import PegboardError
from pegboard.hooks import Implementation, adapt, takes_one
from pegboard.registry.generation import Generation, Owner
from pegboard.reports import QuarantinedTool
from pegboard.tools import CompiledTool, Tool, ToolDefinition
from pegboard.values import Limits
from pegboard.values.codec import sorted_text


@attrs.define(eq=False, repr=False)
class Entry:
    """A tool on a layer, under the name that models see.

    Attributes:
        name: the name on this layer; the operator may have renamed the tool.
        tool: what the author wrote, with what the operator knows better.
        generation: who brought it.
        layer: the name of the layer, for people.
        masked_by: how many scopes have masks that reach it, counted from this one outwards; none
            where the program put it here, more where a plugin of a farther layer did.
        max_running: how many of its calls may run at once, if the operator says.
        quarantined: why it is neither offered nor callable, or None.
        written: what the author wrote, where the operator says otherwise; else None.
        is_alone: whether it is left out where it can't stand, rather than all that came with it.
        plugin: the name of the plugin that brought it; empty for the program.
        definition: what a model is told of it.
    """

    name: str
    tool: Tool
    generation: Generation
    layer: str
    masked_by: int = 0
    plugin: str = attrs.field(init=False)
    definition: ToolDefinition = attrs.field(init=False)
    _digest: bytes | None = None
    _compiled: CompiledTool | None = None
    max_running: int | None = attrs.field(default=None, kw_only=True)
    quarantined: QuarantinedTool | None = attrs.field(default=None, kw_only=True)
    written: Tool | None = attrs.field(default=None, kw_only=True)
    is_alone: bool = attrs.field(default=False, kw_only=True)

    @plugin.default
    def _brought_by(self) -> str:
        return self.generation.owner.plugin or ""

    @definition.default
    def _told(self) -> ToolDefinition:
        tool = self.tool
        return ToolDefinition(
            self.name, tool.description, tool.parameters_snapshot, tool.defer_loading
        )

    def tell(self, tool: Tool, *, max_running: int | None) -> None:
        """Say of it what the operator says by now; what runs already goes on as it was."""
        self.written = self.written or self.tool
        self.tool, self.max_running = tool, max_running
        self.definition = self._told()
        self._digest = self._compiled = None

    def bound(self, limits: Limits) -> None:
        """Have the values that pass through it keep to other limits from now on."""
        self.generation.limits = limits
        if self._compiled is not None and self._compiled.limits != limits:
            self._compiled = None

    @property
    def owner(self) -> Owner:
        """Who brought it."""
        return self.generation.owner

    @property
    def shown_tool(self) -> Tool:
        """The tool under the name that models see."""
        return self.tool if self.name == self.tool.name else attrs.evolve(self.tool, name=self.name)

    @property
    def digest(self) -> bytes:
        """Sixteen bytes that stand for everything any format shows of it."""
        if self._digest is None:
            self._digest = hashlib.blake2b(_shown_text(self), digest_size=16).digest()
        return self._digest

    @property
    def compiled(self) -> CompiledTool:
        """The tool ready to be called, made at its first call."""
        if self._compiled is None:
            self._compiled = CompiledTool(
                self.tool, converter=self.generation.converter, limits=self.generation.limits
            )
        return self._compiled

    def __repr__(self) -> str:
        return f"Entry({self.name!r} of {self.owner} on {self.layer})"


def _shown_text(entry: Entry) -> bytes:
    tool = entry.tool
    annotations = None if tool.annotations is None else attrs.asdict(tool.annotations)
    output = tool.output.schema_snapshot
    rest = [entry.name, tool.description, tool.title, tool.defer_loading, annotations]
    parts = (sorted_text(rest), tool.parameters_snapshot.text, output.text if output else b"")
    return b"\0".join(parts)


@attrs.frozen(eq=False)
class HookEntry:
    """A hook or a guard on a layer.

    Attributes:
        kind: the hook's name, or `guard`.
        function: what is called, with the arguments of the specification in order; without
            `call_next` unless it wraps.
        generation: who brought it.
        wraps: whether it wraps the rest of its chain.
        rank: 0 for `tryfirst`, 1, 2 for `trylast`, or `OUTERMOST`, `INNERMOST` or `NEAREST`.
        applies: tells of a tool's entry whether the hook may concern it; None for every tool.
        is_async: whether calling it is known to give something to await.
    """

    kind: str
    function: Callable[..., Any]
    generation: Generation
    wraps: bool = False
    rank: int = 1
    applies: Callable[[Entry], bool] | None = None
    is_async: bool = False

    @property
    def owner(self) -> str:
        """Who brought it, for messages."""
        return str(self.generation.owner)

    @property
    def what(self) -> str:
        """What it is and whose, for messages."""
        kind = self.kind.removeprefix("pegboard_").removesuffix("_call")
        return f"the {kind} hook of {self.owner}" if kind != "guard" else f"a guard of {self.owner}"


def guard_entry(guard: object, generation: Generation) -> HookEntry:
    """A guard as a contribution, whoever brings it.

    Raises:
        PegboardError: it can't be called.
    """
    if not callable(guard):
        kind = type(guard).__name__
        raise PegboardError(f"a guard of {generation.owner} is a function, not {kind}")
    if not takes_one(guard):
        raise PegboardError(f"a guard of {generation.owner} must take one argument, the execution")
    return HookEntry("guard", guard, generation, is_async=iscoroutinefunction(guard))


def runtime_entry(runtime: object, generation: Generation) -> HookEntry:
    """What runs programs as a contribution.

    Raises:
        PegboardError: it runs none.
    """
    run = getattr(runtime, "run", None)
    if not callable(run):
        kind = type(runtime).__name__
        raise PegboardError(
            f"the code runtime of {generation.owner} has an async `run`, and {kind} has none"
        )
    return HookEntry("pegboard_code_runtime", run, generation, is_async=True)


def hook_entry(found: Implementation, generation: Generation) -> HookEntry:
    """An implementation of a hook as a contribution; it gets its plugin's context if it asks."""
    called = found.function
    if found.takes_plugin:
        called = partial(called, generation.context)
    return HookEntry(
        found.hook, called, generation, found.wraps, found.rank, found.applies, found.is_async
    )


def hook_entries(
    hooks: Mapping[str, Callable[..., Any]], generation: Generation
) -> tuple[HookEntry, ...]:
    """Functions as hooks, by the hooks' names without `pegboard_`.

    Raises:
        PegboardError: there is none, no such hook for calls, or one names an unknown argument.
    """
    if not hooks:
        raise PegboardError("hook takes hooks by their names, such as before_call=…, and got none")
    named = ((f"pegboard_{name}", function) for name, function in hooks.items())
    return tuple(hook_entry(adapt(function, name), generation) for name, function in named)

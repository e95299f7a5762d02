"""The parts of a host that its boards work with."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import attrs

from pegboard.calls import Flights, Pipeline
from pegboard.hooks import adapt
from pegboard.registry import (
    Contributions,
    Entry,
    Generation,
    HookEntry,
    Registration,
    Registry,
    Restriction,
    Scope,
)
from pegboard.reports import PluginInfo, UnloadReport
from pegboard.tools import Tool, check_tool


class Plugins(Protocol):
    """What a board asks of the plugins of its host."""

    async def load(
        self, what: object, *, name: str | None, scope: Scope | None, settings: Any
    ) -> PluginInfo:
        """Load a plugin whose contributions stand on one scope."""

    async def unload_from(self, scope: Scope, *, grace: float) -> list[UnloadReport]:
        """Unload what was loaded on one scope."""

    def failures(self) -> dict[str, str]:
        """Why plugins could not be loaded, by name."""


@attrs.frozen(eq=False)
class Engine:
    """The parts of a host that its boards work with."""

    registry: Registry
    pipeline: Pipeline
    flights: Flights
    plugins: Plugins
    program: Generation
    ids: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))

    def register(self, scope: Scope, tool: Tool) -> Registration:
        """Put a tool of the program on a layer."""
        check_tool(tool, owner="the program")
        entry = Entry(tool.name, tool, self.program, scope.layer.name)
        return self.registry.put(scope, Contributions((entry,)))

    def guard(self, scope: Scope, guard: Callable[..., Any]) -> Registration:
        """Put a guard of the program on a layer."""
        return self._hook(scope, "guard", guard)

    def hook(self, scope: Scope, hooks: Mapping[str, Callable[..., Any]]) -> Registration:
        """Put hooks of the program on a layer, by their names without `pegboard_`."""
        entries = tuple(
            HookEntry(f"pegboard_{name}", adapt(function, f"pegboard_{name}"), self.program)
            for name, function in hooks.items()
        )
        return self.registry.put(scope, Contributions(hooks=entries))

    def _hook(self, scope: Scope, kind: str, function: Callable[..., Any]) -> Registration:
        return self.registry.put(
            scope, Contributions(hooks=(HookEntry(kind, function, self.program),))
        )

    def restrict(self, scope: Scope, restriction: Restriction) -> Registration:
        """Put a mask on a scope."""
        scope.restrictions.append(restriction)
        scope.changed()

        def lift() -> None:
            scope.restrictions.remove(restriction)
            scope.changed()

        return Registration(lift)

"""The parts of a host that its boards work with."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

import attrs

from pegboard.calls import Flight, Flights, Pipeline, enclosing
from pegboard.registry import (
    Contributions,
    Entry,
    Generation,
    Registration,
    Registry,
    Restriction,
    Scope,
    guard_entry,
    hook_entries,
)
from pegboard.reports import CloseReport, PluginInfo
from pegboard.selection import Selector
from pegboard.tools import Tool, check_tool
from pegboard.values import JSON

T = TypeVar("T")


class Plugins(Protocol):
    """What a board asks of the plugins of its host."""

    async def load(
        self, what: object, *, name: str | None, scope: Scope | None, settings: Any
    ) -> PluginInfo:
        """Load a plugin whose contributions stand on one scope."""

    async def enter(self, scope: Scope, deps: Any, labels: Mapping[str, JSON]) -> None:
        """Enter what plugins keep for a new board."""

    async def leave(self, scope: Scope, *, grace: float) -> CloseReport:
        """Unload what was loaded on one board, and leave what plugins keep for it."""

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
    grace: float = 5.0
    ids: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))
    readers: dict[object, tuple[Scope, int]] = attrs.field(factory=dict)

    def register(self, scope: Scope, tool: Tool) -> Registration:
        """Put a tool of the program on a layer."""
        check_tool(tool, owner="the program")
        entry = Entry(tool.name, tool, self.program, scope.layer.name)
        return self.registry.put(scope, Contributions((entry,)))

    def guard(self, scope: Scope, guard: Callable[..., Any]) -> Registration:
        """Put a guard of the program on a layer.

        Raises:
            PegboardError: it can't be called.
        """
        entry = guard_entry(guard, self.program)
        return self.registry.put(scope, Contributions(hooks=(entry,)))

    def hook(self, scope: Scope, hooks: Mapping[str, Callable[..., Any]]) -> Registration:
        """Put hooks of the program on a layer, by their names without `pegboard_`."""
        entries = hook_entries(hooks, self.program)
        return self.registry.put(scope, Contributions(hooks=entries))

    async def drain(self, scope: Scope, grace: float) -> None:
        """Wait for the calls on a board; after `grace` seconds they are cancelled.

        The call that asks, and those that it is inside of, are not waited for.
        """
        inside = enclosing()

        def is_waited_for(flight: Flight) -> bool:
            return flight.scope is scope and flight not in inside and not flight.is_abandoned

        if await self._ended(is_waited_for, grace):
            return
        for flight in self.flights.of(is_waited_for):
            flight.cancel(f"board {scope.name!r} is closed")
        await self._ended(is_waited_for, self.grace)

    async def _ended(self, admits: Callable[[Flight], bool], limit: float) -> bool:
        loop = asyncio.get_running_loop()
        until = loop.time() + limit
        while self.flights.of(admits):
            if loop.time() >= until:
                return False
            await asyncio.sleep(0.01)
        return True

    def restrict(self, scope: Scope, restriction: Restriction) -> Registration:
        """Put a mask on a scope.

        Args:
            scope: the board, or the global layer for the host's own deny.
            restriction: the mask.
        """
        return _listed(scope, scope.restrictions, restriction)

    def grant(self, scope: Scope, selector: Selector) -> Registration:
        """Lift a scope's own masks for some tools."""
        return _listed(scope, scope.grants, selector)


def _listed(scope: Scope, standing: list[T], added: T) -> Registration:
    standing.append(added)
    scope.changed()

    def lift() -> None:
        standing.remove(added)
        scope.changed()

    return Registration(lift)

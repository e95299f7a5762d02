"""The parts of a host that its boards work with."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import attrs

from pegboard.board.draining import Draining
from pegboard.calls import Batch, Flight, Flights, Pipeline, enclosing, ending
from pegboard.config import Config
from pegboard.errors import UnknownNameError
from pegboard.events import GrantAdded, GrantLifted, RestrictionAdded, RestrictionLifted
from pegboard.registry import (
    Contributions,
    Generation,
    Registration,
    Registry,
    Restriction,
    Scope,
    guard_entry,
    hook_entries,
    tool_entry,
)
from pegboard.reports import CloseReport, DrainReport, PluginInfo, QuarantinedTool, RefusedTool
from pegboard.sdk import SdkWriter
from pegboard.selection import Selector
from pegboard.tools import Tool, check_tool
from pegboard.values import JSON

T = TypeVar("T")


def _unheard(_scope: Scope, _event: object) -> None:
    """Nobody is told."""


class Known(Protocol):
    """What is known of the plugins of a host."""

    def failures(self) -> dict[str, str]:
        """Why plugins could not be loaded, by name."""

    def refused(self) -> tuple[RefusedTool, ...]:
        """The tools that are left out while the rest of their plugins is there."""

    def quarantined(self) -> tuple[QuarantinedTool, ...]:
        """The tools that plugins bring which are quarantined as a whole."""


class Plugins(Protocol):
    """What a board asks of the plugins of its host."""

    @property
    def known(self) -> Known:
        """What is known of them."""

    async def load(
        self, what: object, *, name: str | None, scope: Scope | None, settings: Any
    ) -> PluginInfo:
        """Load a plugin whose contributions stand on one scope."""

    async def enter(self, scope: Scope, deps: Any, labels: Mapping[str, JSON]) -> None:
        """Enter what plugins keep for a new board."""

    async def leave(self, scope: Scope, *, grace: float) -> CloseReport:
        """Unload what was loaded on one board, and leave what plugins keep for it."""


@attrs.define(eq=False)
class Engine:
    """The parts of a host that its boards work with."""

    registry: Registry
    pipeline: Pipeline
    flights: Flights
    plugins: Plugins
    program: Generation
    config: Config = attrs.field(factory=Config)
    ids: Iterator[int] = attrs.field(factory=lambda: itertools.count(1))
    tell: Callable[[Scope, object], None] = _unheard
    readers: dict[object, tuple[Scope, int]] = attrs.field(factory=dict)
    batches: dict[Batch, None] = attrs.field(factory=dict)
    draining: Draining | None = None
    sdks: SdkWriter = attrs.field(factory=SdkWriter)

    def register(self, scope: Scope, tool: Tool) -> Registration:
        """Put a tool of the program on a layer."""
        check_tool(tool, owner="the program")
        entry = tool_entry(tool, self.program, config=self.config, layer=scope.layer.name)
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

    async def drive(self, batch: Batch) -> None:
        """Take every call of a batch to its outcome; it is listed until then."""
        self.batches[batch] = None
        try:
            await batch.drive()
        finally:
            del self.batches[batch]

    async def cancel(self, scope: Scope, reason: str) -> None:
        """Stop what runs on a board and on its children, and wait until it has stopped.

        The call that asks, and those that it is inside of, are not waited for.
        """
        inside = enclosing()
        flights = self.flights.of(lambda each: scope in each.scope.ancestry)
        batches = [each for each in self.batches if scope in each.scope.ancestry]
        for batch in batches:
            batch.cancel(reason)
        for flight in flights:
            flight.cancel(reason)
        waited = [each for each in batches if not any(map(each.holds, inside))]
        left = set(flights).difference(inside)

        def is_waited_for(flight: Flight) -> bool:
            is_concerned = flight in left or any(each.holds(flight) for each in waited)
            return is_concerned and self._goes_on(flight, inside)

        await self._ended(is_waited_for, self.config.stop_grace)

    def running_below(self, board: str) -> list[Flight]:
        """The calls on a board and on its children that have no outcome, also while it closes."""

        def is_below(flight: Flight) -> bool:
            return any(each.name == board for each in flight.scope.ancestry)

        return self.flights.of(lambda each: is_below(each) and not each.is_abandoned)

    async def cancel_calls(self, call_id: str, board: str | None, reason: str) -> int:
        """Stop the calls of one id, on one board or on any; how many there were.

        Raises:
            UnknownNameError: none of that id runs there.
        """
        inside = enclosing()
        running = self.flights.of(lambda each: board in (None, each.scope.name))
        found = [each for each in running if each.call.id == call_id and not each.is_abandoned]
        if not found:
            raise UnknownNameError("running call", call_id, [each.call.id for each in running])
        for flight in found:
            flight.cancel(reason)
        waited = set(found).difference(inside)

        def is_waited_for(flight: Flight) -> bool:
            return flight in waited and self._goes_on(flight, inside)

        await self._ended(is_waited_for, self.config.stop_grace)
        return len(found)

    async def drain(self, scope: Scope, grace: float) -> None:
        """Wait for the calls on a board; after `grace` seconds they are cancelled.

        The call that asks, and those that it is inside of, are not waited for.
        """
        inside = enclosing()

        def is_waited_for(flight: Flight) -> bool:
            is_concerned = flight.scope is scope and flight not in inside
            return is_concerned and self._goes_on(flight, inside)

        if await self._ended(is_waited_for, grace):
            return
        reason = f"board {scope.name!r} is closed"
        for batch in [each for each in self.batches if each.scope is scope]:
            if not batch.is_inside(inside):
                batch.cancel(reason, spared=inside)
        for flight in self.flights.of(is_waited_for):
            flight.cancel(reason)
        await self._ended(is_waited_for, self.config.stop_grace)

    def hasten(self, grace: float) -> None:
        """Give the calls of a host that drains no more than `grace` seconds from now on."""
        if self.draining is not None:
            self.draining.hasten(asyncio.get_running_loop().time() + grace)

    async def drain_all(self, reason: str, grace: float) -> DrainReport:
        """Let no call begin any more, and wait for those that run; see `drain`.

        Calls that are made inside one that runs still begin. Where several drain at once, the
        shortest time holds for all of them.

        Args:
            reason: why, for models.
            grace: seconds that they have before they are cancelled.
        """
        self.pipeline.stops = ending(self.pipeline.stops, reason)
        until = asyncio.get_running_loop().time() + grace
        self.draining = draining = self.draining or Draining(until)
        draining.hasten(until)
        inside = enclosing()

        def is_waited_for(flight: Flight) -> bool:
            return flight not in inside and self._goes_on(flight, inside)

        begun = self.flights.of(is_waited_for)
        await self.flights.none_left(is_waited_for, lambda: draining.until)
        late = self.flights.of(is_waited_for)
        draining.note(late, self.flights.shown(late))
        for batch in list(self.batches):
            if not batch.is_inside(inside):
                batch.cancel(reason, spared=inside)
        for flight in late:
            flight.cancel(reason)
        await self._ended(is_waited_for, self.config.stop_grace)
        left = [each for each in self.flights.of(lambda _: True) if each not in inside]
        return draining.report(begun, late, self.flights.shown(left))

    def _goes_on(self, flight: Flight, inside: Sequence[Flight]) -> bool:
        """Whether a call has neither its outcome, nor only to wait for its turn behind others."""
        is_behind = any(each.is_behind(flight, inside) for each in self.batches)
        return not (flight.is_abandoned or is_behind)

    async def _ended(self, admits: Callable[[Flight], bool], limit: float) -> bool:
        until = asyncio.get_running_loop().time() + limit
        return await self.flights.none_left(admits, lambda: until)

    def restrict(self, scope: Scope, restriction: Restriction) -> Registration:
        """Put a mask on a scope.

        Args:
            scope: the board, or the global layer for the host's own deny.
            restriction: the mask.
        """
        said = (scope.name, restriction.allow, restriction.deny, restriction.origin)
        events = (RestrictionAdded(*said), RestrictionLifted(*said))
        return self._listed(scope, scope.restrictions, restriction, events)

    def grant(self, scope: Scope, selector: Selector) -> Registration:
        """Lift a scope's own masks for some tools."""
        events = (GrantAdded(scope.name, selector), GrantLifted(scope.name, selector))
        return self._listed(scope, scope.grants, selector, events)

    def _listed(
        self, scope: Scope, standing: list[T], added: T, events: tuple[object, object]
    ) -> Registration:
        standing.append(added)
        scope.changed()
        self.tell(scope, events[0])

        def lift() -> None:
            standing.remove(added)
            scope.changed()
            self.tell(scope, events[1])

        return Registration(lift)

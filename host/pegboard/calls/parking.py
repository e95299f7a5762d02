"""Calls that wait while a plugin of theirs is imported or upgraded: none runs code of two loads."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from pegboard.calls.flight import Flight, enclosing
from pegboard.outcomes import Code, Failure
from pegboard.registry import PROGRAM, Chains, Generation, HookEntry, Scope

_NOTHING = Chains()


@attrs.frozen(eq=False)
class Unheard:
    """What observers are told of a call that was cancelled while they were exchanged."""

    flight: Flight
    given: tuple[Any, ...]


@attrs.define(eq=False)
class Parking:
    """One upgrade, as calls see it.

    Attributes:
        generations: the loads that are replaced; calls that would use one of them wait.
        is_switching: whether they have drained, so that nothing may run their code any more.
        lost: why their tools are gone, once it has failed and none could stay.
        unheard: what observers are told once it is over.
    """

    generations: frozenset[Generation]
    is_switching: bool = False
    lost: str | None = None
    unheard: list[Unheard] = attrs.field(factory=list)
    _waiting: dict["asyncio.Future[None]", None] = attrs.field(factory=dict)

    async def wait(self, flight: Flight) -> None:
        """Wait until it is over, or the call is cancelled."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        self._waiting[woken] = None

        def cancelled(_: str) -> None:
            loop.call_soon_threadsafe(_wake, woken)

        unlisten = flight.outer_signal.listen(cancelled)
        try:
            await woken
        finally:
            unlisten()
            self._waiting.pop(woken, None)

    def wake(self) -> None:
        """Let every call that waits look again."""
        for woken in self._waiting:
            _wake(woken)

    def chains_for(self, flight: Flight) -> Chains:
        """What a call passes that is cancelled while nothing may run the old code.

        Its observers are told once the new load is there, or the old one is back.
        """

        def note(*given: object) -> None:
            self.unheard.append(Unheard(flight, given))

        observer = HookEntry("pegboard_call_finished", note, Generation(PROGRAM))
        return Chains(finished=(observer,))


class Parkings:
    """The upgrades that are under way on one host.

    Attributes:
        active: those that calls may have to wait for.
        are_there: whether there is one, or a plugin that isn't imported before it is called.
    """

    __slots__ = ("_deferred", "active", "are_there")

    def __init__(self) -> None:
        self.active: tuple[Parking, ...] = ()
        self.are_there = False
        self._deferred: dict[Generation, Callable[[], object]] = {}

    def defer(self, generation: Generation, wake: Callable[[], object]) -> None:
        """Have a plugin imported by the first call of one of its tools, which waits for that.

        Args:
            generation: what stands for the plugin.
            wake: begins to import it, and the parking with it.
        """
        self._deferred[generation] = wake
        self.are_there = True

    def woken(self, generation: Generation) -> None:
        """Have nothing imported for that any more."""
        self._deferred.pop(generation, None)
        self.are_there = bool(self.active or self._deferred)

    def concern(self, scope: Scope, name: str) -> bool:
        """Whether a call may have to wait before its tool is resolved."""
        if self.active or not self._deferred:
            return bool(self.active)
        entry = scope.find(name)
        return entry is not None and entry.generation in self._deferred

    def begin(self, generations: Iterable[Generation]) -> Parking:
        """Have calls wait from now on that would use one of these loads."""
        parking = Parking(frozenset(generations))
        self.active = (*self.active, parking)
        self.are_there = True
        return parking

    def end(self, parking: Parking) -> None:
        """Let the calls go on."""
        self.active = tuple(each for each in self.active if each is not parking)
        self.are_there = bool(self.active or self._deferred)
        parking.wake()

    def of(self, flight: Flight) -> Parking | None:
        """What a call has to wait for before its tool is resolved, or None.

        What is deferred and wanted now is begun to be imported, and so has to be waited for.
        """
        scope = flight.scope
        entry = scope.find(flight.call.name, is_direct=not flight.depth)
        chains = scope.chains()
        if entry is not None:
            wanted = self._deferred.get(entry.generation)
            if wanted is not None:
                wanted()
            chains = chains.of(entry, epoch=scope.epoch.number)
        used = set(chains.generations)
        if entry is not None:
            used.add(entry.generation)
        concerning = (each for each in self.active if not used.isdisjoint(each.generations))
        return next((each for each in concerning if not _is_inside(flight, each)), None)

    async def passed(self, flight: Flight) -> Failure | None:
        """Wait as long as a call has to; why it ends here, or None."""
        parking = last = self.of(flight)
        if parking is None:
            return None
        began = time.monotonic()
        flight.pin(_NOTHING)
        flight.stage = "parked"
        try:
            while parking is not None and not flight.should_stop():
                last = parking
                await parking.wait(flight)
                parking = self.of(flight)
        finally:
            flight.waited += time.monotonic() - began
            flight.stage = "create"
            self._pin(flight)
        if flight.should_stop():
            return flight.aborted()
        return None if last is None else _lost(flight, last)

    def _pin(self, flight: Flight) -> None:
        """Have a call pass the hooks that stand now, unless their code may not run."""
        parking = self.of(flight)
        if parking is not None and parking.is_switching:
            flight.pin(parking.chains_for(flight))
        else:
            flight.pin(flight.scope.chains())


def _lost(flight: Flight, parking: Parking) -> Failure | None:
    """Why a call ends whose tool went while it waited, or None."""
    name = flight.call.name
    if parking.lost is None or flight.scope.find(name) is not None:
        return None
    return flight.failed(Code.UNKNOWN_TOOL, f"unknown tool {name[:80]!r}: {parking.lost}")


def _is_inside(flight: Flight, parking: Parking) -> bool:
    """Whether a call was made inside one that uses the old load, and so uses it too."""
    if parking.is_switching:
        return False
    around = [each for each in (*_outwards(flight), *enclosing()) if each.holders]
    return any(each.holds(old) for each in around for old in parking.generations)


def _outwards(flight: Flight) -> Iterator[Flight]:
    outer = flight.request.parent
    while outer is not None:
        yield outer
        outer = outer.request.parent


def _wake(woken: "asyncio.Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)

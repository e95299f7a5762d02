"""The list of all calls of one host that have not ended."""

import asyncio
import math
import time
from asyncio import Future
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pegboard.calls.flight import Flight, enclosing
from pegboard.registry import Chains, Scope
from pegboard.reports import RunningCall

_POLL = 0.01  # a call tells nobody that it has ended
_NO_CHAINS = Chains()


class Flights:
    """Every call of one host that has not ended, abandoned bodies included."""

    def __init__(self) -> None:
        self._all: dict[Flight, None] = {}

    def add(self, flight: Flight) -> None:
        """Note a call that begins."""
        self._all[flight] = None

    def let_go(self, flight: Flight) -> None:
        """Forget a call once neither it nor a body of it goes on, and give back what it holds."""
        flight.holders -= 1
        if flight.holders:
            return
        self._all.pop(flight, None)
        entry, chains = flight.entry, flight.chains
        flight.entry, flight.chains = None, _NO_CHAINS  # a timer of its body may hold it long after
        if entry is not None:
            entry.generation.release()
        if chains.generations:
            chains.release()
        if flight.unlisten is not None:
            flight.unlisten()

    def outlive(self, flight: Flight, code: "Future[Any]") -> None:
        """Have code that doesn't stop hold what its call holds, and list the call until then."""
        flight.holders += 1
        flight.outlived = flight.stage
        code.add_done_callback(lambda _: self.let_go(flight))

    def enclosing(self) -> list[Flight]:
        """Those of them that run here: the innermost first, then what it is inside of."""
        return [each for each in enclosing() if each in self._all]

    async def none_left(self, admits: Callable[[Flight], bool], until: Callable[[], float]) -> bool:
        """Whether the calls that fulfil a condition have all ended in time.

        Args:
            admits: the condition; it may change meanwhile.
            until: when time is over, in seconds of the loop's clock; that may change too.
        """
        loop = asyncio.get_running_loop()
        while self.of(admits):
            if loop.time() >= until():
                return False
            await asyncio.sleep(_POLL)
        return True

    async def gone(self, flights: Iterable[Flight], *, within: float = math.inf) -> bool:
        """Whether some calls have their outcomes within so many seconds."""
        left = set(flights)
        until = asyncio.get_running_loop().time() + within
        return await self.none_left(
            lambda each: each in left and not each.is_abandoned, lambda: until
        )

    async def end(self, flights: Iterable[Flight], *, grace: float, reason: str) -> None:
        """Wait until some calls have their outcomes; after `grace` seconds they are cancelled."""
        ending = list(flights)
        if not await self.gone(ending, within=grace):
            for each in ending:
                each.cancel(reason)
            await self.gone(ending)

    def of(self, admits: Callable[[Flight], bool]) -> list[Flight]:
        """The calls that fulfil a condition, oldest first."""
        return [each for each in list(self._all) if admits(each)]

    def stages(self) -> Iterator[str]:
        """Where each of them is; `abandoned` for bodies that have outlived their outcomes."""
        for each in list(self._all):
            yield "abandoned" if each.is_abandoned else each.stage

    def listing(self, scopes: Iterable[Scope] | None = None) -> tuple[RunningCall, ...]:
        """What runs, on any of these boards or on all, oldest first."""
        wanted = None if scopes is None else set(map(id, scopes))
        return self.shown(self.of(lambda each: wanted is None or id(each.scope) in wanted))

    def shown(self, flights: Iterable[Flight]) -> tuple[RunningCall, ...]:
        """Some of them, for people and programs."""
        now = time.monotonic()
        return tuple(_shown(each, now) for each in flights)


def _shown(flight: Flight, now: float) -> RunningCall:
    owner = None if flight.entry is None else flight.entry.owner
    return RunningCall(
        call_id=flight.call.id,
        tool=flight.call.name,
        board=flight.scope.name or "",
        plugin=None if owner is None else owner.plugin,
        generation=0 if owner is None else owner.generation,
        stage=flight.outlived if flight.is_abandoned else flight.stage,
        age=now - flight.started,
        abandoned=flight.is_abandoned,
    )

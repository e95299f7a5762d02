"""A batch: many calls, one outcome each, in the order of the calls."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from pegboard.calls.flight import Flight, Request
from pegboard.calls.order import Order, Place
from pegboard.calls.overlapping import overlap
from pegboard.calls.pipeline import Pipeline
from pegboard.calls.stages import Doing, Parked, Stages, Started
from pegboard.outcomes import Code, Failure, Outcome, Success, ToolCall
from pegboard.registry import Scope


class Batch:
    """Takes calls to their outcomes, in their order.

    One step after the other is taken: an outcome whose turn has come is finished first, then a
    call that waits is started, then the next one is begun. Only bodies and pending approvals go on
    beside that, once they have suspended.

    Attributes:
        scope: the board.
    """

    __slots__ = (
        *("_coming", "_is_next_exclusive", "_is_open", "_land", "_order", "_parked", "_pipeline"),
        *("_reason", "_request", "_seen", "_stages", "_tear", "_woken", "_yields", "scope"),
    )

    def __init__(
        self,
        pipeline: Pipeline,
        scope: Scope,
        calls: Iterable[ToolCall],
        request: Request,
        *,
        max_parallel: int,
        land: Callable[[Outcome], object],
        start: Callable[[Started], object] | None = None,
        yields: bool = False,
        is_open: bool = False,
    ) -> None:
        """A batch that has not begun.

        Args:
            pipeline: takes each call through its stages.
            scope: the board.
            calls: the calls.
            request: what the caller says beside them.
            max_parallel: how many bodies may run at once.
            land: given each outcome when its turn has come.
            start: told of each body that is about to start.
            yields: whether the loop turns after each outcome, so that a reader gets it at once.
            is_open: whether more calls may come, until `end`.
        """
        self._pipeline = pipeline
        self.scope = scope
        self._request = request
        self._land = land
        self._yields = yields
        self._is_open = is_open
        self._coming = deque(calls)
        self._order = Order(max_parallel)
        self._stages = Stages(pipeline, self._order, self, start)
        self._seen: set[str] = set()
        self._is_next_exclusive = False
        self._parked: Parked | None = None
        self._tear: asyncio.CancelledError | None = None
        self._reason: str | None = None
        self._woken: asyncio.Future[None] | None = None

    async def drive(self) -> None:
        """Take every call to its outcome.

        Raises:
            CancelledError: the task that drives was cancelled; every call has its outcome.
        """
        try:
            while self._is_going_on:
                doing = self._step()
                if doing is not None:
                    await doing
        finally:
            # they know this batch, or who made it: nothing of the calls waits for a collector
            del self._stages, self._land, self._request
        if self._tear is not None:
            raise self._tear

    @property
    def _is_going_on(self) -> bool:
        has_calls = bool(self._coming) or self._parked is not None or self._order.first is not None
        return has_calls or self._is_open

    @property
    def is_ended(self) -> bool:
        """Whether no more calls may come."""
        return not self._is_open

    def add(self, call: ToolCall) -> None:
        """Take one more call, after those that it has."""
        self._coming.append(call)
        self.wake()

    def end(self, reason: str) -> None:
        """Take no more calls, and stop those that it has."""
        self._is_open = False
        self.cancel(reason)
        self.wake()

    def cancel(self, reason: str, *, spared: Sequence[Flight] = ()) -> None:
        """Start nothing more, and stop what runs; a second time keeps the first reason.

        Args:
            reason: what models read.
            spared: calls that go on.
        """
        if self._reason is None:
            self._reason = reason
        for flight in self._flights():
            if flight not in spared:
                flight.cancel(self._reason)

    def holds(self, flight: Flight) -> bool:
        """Whether a call is one of these, and has not landed."""
        return any(each is flight for each in self._flights())

    def is_inside(self, flights: Sequence[Flight]) -> bool:
        """Whether its calls are made inside one of these, as those of a program are."""
        return self._request.parent is not None and self._request.parent in flights

    def _flights(self) -> list[Flight]:
        begun = [place.flight for place in self._order]
        return [*begun, self._parked.flight] if self._parked else begun

    def is_behind(self, flight: Flight, others: Sequence[Flight]) -> bool:
        """Whether a call has ended but for its turn, which comes after that of another."""
        return self._order.is_behind(flight, others)

    def wake(self) -> None:
        """Take the next step: a call has come further."""
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    def tear(self, error: asyncio.CancelledError) -> None:
        """Stop everything: the task that drives was cancelled."""
        self._tear = error
        self.cancel("the caller was cancelled")

    def _step(self) -> Doing:
        """Take the next step; gives what has to be awaited for it."""
        first = self._order.first
        if first is not None and first.outcome is not None:
            return self._finish(first, first.outcome)
        if self._stages.answered:
            return self._stages.guard(self._stages.answered.popleft())
        place = self._order.startable()
        if place is not None:
            self._stages.run(place)
            return None
        if self._parked is not None:
            return self._unpark(self._parked)
        if self._coming and self._order.has_room and not (self._is_next_exclusive and first):
            return self._begin(self._coming.popleft())
        return self._wait()

    def _begin(self, call: ToolCall) -> Doing:
        """Resolve and validate a call, and ask its policies once its turn has come."""
        flight = self._pipeline.begin(self.scope, call, self._request)
        if self._reason is not None:
            flight.cancel(self._reason)
        refused = self._repeated(flight)
        if refused is None and self._pipeline.may_wait(flight):
            self._parked = Parked(flight)
            self._pipeline.beside(self._stages.unparked(self._parked))
            return None
        return self._begun(flight, refused or self._stages.attempted(flight, self._pipeline.ready))

    def _begun(self, flight: Flight, refused: Failure | None) -> Doing:
        place = Place(flight, outcome=refused)
        if place.outcome is None and flight.entry is not None:
            place.overlap = overlap(flight.entry, flight.arguments)
            if place.overlap is False and self._order.first is not None:
                self._put_back(flight)
                return None
        self._is_next_exclusive = False
        self._seen.add(flight.call.id)
        self._order.join(place)
        return self._stages.decide(place) if refused is None else None

    def _unpark(self, parked: Parked) -> Doing:
        """Go on with a call that waited for an upgrade; the batch waits with it, as it comes next.

        What runs already lands meanwhile: the upgrade waits for that.
        """
        if not parked.is_over:
            return self._wait()
        self._parked = None
        return self._begun(parked.flight, parked.refused)

    def _put_back(self, flight: Flight) -> None:
        """Have an exclusive call begin anew once every earlier one has ended.

        Nobody has seen it yet, and meanwhile it holds nothing: its plugin may be unloaded.
        """
        self._pipeline.withdraw(flight)
        self._coming.appendleft(flight.call)
        self._is_next_exclusive = True

    def _repeated(self, flight: Flight) -> Failure | None:
        call_id = flight.call.id
        if call_id not in self._seen:
            return None
        message = f"call id {call_id[:80]!r} has occurred before in this batch"
        return flight.failed(Code.INVALID_CALL, message)

    def _finish(self, place: Place, outcome: Outcome) -> Doing:
        ending = self._pipeline.ending(place.flight, outcome)
        if not isinstance(ending, (Success, Failure)):
            return self._conclude(place, ending)
        self._landed(ending)
        return self._turn() if self._yields else None

    async def _conclude(self, place: Place, ending: Coroutine[Any, Any, Outcome]) -> None:
        outcome = await ending
        if place.flight.cancelled_by is not None:
            self.tear(place.flight.cancelled_by)
        self._landed(outcome)
        if self._yields:
            await self._turn()

    def _landed(self, outcome: Outcome) -> None:
        self._order.land()
        self._land(outcome)

    async def _wait(self) -> None:
        """Wait until something has ended."""
        self._woken = asyncio.get_running_loop().create_future()
        try:
            await self._woken
        except asyncio.CancelledError as error:
            self.tear(error)
        finally:
            self._woken = None

    async def _turn(self) -> None:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError as error:
            self.tear(error)

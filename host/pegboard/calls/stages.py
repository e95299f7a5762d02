"""Taking one call of a batch from its policies to the end of its body."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Protocol, TypeVar

import attrs

from pegboard.calls.around import Begun
from pegboard.calls.flight import Flight
from pegboard.calls.order import Order, Place
from pegboard.calls.overlapping import overlaps_still
from pegboard.calls.pipeline import Pipeline
from pegboard.calls.policies import Opinion, Spoken
from pegboard.calls.threads import Ended, Returned, Running
from pegboard.outcomes import Failure, Outcome, Success

T = TypeVar("T")
Doing = Coroutine[Any, Any, None] | None


@attrs.frozen
class Started:
    """A call has passed its policies, and its body is about to start.

    Attributes:
        call_id: the id of the call.
        tool: the name that was called.
    """

    call_id: str
    tool: str


@attrs.define(eq=False)
class Parked:
    """A call that waits for an upgrade before its tool is resolved.

    Attributes:
        flight: the call.
        is_over: whether it waits no more.
        refused: why it ended while it waited, if it did.
    """

    flight: Flight
    is_over: bool = False
    refused: Failure | None = None


class Driving(Protocol):
    """What these stages ask of what drives the batch."""

    def wake(self) -> None:
        """Take the next step: a call has come further."""

    def tear(self, error: asyncio.CancelledError) -> None:
        """Stop everything: the task that drives was cancelled."""


class Stages:
    """Takes calls of one batch from their policies to the end of their bodies.

    Attributes:
        answered: calls that were approved, and whose guards are to be asked.
    """

    __slots__ = ("_driving", "_order", "_pipeline", "_start", "answered")

    def __init__(
        self,
        pipeline: Pipeline,
        order: Order,
        driving: Driving,
        start: Callable[[Started], object] | None,
    ) -> None:
        self._pipeline = pipeline
        self._order = order
        self._driving = driving
        self._start = start
        self.answered: deque[Place] = deque()

    async def unparked(self, parked: Parked) -> Returned:
        """Take a call through stages 1 to 3 while plugins are upgraded."""
        flight = parked.flight
        parked.refused = await self._contained(flight, self._pipeline.unparked(flight))
        parked.is_over = True
        self._driving.wake()
        return Returned(None)

    def decide(self, place: Place) -> Doing:
        """Ask the policies of a call, and have its body start; gives what has to be awaited."""
        flight = place.flight
        if not flight.chains.decides:
            self._admit(place)
            return None
        spoken = self.attempted(flight, self._pipeline.first_to_speak)
        if spoken is None or isinstance(spoken, Failure):
            self._decided(place, spoken)
            return None
        return self._hear(place, spoken)

    async def guard(self, place: Place) -> None:
        """Ask the guards of a call that was approved."""
        flight = place.flight
        guarding = self._pipeline.settle_policies(flight, None)
        self._decided(place, await self._contained(flight, guarding))

    def run(self, place: Place) -> None:
        """Start a body, unless the call was cancelled or may not overlap others any more."""
        flight = place.flight
        if flight.should_stop():
            self._end(place, flight.aborted())
            return
        if not _overlaps_still(place):
            self._order.isolate(place)
            if self._order.startable() is not place:
                self._watch(place)
                return
        self._launch(place)

    def attempted(self, flight: Flight, stage: Callable[..., T], *given: Any) -> T | Failure:
        """What a stage gives at once; a fault of the host is an outcome too."""
        try:
            return stage(flight, *given)
        except asyncio.CancelledError as tear:
            self._driving.tear(tear)
            return self._pipeline.interrupted(flight, tear)
        except Exception as error:  # noqa: BLE001 - one call's fault never touches another
            return self._pipeline.failed_inside(flight, error)

    async def _contained(self, flight: Flight, stage: Coroutine[Any, Any, T]) -> T | Failure:
        """The same for a stage that is awaited."""
        given: T | Failure
        try:
            given = await stage
        except asyncio.CancelledError as tear:
            given = self._pipeline.interrupted(flight, tear)
        except Exception as error:  # noqa: BLE001 - one call's fault never touches another
            given = self._pipeline.failed_inside(flight, error)
        if flight.tear is not None:
            self._driving.tear(flight.tear)
        return given

    async def _hear(self, place: Place, spoken: Spoken) -> None:
        """Hear the policies; an approval is waited for beside the other calls."""
        flight, pipeline = place.flight, self._pipeline
        if spoken.stage == "guards":
            self._decided(place, await self._contained(flight, pipeline.decide(flight, spoken)))
            return
        opinion = await self._contained(flight, pipeline.hear(flight, spoken))
        if isinstance(opinion, Failure):
            self._end(place, opinion)
        elif opinion is not None:
            place.running = pipeline.beside(self._approve(place, opinion))
        else:
            await self.guard(place)

    async def _approve(self, place: Place, opinion: Opinion) -> Returned:
        flight = place.flight
        ended = await self._contained(flight, self._pipeline.approvals.approve(flight, opinion))
        if ended is None:
            self.answered.append(place)
            self._driving.wake()
        else:
            self._end(place, ended)
        return Returned(None)

    def _decided(self, place: Place, refused: Failure | None) -> None:
        """Have the body start as soon as it may, or not at all."""
        if refused is not None:
            self._end(place, refused)
            return
        self._order.wait(place)
        if self._order.startable() is not place:
            self._watch(place)

    def _admit(self, place: Place) -> None:
        """The same for a call that has begun just now, as there was room for its body."""
        if self._order.is_held_back(place):
            self._order.wait(place)
            self._watch(place)
        else:
            self._launch(place)

    def _launch(self, place: Place) -> None:
        flight = place.flight
        self._order.start(place)
        if self._start is not None:
            self._start(Started(flight.call.id, flight.call.name))
        begun = self.attempted(flight, self._pipeline.run)
        if isinstance(begun, (Success, Failure)):
            self._end(place, begun)
        elif isinstance(begun, Running):
            self._follow(place, begun)
        else:
            self._carry(place, begun)

    def _follow(self, place: Place, body: Running) -> None:
        """Have a body end its call; only one that is to be stopped needs a task for that."""
        place.body = body
        self._watch(place)
        body.future.add_done_callback(partial(self._body_ended, place, body))

    def _body_ended(self, place: Place, body: Running, future: "asyncio.Future[Ended]") -> None:
        if place.body is not body:
            return
        outcome = self.attempted(place.flight, self._pipeline.ended, future.result())
        if outcome is None:
            self._carry(place, body)
        else:
            self._end(place, outcome)

    def _carry(self, place: Place, begun: Begun) -> None:
        """Await the rest of the stages around a body beside the other calls."""

        async def carried() -> Returned:
            rest = self._pipeline.rest(place.flight, begun)
            self._end(place, await self._contained(place.flight, rest))
            return Returned(None)

        _forget_signal(place)
        place.body = None
        place.running = self._pipeline.beside(carried())

    def _watch(self, place: Place) -> None:
        """Have a call that waits, or whose body is followed, end soon after it is cancelled."""
        if place.unlisten is not None:
            return
        loop = asyncio.get_running_loop()

        def cancelled(_: str) -> None:
            loop.call_soon_threadsafe(self._stop, place)

        place.unlisten = place.flight.outer_signal.listen(cancelled)

    def _stop(self, place: Place) -> None:
        if place.is_waiting:
            self._end(place, place.flight.aborted())
        elif place.body is not None and not place.body.future.done():
            self._carry(place, place.body)

    def _end(self, place: Place, outcome: Outcome) -> None:
        """Note how a call ended; what is left of it happens when its turn has come."""
        self._order.end(place, outcome)
        _forget_signal(place)
        self._driving.wake()


def _overlaps_still(place: Place) -> bool:
    """Ask again, as the tool may have changed since the call's turn came."""
    entry, before = place.flight.entry, place.overlap
    if entry is None or before is None or before is False:
        return True
    return overlaps_still(place.flight, entry, before)


def _forget_signal(place: Place) -> None:
    if place.unlisten is not None:
        place.unlisten()
        place.unlisten = None

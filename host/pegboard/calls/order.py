"""Which call of a batch may begin, start and land: the order of the calls, and who may overlap."""

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import attrs

from pegboard.calls.flight import Flight
from pegboard.calls.overlapping import Overlap
from pegboard.calls.threads import Running
from pegboard.outcomes import Outcome


@attrs.define(eq=False)
class Place:
    """One call in the order of a batch.

    Attributes:
        flight: the call.
        overlap: how it may overlap others; None for one that can't run.
        outcome: how it ended, before the stages that come in the order of the calls.
        number: where it stands in that order.
        is_waiting: whether it has passed its policies and its body hasn't started.
        is_running: whether its body runs.
        body: its body, where nothing awaits it and it ends the call by itself.
        running: what carries its approval, or the stages around its body.
        unlisten: stops listening to its signal while it waits.
    """

    flight: Flight
    overlap: Overlap | None = None
    outcome: Outcome | None = None
    number: int = 0
    is_waiting: bool = False
    is_running: bool = False
    body: Running | None = None
    running: Running | None = None
    unlisten: Callable[[], None] | None = None


class Order:
    """The calls of a batch that have begun and not landed, in their order.

    Attributes:
        first: the earliest of them, or None.
    """

    __slots__ = ("_exclusive", "_free", "_lines", "_most", "_places", "_running", "_taken", "first")

    def __init__(self, most: int) -> None:
        """An order of no calls.

        Args:
            most: how many bodies may run at once.
        """
        self._most = most
        self._places: deque[Place] = deque()
        self._free: list[tuple[int, Place]] = []
        self._lines: dict[str, deque[Place]] = {}
        self._taken = self._running = self._exclusive = 0
        self.first: Place | None = None

    def __iter__(self) -> Iterator[Place]:
        return iter(self._places)

    @property
    def has_room(self) -> bool:
        """Whether one more call may begin, as far as those before it say."""
        return not self._exclusive and self._running < self._most and self._foremost() is None

    def join(self, place: Place) -> None:
        """Take a call that begins; those that share a key line up here."""
        place.number = self._taken
        self._taken += 1
        self._places.append(place)
        if self.first is None:
            self.first = place
        if place.overlap is False:
            self._exclusive += 1
        elif isinstance(place.overlap, str):
            self._lines.setdefault(place.overlap, deque()).append(place)

    def is_held_back(self, place: Place) -> bool:
        """Whether an earlier call of the same key has not ended."""
        return isinstance(place.overlap, str) and self._lines[place.overlap][0] is not place

    def wait(self, place: Place) -> None:
        """Note that a call has passed its policies."""
        place.is_waiting = True
        if not self.is_held_back(place):
            heapq.heappush(self._free, (place.number, place))

    def startable(self) -> Place | None:
        """The earliest call whose body may start now, or None."""
        if self._running >= self._most:
            return None
        place, first = self._foremost(), self.first
        if place is None or first is None:
            return None
        if place is first:
            return None if place.overlap is False and self._running else place
        return None if place.overlap is False or first.overlap is False else place

    def start(self, place: Place) -> None:
        """Note that a body starts."""
        place.is_waiting = False
        place.is_running = True
        self._running += 1

    def isolate(self, place: Place) -> None:
        """Have a waiting call run alone, once every earlier one has landed."""
        self._leave_line(place)
        place.overlap = False
        self._exclusive += 1

    def end(self, place: Place, outcome: Outcome) -> None:
        """Note how a call has ended; it lands when its turn has come."""
        self._running -= place.is_running
        place.is_waiting = place.is_running = False
        place.outcome = outcome
        place.body = place.running = None
        self._leave_line(place)

    def land(self) -> None:
        """Note that the first call has its final outcome."""
        gone = self._places.popleft()
        if gone.overlap is False:
            self._exclusive -= 1
        self.first = self._places[0] if self._places else None

    def is_behind(self, flight: Flight, others: Sequence[Flight]) -> bool:
        """Whether a call has ended but for its turn, which comes after that of another."""
        is_after = False
        for place in self._places:
            if place.flight is flight:
                return is_after and place.outcome is not None
            is_after = is_after or place.flight in others
        return False

    def _foremost(self) -> Place | None:
        """The earliest waiting call that no other of its key holds back, or None."""
        free = self._free
        while free and not free[0][1].is_waiting:
            heapq.heappop(free)
        return free[0][1] if free else None

    def _leave_line(self, place: Place) -> None:
        """Let the next call of the same key come forward."""
        if not isinstance(place.overlap, str):
            return
        line = self._lines[place.overlap]
        was_first = line[0] is place
        line.remove(place)
        if not line:
            del self._lines[place.overlap]
        elif was_first and line[0].is_waiting:
            heapq.heappush(self._free, (line[0].number, line[0]))

"""Whose calls of a tool run and whose wait, in the order in which they have come."""

from collections.abc import Callable

import attrs


@attrs.frozen(eq=False)
class Place:
    """One call in a queue.

    Attributes:
        call: who it is.
        outer: the calls that it is inside of; each of them waits where this one does.
        begin: called when its turn has come.
    """

    call: object
    outer: tuple[object, ...]
    begin: Callable[[], object]


@attrs.define(eq=False)
class _Queue:
    most: int
    running: dict[Place, None] = attrs.field(factory=dict)
    waiting: dict[Place, None] = attrs.field(factory=dict)

    def advance(self) -> None:
        while self.waiting and len(self.running) < self.most:
            place = next(iter(self.waiting))
            del self.waiting[place]
            self.running[place] = None
            place.begin()


class Queues:
    """The queues of one host, by the names of tools; an empty one is forgotten."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}

    def __len__(self) -> int:
        return len(self._queues)

    def enter(self, name: str, place: Place, *, most: int) -> None:
        """Take a place; its turn comes at once where fewer than `most` run and nobody waits."""
        queue = self._queues.setdefault(name, _Queue(most))
        queue.most = most
        queue.waiting[place] = None
        queue.advance()

    def leave(self, name: str, place: Place) -> None:
        """Give a place back, whether its turn had come or not; the next one's may come."""
        queue = self._queues[name]
        queue.running.pop(place, None)
        queue.waiting.pop(place, None)
        queue.advance()
        if not queue.running:
            del self._queues[name]

    def is_hopeless(self, name: str) -> bool:
        """Whether whoever waits in a queue waits for calls that wait for one another."""
        hopeless = {each for each in self._queues.values() if each.waiting}
        while hopeless:
            held_up = {
                call for queue in hopeless for place in queue.waiting for call in place.outer
            }
            moving = {
                queue
                for queue in hopeless
                if any(place.call not in held_up for place in queue.running)
            }
            if not moving:
                break
            hopeless -= moving
        return self._queues[name] in hopeless

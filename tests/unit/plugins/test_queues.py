"""Queues of calls: so many run, the others wait in order, and nobody waits in vain."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pegboard.plugins.builtin.queues import Place, Queues

Steps = list[tuple[str, int]]
NAMES = ("a", "b")


class Waiting:
    """Two queues, and what should stand in them."""

    def __init__(self, most: int) -> None:
        self.queues = Queues()
        self.most = most
        self.begun: dict[str, list[Place]] = {name: [] for name in NAMES}
        self.places: dict[str, list[Place]] = {name: [] for name in NAMES}

    def enter(self, name: str, call: Any = None, *outer: object) -> Place:
        """A new place in a queue."""
        begun = self.begun[name]
        place = Place(call, outer, lambda: begun.append(place))
        self.places[name].append(place)
        self.queues.enter(name, place, most=self.most)
        return place

    def leave(self, name: str, number: int) -> None:
        """Give back any of the places in a queue."""
        there = self.places[name]
        if there:
            place = there.pop(number % len(there))
            self.queues.leave(name, place)

    def has(self, name: str) -> bool:
        """Whether anybody is in a queue."""
        return bool(self.places[name])

    def can_end(self, place: Place) -> bool:
        """Whether one that runs has nobody left inside of it."""
        there = [each for name in NAMES for each in self.places[name]]
        is_running = any(place in self.running(name) for name in NAMES)
        return is_running and not any(place.call in each.outer for each in there)

    def running(self, name: str) -> list[Place]:
        """Those whose turn has come, and that are still there."""
        return [each for each in self.begun[name] if each in self.places[name]]


STEPS = st.lists(st.tuples(st.sampled_from(["+a", "+b", "-a", "-b"]), st.integers(0, 9)))


@given(STEPS, st.integers(1, 3))
def test_the_first_of_each_queue_run_and_never_more(steps: Steps, most: int) -> None:
    waiting = Waiting(most)

    for (what, name), number in steps:
        waiting.enter(name) if what == "+" else waiting.leave(name, number)

        for each in NAMES:
            assert waiting.running(each) == waiting.places[each][:most]
    assert len(waiting.queues) == sum(map(bool, waiting.places.values()))


@given(STEPS, st.integers(1, 3))
def test_turns_come_once_and_in_the_order_of_coming(steps: Steps, most: int) -> None:
    waiting = Waiting(most)
    entered: dict[str, list[Place]] = {name: [] for name in NAMES}

    for (what, name), number in steps:
        if what == "+":
            entered[name].append(waiting.enter(name))
        else:
            waiting.leave(name, number)

    for each in NAMES:
        begun = waiting.begun[each]
        assert begun == [place for place in entered[each] if place in begun]


def test_a_higher_figure_holds_from_the_next_call_on() -> None:
    waiting = Waiting(1)
    first, second = waiting.enter("a"), waiting.enter("a")
    waiting.most = 3

    third = waiting.enter("a")

    assert waiting.running("a") == [first, second, third]


def test_a_call_inside_of_the_one_that_holds_the_only_place_waits_in_vain() -> None:
    waiting = Waiting(1)
    waiting.enter("a", "outer")

    waiting.enter("a", "inner", "outer")

    assert waiting.queues.is_hopeless("a")


def test_calls_that_wait_for_each_other_crosswise_wait_in_vain() -> None:
    waiting = Waiting(1)
    waiting.enter("a", "one")
    waiting.enter("b", "other")

    waiting.enter("b", "one:1", "one")
    alone = waiting.queues.is_hopeless("b")
    waiting.enter("a", "other:1", "other")

    assert not alone
    assert waiting.queues.is_hopeless("a")


def test_nobody_waits_in_vain_while_one_that_runs_waits_for_nobody() -> None:
    waiting = Waiting(2)
    waiting.enter("a", "outer")
    waiting.enter("a", "free")

    waiting.enter("a", "inner", "outer")

    assert not waiting.queues.is_hopeless("a")


@given(st.data(), st.integers(1, 2))
def test_waiting_is_in_vain_exactly_where_nothing_that_runs_could_ever_end(
    data: Any, most: int
) -> None:
    waiting = Waiting(most)
    calls: list[Place] = []
    for number in range(data.draw(st.integers(1, 8))):
        name = data.draw(st.sampled_from(NAMES))
        able = [each for each in calls if each in waiting.running(each.call[0])]
        parent = data.draw(st.sampled_from([None, *able]))
        outer = () if parent is None else (parent.call, *parent.outer)
        calls.append(waiting.enter(name, (name, number), *outer))

    said = {name for name in NAMES if waiting.has(name) and waiting.queues.is_hopeless(name)}
    while (ending := next(filter(waiting.can_end, calls), None)) is not None:
        calls.remove(ending)
        waiting.leave(ending.call[0], waiting.places[ending.call[0]].index(ending))

    assert said == {each.call[0] for each in calls if each not in waiting.running(each.call[0])}

"""The order of a batch: who may begin, start and land."""

from typing import Any

import attrs
import pytest
from pegboard.calls.order import Order, Place
from pegboard.outcomes import Code, Failure

ENDED = Failure("1", "tool", Code.CRASHED, "it failed")


@attrs.define(eq=False)
class Calls:
    """An order, and the places in it by the number of their call."""

    order: Order
    places: list[Place] = attrs.field(factory=list)

    @classmethod
    def of(cls, *overlaps: Any, most: int = 10, waiting: bool = True) -> "Calls":
        """Calls that have begun; those that can run have passed their policies."""
        made = cls(Order(most))
        for overlap in overlaps:
            made.join(overlap, waiting=waiting)
        return made

    def join(self, overlap: Any, *, waiting: bool = True) -> None:
        """Have one more call begin."""
        flight: Any = object()
        place = Place(flight, overlap)
        self.order.join(place)
        self.places.append(place)
        if waiting and overlap is not None:
            self.order.wait(place)

    def start_all(self) -> list[int]:
        """Start what may start; the numbers of those calls."""
        started = []
        while (place := self.order.startable()) is not None:
            self.order.start(place)
            started.append(place.number)
        return started

    def end(self, *numbers: int) -> None:
        """Have calls end, without landing."""
        for number in numbers:
            self.order.end(self.places[number], ENDED)


def test_calls_that_may_overlap_start_in_their_order_up_to_the_most() -> None:
    calls = Calls.of(True, True, True, most=2)

    assert calls.start_all() == [0, 1]
    assert not calls.order.has_room

    calls.end(1)

    assert calls.start_all() == [2]


def test_one_key_is_held_by_one_call_at_a_time_and_other_keys_go_on() -> None:
    calls = Calls.of("a", "a", "b", True)

    assert calls.start_all() == [0, 2, 3]

    calls.end(0)

    assert calls.start_all() == [1]


def test_a_key_is_kept_by_a_call_that_has_not_passed_its_policies() -> None:
    calls = Calls.of("a", waiting=False)
    calls.join("a")

    assert calls.start_all() == []

    calls.end(0)

    assert calls.start_all() == [1]


def test_an_empty_key_is_a_key() -> None:
    assert Calls.of("", "").start_all() == [0]


def test_a_call_of_a_key_that_ends_in_the_middle_of_its_line_lets_nobody_pass() -> None:
    calls = Calls.of("a", "a", "a")
    calls.start_all()

    calls.end(1)

    assert calls.start_all() == []

    calls.end(0)

    assert calls.start_all() == [2]


def test_an_exclusive_call_leaves_no_room_until_it_has_landed() -> None:
    calls = Calls.of(False)

    assert calls.start_all() == [0]
    calls.end(0)
    assert not calls.order.has_room

    calls.order.land()

    assert calls.order.has_room
    assert calls.order.first is None


def test_a_call_that_is_isolated_waits_for_every_earlier_one_and_holds_back_later_ones() -> None:
    calls = Calls.of(True, "a", True)
    calls.order.start(calls.places[0])

    calls.order.isolate(calls.places[1])

    assert calls.start_all() == []
    calls.end(0)
    assert calls.start_all() == []
    calls.order.land()
    assert calls.start_all() == [1]
    assert calls.start_all() == []


def test_an_isolated_call_waits_for_later_bodies_that_run_already() -> None:
    calls = Calls.of("a", "a", True)
    assert calls.start_all() == [0, 2]
    calls.end(0)
    calls.order.land()

    calls.order.isolate(calls.places[1])

    assert calls.start_all() == []
    calls.end(2)
    assert calls.start_all() == [1]


def test_a_call_that_waits_for_a_place_leaves_no_room_for_another_to_begin() -> None:
    calls = Calls.of(True, waiting=False)
    assert calls.order.has_room

    calls.order.wait(calls.places[0])

    assert not calls.order.has_room


def test_a_waiting_call_that_has_ended_is_passed_over() -> None:
    calls = Calls.of(True, True)

    calls.end(0)

    assert calls.start_all() == [1]


def test_a_call_is_behind_another_only_once_it_has_ended_and_comes_after_it() -> None:
    calls = Calls.of(True, True)
    first, second = (each.flight for each in calls.places)

    assert not calls.order.is_behind(second, [first])
    calls.end(1)

    assert calls.order.is_behind(second, [first])
    assert not calls.order.is_behind(first, [second])
    assert not calls.order.is_behind(second, [])


@pytest.mark.parametrize("most", [1, 3])
def test_a_thousand_calls_of_one_key_run_one_by_one_in_their_order(most: int) -> None:
    calls = Calls.of(*["a"] * 1000, most=most)
    ran = []
    while started := calls.start_all():
        ran += started
        calls.end(*started)
        calls.order.land()

    assert ran == list(range(1000))

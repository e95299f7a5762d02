"""Limits hold in every sequence of calls, and refuse nothing that may run."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from limits_machine import LimitsMachine
from pegboard.plugins.builtin.limits import _Ticket
from pegboard.plugins.builtin.limits_counts import Counts, Tally
from pegboard_house import searched

Fault = Callable[[], AbstractContextManager[object]]


def test_every_sequence_of_calls_goes_as_the_rule_says() -> None:
    run_state_machine_as_test(
        LimitsMachine,
        settings=settings(
            max_examples=searched(300, 30),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=tuple(HealthCheck),
        ),
    )


def what_never_ran_has_counted() -> AbstractContextManager[object]:
    return patch.object(Tally, "give_back", lambda self, call: None)


def a_body_that_goes_on_gives_its_place_back() -> AbstractContextManager[object]:
    return patch.object(_Ticket, "hand_over", lambda self, body: None)


def a_place_is_given_back_twice() -> AbstractContextManager[object]:
    leave = _Ticket.leave
    return patch.object(_Ticket, "leave", lambda self: (leave(self), leave(self)))


def a_minute_has_59_seconds() -> AbstractContextManager[object]:
    return patch("pegboard.plugins.builtin.limits_counts.WINDOW", 59)


def a_reload_forgets() -> AbstractContextManager[object]:
    keep = Counts.used

    def forget(self: Counts, keys: object) -> AbstractContextManager[None]:
        self._sheets.clear()
        return keep(self, [])

    return patch.object(Counts, "used", forget)


ONE = {"board": "b0", "name": "one"}
SHOWN: dict[Fault, list[tuple[str, dict[str, Any]]]] = {
    what_never_ran_has_counted: [
        ("open", {"said": {"calls": 1}, "running": None, "per": []}),
        ("call", ONE | {"fate": "invalid"}),
        ("call", ONE | {"fate": "passes"}),
    ],
    a_body_that_goes_on_gives_its_place_back: [
        ("open", {"said": {}, "running": 1, "per": ["board"]}),
        ("call", ONE | {"fate": "held"}),
        ("end", {"call_id": "call-1", "how": "sticks"}),
        ("call", ONE | {"fate": "passes"}),
    ],
    a_place_is_given_back_twice: [
        ("open", {"said": {}, "running": 1, "per": ["tool"]}),
        ("call", ONE | {"fate": "fails"}),
        ("call", ONE | {"fate": "held"}),
        ("call", ONE | {"fate": "held"}),
    ],
    a_minute_has_59_seconds: [
        ("open", {"said": {"per_minute": 1}, "running": None, "per": []}),
        ("call", ONE | {"fate": "passes"}),
        ("wait", {"seconds": 59.5}),
        ("call", ONE | {"fate": "passes"}),
    ],
    a_reload_forgets: [
        ("open", {"said": {"calls": 1}, "running": None, "per": ["board", "tool"]}),
        ("call", ONE | {"fate": "passes"}),
        ("upset", {"what": "plugin", "said": {}}),
        ("call", ONE | {"fate": "passes"}),
    ],
}


@pytest.mark.parametrize(("fault", "steps"), SHOWN.items(), ids=[each.__name__ for each in SHOWN])
def test_the_machine_finds_faults_that_are_put_in(
    fault: Fault, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    for is_faulty in (False, True):
        machine = LimitsMachine()
        with fault() if is_faulty else nullcontext():
            try:
                for step, given in steps[:-1]:
                    getattr(machine, step)(**given)
                step, given = steps[-1]
                with pytest.raises(AssertionError) if is_faulty else nullcontext():
                    getattr(machine, step)(**given)
            finally:
                machine.teardown()

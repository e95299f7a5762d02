"""Plugins come and go with their boards, whatever fails on the way, in whatever order."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from life_machine import LifeMachine
from pegboard.plugins.leaving import Leaving
from pegboard.plugins.perboard import PerBoard
from pegboard.plugins.standing import Standing
from pegboard_house import searched

QUIET = tuple(HealthCheck)
Seeded = Callable[[], AbstractContextManager[object]]


def test_every_sequence_of_lives_leaves_what_is_loaded_and_nothing_else() -> None:
    run_state_machine_as_test(
        LifeMachine,
        settings=settings(
            max_examples=searched(200, 30),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=QUIET,
        ),
    )


async def _nothing(*_: object, **__: object) -> None:
    """Leave nothing."""


def lifespans_stay_entered() -> AbstractContextManager[object]:
    return patch.object(Leaving, "leave", _nothing)


def boards_are_not_left() -> AbstractContextManager[object]:
    return patch.object(PerBoard, "remove_user", _nothing)


def refreshes_change_nothing() -> AbstractContextManager[object]:
    return patch.object(Standing, "swap", lambda self, entries: None)


@pytest.mark.parametrize(
    "fault", [lifespans_stay_entered, boards_are_not_left, refreshes_change_nothing]
)
def test_the_machine_finds_faults_that_are_put_in(fault: Seeded) -> None:
    with fault(), pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(
            LifeMachine,
            settings=settings(
                max_examples=150,
                stateful_step_count=20,
                deadline=None,
                suppress_health_check=QUIET,
                phases=(Phase.generate,),
                database=None,
            ),
        )

"""A thousand callers at once, in every way: never one more than allowed, and none is lost."""

from random import Random
from typing import Any

import pytest
from pegboard import Config, Host
from pegboard_crowds import Crowd, rush
from pegboard_house import searched
from pegboard_limits import clock, limited

SEEDS = range(searched(6, 1))
OTHER = {"tools": ["another"], "calls": 1}


async def rushed(seed: int, rule: dict[str, Any], boards: int = 2) -> tuple[Crowd, list[bool]]:
    """What a crowd has seen under one rule, and how quiet calls went afterwards, board by board."""
    figures = iter(range(1, 10_000))
    counted = {"tools": ["body"]} | rule

    def again() -> Config:
        return limited(counted, OTHER | {"calls": next(figures)}, stop_grace=1)

    with clock() as now:
        crowd = Crowd(Random(seed), now)
        async with Host(again(), discover=False) as host:
            opened = [await host.board(f"b{number}") for number in range(boards)]
            await rush(host, crowd, opened, again)
            assert crowd.going.total() == 0
            quiet = [await each.call("body", {}) for each in opened for _ in range(60)]
    return crowd, [not each.is_error for each in quiet]


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_crowd_makes_exactly_as_many_calls_as_a_board_may(seed: int) -> None:
    crowd, _ = await rushed(seed, {"calls": 40})

    assert {name: len(ids) for name, ids in crowd.ran.items()} == {"b0": 40, "b1": 40}
    assert crowd.kinds["denied"] > 100


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_crowd_makes_exactly_as_many_calls_as_all_boards_may_together(seed: int) -> None:
    crowd, _ = await rushed(seed, {"calls": 50, "per": []})

    assert sum(map(len, crowd.ran.values())) == 50


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_crowd_begins_no_more_calls_in_any_minute_than_it_may(seed: int) -> None:
    crowd, _ = await rushed(seed, {"per_minute": 15})

    for board in ("b0", "b1"):
        times = [time for time, name in crowd.begun if name == board]
        windows = [len([at for at in times if 0 <= at - first < 60]) for first in times]
        assert max(windows) == 15


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_crowd_runs_no_more_calls_at_once_than_it_may(seed: int) -> None:
    crowd, quiet = await rushed(seed, {"running": 4})

    assert dict(crowd.peak) == {"b0": 4, "b1": 4}
    assert all(quiet)

"""The pauses before a server is started again."""

from itertools import pairwise

import pytest
from pegboard_mcp.attached.backoff import BackOff


def test_pauses_grow_with_each_short_life_and_begin_anew_after_a_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, back_off, pauses = [100.0], BackOff(), []
    monkeypatch.setattr("pegboard_mcp.attached.backoff.time.monotonic", lambda: now[0])

    for seconds in (0, 1, 2, 3, 0, 60, 0):
        back_off.start()
        now[0] += seconds
        back_off.end()
        pauses.append(back_off.left)

    assert 0 < pauses[0] <= 0.1
    assert all(1.4 < after / before < 2.7 for before, after in pairwise(pauses[:5]))
    assert pauses[5] <= 0.1
    assert pauses[6] > 0.1


def test_pauses_are_never_longer_than_half_a_minute() -> None:
    back_off = BackOff()
    for _ in range(20):
        back_off.start()
        back_off.end()

    assert 20 < back_off.left <= 30

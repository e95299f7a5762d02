"""Durations as people write them."""

import pytest
from pegboard.cli.durations import lasting


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1e-9, "0.000s"),
        (0.01234, "0.012s"),
        (0.9999, "1.0s"),
        (3.14, "3.1s"),
        (9.94, "9.9s"),
        (10.5, "10s"),
        (42.9, "42s"),
        (200, "3m20s"),
        (7500, "2h05m"),
        (86400 * 3 + 4 * 3600, "3d04h"),
    ],
)
def test_a_duration_has_as_many_figures_as_matter(seconds: float, text: str) -> None:
    assert lasting(seconds) == text

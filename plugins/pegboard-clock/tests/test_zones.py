"""Zones and moments, without a host."""

from datetime import datetime

import pytest
from pegboard_clock.moment import Moment
from pegboard_clock.zones import load_zone, near_zones, zone_names


def test_every_listed_zone_can_be_loaded() -> None:
    loaded = {name: str(load_zone(name)) for name in zone_names()}

    assert len(loaded) > 500
    assert all(name == zone for name, zone in loaded.items())


def test_zones_do_not_depend_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoneinfo.TZPATH", ())

    assert str(load_zone("Europe/Oslo")) == "Europe/Oslo"


@pytest.mark.parametrize(
    ("local", "zone", "expected"),
    [
        (
            "2026-07-01T12:00",
            "Europe/Oslo",
            Moment("2026-07-01T12:00:00+02:00", "Europe/Oslo", "+02:00", "Wednesday", True),
        ),
        (
            "2026-01-01",
            "America/St_Johns",
            Moment("2026-01-01T00:00:00-03:30", "America/St_Johns", "-03:30", "Thursday", False),
        ),
        (
            "2026-02-28T23:59:59.999999",
            "Asia/Kathmandu",
            Moment("2026-02-28T23:59:59+05:45", "Asia/Kathmandu", "+05:45", "Saturday", False),
        ),
    ],
)
def test_a_moment_has_its_offset_and_its_english_weekday(
    local: str, zone: str, expected: Moment
) -> None:
    moment = datetime.fromisoformat(local).replace(tzinfo=load_zone(zone))

    assert Moment.of(moment) == expected


def test_at_most_three_near_zones_are_offered_each_once() -> None:
    near = near_zones("america/new_yrok", zone_names())

    assert near[0] == "America/New_York"
    assert len(near) == len(set(near)) <= 3

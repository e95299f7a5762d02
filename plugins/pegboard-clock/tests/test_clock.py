"""The clock plugin, called through a host."""

import asyncio
from datetime import UTC, datetime, timedelta

import pegboard_clock
import pytest
from pegboard import Failure, Host, Outcome, PluginLoadError
from pegboard.testing import check_plugin

TestPlugin = check_plugin("clock")


def call(arguments: object = None, **settings: object) -> Outcome:
    """The outcome of one call of `clock_now` on a fresh host."""

    async def main() -> Outcome:
        async with Host(discover=False) as host:
            await host.load(pegboard_clock, settings=settings)
            board = await host.board("tests")
            return await board.call("clock_now", arguments)

    return asyncio.run(main())


def test_the_time_is_the_time_now() -> None:
    moment = call({"timezone": "Europe/Oslo"}).unwrap()

    gap = datetime.now(UTC) - datetime.fromisoformat(moment["time"])
    assert moment["timezone"] == "Europe/Oslo"
    assert abs(gap) < timedelta(seconds=30)


@pytest.mark.parametrize("arguments", [None, {}, {"timezone": None}])
def test_a_call_that_names_no_zone_gets_utc(arguments: object) -> None:
    moment = call(arguments).unwrap()

    assert (moment["timezone"], moment["utc_offset"]) == ("UTC", "+00:00")


def test_the_settings_name_the_zone_for_calls_that_name_none() -> None:
    moment = call({}, timezone="Asia/Tokyo").unwrap()

    assert (moment["timezone"], moment["utc_offset"]) == ("Asia/Tokyo", "+09:00")


def test_an_unknown_zone_is_answered_with_the_form_of_a_right_one() -> None:
    outcome = call({"timezone": "Mars/Olympus"})

    assert isinstance(outcome, Failure)
    assert outcome.code == "tool_error"
    assert "'Mars/Olympus'" in outcome.message
    assert "'Europe/Oslo'" in outcome.message


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("europe/oslo", "Europe/Oslo"),
        ("Oslo", "Europe/Oslo"),
        ("America/New York", "America/New_York"),
        ("Asia/Calcuta", "Asia/Calcutta"),
        ("buenos-aires", "America/Argentina/Buenos_Aires"),
        ("utc", "UTC"),
    ],
)
def test_a_near_miss_is_answered_with_the_zone_that_was_meant(written: str, meant: str) -> None:
    outcome = call({"timezone": written})

    assert isinstance(outcome, Failure)
    assert f"{meant!r}" in outcome.message.partition("give an IANA name")[0]


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../../etc/localtime",
        "/etc/localtime",
        "Europe",
        "Europe/",
        "Europe/../Europe/Oslo",
        "Europe/Oslo\0",
        "Europe\\Oslo",
        "zone.tab",
        "__init__.py",
        "UTC ",
        "x" * 100_000,
    ],
)
def test_only_the_exact_name_of_a_zone_opens_anything(name: str) -> None:
    outcome = call({"timezone": name})

    assert isinstance(outcome, Failure)
    assert outcome.code == "tool_error"
    assert len(outcome.message) < 500


def test_a_setting_that_names_no_zone_is_an_error_at_loading() -> None:
    with pytest.raises(PluginLoadError, match=r"Europe/Osla.*did you mean 'Europe/Oslo'"):
        call(timezone="Europe/Osla")

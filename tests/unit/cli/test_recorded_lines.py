"""When something was, as people write it, and lines that nothing can steer a terminal with."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.cli.mistakes import UsageError
from pegboard.cli.recorded_lines import event_line, moment_of
from pegboard_audit import EventRecord

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("word", "moment"),
    [
        ("0s", NOW),
        ("10m", NOW - timedelta(minutes=10)),
        ("2h", NOW - timedelta(hours=2)),
        ("3d", NOW - timedelta(days=3)),
        ("1w", NOW - timedelta(weeks=1)),
        ("2026-01-31T12:00", NOW),
        ("2026-01-31T12:00:00Z", NOW),
        ("2026-01-31T14:00:00+02:00", NOW.astimezone(timezone(timedelta(hours=2)))),
        ("2026-01-31", NOW.replace(hour=0)),
    ],
)
def test_a_moment_is_an_age_or_a_time_which_is_in_utc_unless_it_says(
    word: str, moment: datetime
) -> None:
    assert moment_of(word, NOW) == moment


@pytest.mark.parametrize("word", ["", "5", "5x", "-5m", "m", "999999999w", "2026-13-01", "now"])
def test_what_is_no_moment_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="--since takes"):
        moment_of(word, NOW)


@given(st.text(), st.text(), st.none() | st.text())
def test_an_event_is_one_printable_line_whatever_it_holds(
    kind: str, text: str, plugin: str | None
) -> None:
    event = EventRecord(1, NOW, kind, text, plugin, None, {text: [{"a": text}, None]})

    assert event_line(event).isprintable()


def test_an_act_says_who_did_what_with_what_and_why_it_failed() -> None:
    details = {"action": "unload", "stage": "failed", "user": 4_000_000_000, "pid": 7}
    more = {"details": {"name": "web"}, "error": "it is required"}
    event = EventRecord(1, NOW, "OperatorActed", None, "web", None, {**details, **more})

    assert event_line(event) == (
        "2026-01-31T12:00:00.000Z  OperatorActed  -  web  unload failed by user 4000000000, "
        'pid 7: {"name": "web"}: it is required'
    )

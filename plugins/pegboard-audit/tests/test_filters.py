"""Filters of a record are exact, whatever text was recorded or is asked for."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard_audit import AuditError, read, read_events
from pegboard_audit.patterns import teach
from pegboard_audit.schema import connect, insertion

NAMES = ("mail", "mail\0x", "mail\0", "\0mail", "Mail", "ma", "m*", "[mail]", "café", "cafe\u0301")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record of one event for each plugin."""
    path = tmp_path / "audit.sqlite3"
    with closing(connect(path)) as connection, connection:
        for name in NAMES:
            row = ("2026-01-31T12:00:00.000000+00:00", "PluginChanged", None, name, None, "{}")
            connection.execute(insertion("events"), row)
    return path


def found(record: Path, plugin: str) -> list[str | None]:
    """The plugins of the events that fit."""
    return [each.plugin for each in read_events(record, plugin=plugin)]


@pytest.mark.parametrize("name", [each for each in NAMES if not {*"*["} & set(each)])
def test_a_name_means_itself_and_nothing_else(record: Path, name: str) -> None:
    assert found(record, name) == [name]


@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [
        ("ma*", ["mail", "mail\0x", "mail\0", "ma"]),
        ("mai[l]", ["mail"]),
        ("m[*]", ["m*"]),
        ("m*", ["mail", "mail\0x", "mail\0", "ma", "m*"]),
        ("mail\0*", ["mail\0x", "mail\0"]),
        ("*\0?", ["mail\0x"]),
        ("[^m]*", ["\0mail", "Mail", "[mail]", "café", "cafe\u0301"]),
        ("[mail]", ["[mail]"]),
        ("[mail", []),
        ("*" * 60_000 + "ï", []),
    ],
)
def test_a_pattern_means_what_fits_all_of_it(
    record: Path, pattern: str, fitting: list[str]
) -> None:
    assert found(record, pattern) == fitting


@pytest.mark.parametrize("name", ["\ud800", "mail\udcff", "*\ud800"])
def test_what_no_file_can_hold_fits_nothing(record: Path, name: str) -> None:
    assert (found(record, name), list(read(record, tool=name))) == ([], [])


@pytest.fixture(scope="module")
def memory() -> Iterator[sqlite3.Connection]:
    """A database that knows patterns."""
    with closing(sqlite3.connect(":memory:")) as connection:
        teach(connection)
        yield connection


@settings(max_examples=500)
@given(st.text("abc-]^[*?", max_size=8), st.text("abc-]^[", max_size=5))
def test_patterns_are_those_of_sqlite(memory: sqlite3.Connection, pattern: str, name: str) -> None:
    query = "SELECT ? GLOB ?, fits(?, ?)"
    ours, theirs = memory.execute(query, (name, pattern, pattern, name)).fetchone()

    assert ours == theirs


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        (datetime.min.replace(tzinfo=UTC), len(NAMES)),
        (datetime.max.replace(tzinfo=UTC), 0),
        (datetime(2026, 1, 31, 13, tzinfo=timezone(timedelta(hours=1))), len(NAMES)),
        (datetime(2026, 1, 31, 12, 0, 0, 1, tzinfo=UTC), 0),
    ],
)
def test_the_first_and_the_last_moments_can_be_asked_for(
    record: Path, moment: datetime, count: int
) -> None:
    assert len(list(read_events(record, since=moment))) == count


@pytest.mark.parametrize(
    "moment",
    [
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))),
    ],
)
def test_moments_that_utc_has_no_date_for_are_refused(record: Path, moment: datetime) -> None:
    with pytest.raises(AuditError, match="the years 1 to 9999"):
        list(read(record, since=moment))

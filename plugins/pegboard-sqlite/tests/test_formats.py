"""The function printf, which an older SQLite lets run for hours."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pegboard import Outcome

Query = Callable[..., Outcome]
IS_SOUND = sqlite3.sqlite_version_info >= (3, 41)

ENDLESS = [
    "printf('%.2147483647c', 'x')",
    "format('%.2147483647c', 'x')",
    "PRINTF('%.*c', 2147483647, 'x')",
    "printf('%.*c', '2147483647', 'x')",
    "printf('%.*c', 2147483647.0, 'x')",
    "printf('%.*c', -2147483647, 'x')",
    "printf('%*.*lc', 1, 2147483647, 'x')",
    "printf('%-+ #!0,12.2147483647llc', 'x')",
    "printf('%.99999999999999999999999999c', 'x')",
    "printf('%d%%%.2147483647c', 1, 'x')",
    "printf(CAST('%.2147483647c' AS BLOB), 'x')",
    "printf(replace('%.2147483647d', 'd', 'c'), 'x')",
    "printf('" + "%.2147483647c" * 1_000 + "', 'x')",
    "(WITH v AS (SELECT printf('%.2147483647c', 'x') AS x) SELECT x FROM v)",
]
USUAL = [
    "printf('%.2f and %5d', 3.14159, 7)",
    "format('%s|%-6s|%06d|%x|%,d', 'a', 'b', 42, 255, 1234567)",
    "printf('%.*c', 10, '-')",
    "printf('%.40c|%c', '=', 'xyz')",
    "printf('%d of %d', 9007199254740993, -9223372036854775807 - 1)",
    "printf('%q %Q %w', 'it''s', NULL, 'a\"b')",
    "printf('%%.2147483647d')",
    "printf('naïve ☕ %s', '日本')",
    "printf()",
    "printf(NULL)",
    "printf(12)",
    "typeof(printf('%s', NULL))",
    "printf('%.3c', x'41')",
]


@pytest.mark.parametrize("expression", ENDLESS)
def test_a_character_that_is_repeated_for_hours_is_refused_at_once(
    query: Query, expression: str
) -> None:
    outcome = query(f"SELECT length({expression})", max_seconds=600)

    if outcome.is_error:
        assert outcome.details["code"] == "too_big"
    else:
        assert IS_SOUND


@pytest.mark.parametrize("expression", USUAL)
def test_a_usual_format_gives_what_sqlite_gives(query: Query, expression: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        ((expected,),) = connection.execute(f"SELECT {expression}")

    assert query(f"SELECT {expression}").unwrap()["rows"] == [[expected]]


def test_a_format_may_stand_in_a_change(execute: Query) -> None:
    sql = "UPDATE books SET title = printf('%s (%d)', title, year) WHERE id = ? RETURNING title"

    assert execute(sql, 1).unwrap()["rows"] == [["Jenny (1911)"]]


def test_a_format_in_the_schema_is_used_or_refused_with_its_reason(
    query: Query, execute: Query, make: Callable[[Path, str], None], path: Path
) -> None:
    make(path, "CREATE VIEW shown AS SELECT printf('%d', 1) AS a")
    make(path, "CREATE TABLE kept (a, b AS (printf('%03d', a)), CHECK (printf('%d', a) <> '9'))")

    shown = query("SELECT a FROM shown")
    execute("INSERT INTO kept (a) VALUES (7)").unwrap()

    assert query("SELECT b FROM kept").unwrap()["rows"] == [["007"]]
    assert (shown.is_error, IS_SOUND) in {(True, False), (False, True)}
    assert "a view" in shown.message if shown.is_error else shown.unwrap()["rows"] == [["1"]]

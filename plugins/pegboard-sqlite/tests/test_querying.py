"""Queries, through a host."""

import base64
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import Outcome, TerminalCard
from pegboard_sqlite.answers import shown_call, shown_result
from pegboard_sqlite.cells import bound, cell_of, read_text

Query = Callable[..., Outcome]
Call = Callable[..., Outcome]
COUNT = "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < ?) "


def test_rows_come_with_the_names_of_their_columns(query: Query) -> None:
    value = query("SELECT title, year FROM books WHERE author = ? ORDER BY year", 1).unwrap()

    assert value == {
        "database": "library",
        "columns": ["title", "year"],
        "rows": [["Jenny", 1911], ["Kristin", 1920]],
        "notes": [],
    }


def test_a_model_reads_each_row_as_a_line_of_json(query: Query) -> None:
    outcome = query("SELECT id, name FROM authors ORDER BY id LIMIT 1")

    assert outcome.content[0].text == '["id", "name"]\n[1, "Undset"]\n(1 row)'


@pytest.mark.parametrize(
    "sql",
    [
        "VALUES (1), (2)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "EXPLAIN SELECT 1",
        "EXPLAIN QUERY PLAN SELECT * FROM books",
        "PRAGMA table_info(books)",
        "PRAGMA main.user_version",
        "SELECT name FROM pragma_table_xinfo('books')",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT sql FROM sqlite_master",
        "-- first\n/* then */ SELECT 1; -- the end",
        "; SELECT 1",
    ],
)
def test_what_only_reads_passes(query: Query, sql: str) -> None:
    assert query(sql).unwrap()["rows"]


def test_values_are_exact(query: Query) -> None:
    sql = "SELECT 9223372036854775807, -9223372036854775808, 0.1, 2.0, NULL, 'naïve ☕', 9e999"

    (row,) = query(sql).unwrap()["rows"]

    assert row == [2**63 - 1, -(2**63), 0.1, 2.0, None, "naïve ☕", {"number": "Infinity"}]
    assert isinstance(row[3], float)


def test_bytes_and_texts_that_are_none_come_as_base64(query: Query) -> None:
    (row,) = query("SELECT x'00ff', CAST(x'ff41' AS TEXT), x''").unwrap()["rows"]

    assert row == [
        {"base64": "AP8=", "size": 2, "kind": "blob"},
        {"base64": "/0E=", "size": 2, "kind": "text"},
        {"base64": "", "size": 0, "kind": "blob"},
    ]


@given(st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text())
@settings(max_examples=200)
def test_every_value_of_json_comes_back_from_sqlite_as_it_went_in(value: object) -> None:
    connection = sqlite3.connect(":memory:")
    connection.text_factory = read_text

    (taken,) = connection.execute("SELECT ?", bound([value])).fetchone()
    connection.close()

    cell, is_cut = cell_of(taken, most=1 << 20)
    assert not is_cut
    assert cell == value or math.isinf(value)  # type: ignore[arg-type]


@given(st.binary())
def test_every_blob_comes_back_from_sqlite_as_it_went_in(data: bytes) -> None:
    encoded = base64.b64encode(data).decode()

    (taken,) = bound([{"base64": encoded}])

    assert cell_of(taken, most=1 << 20)[0].base64 == encoded  # type: ignore[union-attr]


def test_parameters_go_by_name_too(call: Query) -> None:
    arguments = {"sql": "SELECT :a, @b, $c", "parameters": {"a": 1, "b": "two", "c": None}}

    assert call("sqlite_query", arguments).unwrap()["rows"] == [[1, "two", None]]


def test_a_name_may_come_with_its_mark_as_it_stands_in_the_statement(call: Call) -> None:
    arguments = {"sql": "SELECT :a, @b, $c", "parameters": {":a": 1, "@b": "two", "$c": None}}

    assert call("sqlite_query", arguments).unwrap()["rows"] == [[1, "two", None]]


@pytest.mark.parametrize("given", [{"a": 1, ":a": 2}, {":a": 1, "@a": 2}])
def test_a_name_that_is_given_twice_is_refused(call: Call, given: object) -> None:
    outcome = call("sqlite_query", {"sql": "SELECT :a", "parameters": given})

    assert outcome.details["code"] == "misfit"
    assert "given twice" in outcome.message


@pytest.mark.parametrize("sql", ["9e999", "-9e999", "x'00ff'", "x''"])
def test_what_an_answer_says_as_an_object_can_be_given_back(query: Query, sql: str) -> None:
    ((value,),) = query(f"SELECT {sql}").unwrap()["rows"]

    assert query(f"SELECT ? IS {sql}", value).unwrap()["rows"] == [[1]]


def test_parameters_in_order_go_by_number_too(query: Query) -> None:
    assert query("SELECT ?2, ?1, ?2", "one", "two").unwrap()["rows"] == [["two", "one", "two"]]


def test_a_parameter_is_never_sql(query: Query) -> None:
    rows = query("SELECT title FROM books WHERE title = ?", "x' OR 1=1 --").unwrap()["rows"]

    assert rows == []


def test_a_limit_cuts_rows_and_a_note_says_how_to_go_on(call: Query) -> None:
    arguments = {"sql": "SELECT title FROM books ORDER BY id", "limit": 3}

    value = call("sqlite_query", arguments).unwrap()

    assert len(value["rows"]) == 3
    (note,) = value["notes"]
    assert "LIMIT 3 OFFSET 3" in note


def test_exactly_as_many_rows_as_the_limit_need_no_note(call: Query) -> None:
    value = call("sqlite_query", {"sql": "SELECT id FROM books", "limit": 4}).unwrap()

    assert (len(value["rows"]), value["notes"]) == (4, [])


def test_no_call_gets_more_rows_than_the_settings_say(call: Query) -> None:
    arguments = {"sql": COUNT.replace("?", "50") + "SELECT i FROM c", "limit": 40}

    value = call("sqlite_query", arguments, max_rows=10).unwrap()

    assert len(value["rows"]) == 10
    assert "only 10 rows are given a call" in value["notes"][0]


def test_an_answer_ends_between_rows_where_it_would_be_too_large(query: Query) -> None:
    sql = COUNT + "SELECT printf('%0100d', i) FROM c"

    value = query(sql, 100, max_bytes=2048).unwrap()

    assert 10 < len(value["rows"]) < 20
    assert "no more than 2048 bytes are given a call" in value["notes"][0]


def test_a_long_value_is_cut_between_characters_and_its_column_is_named(query: Query) -> None:
    value = query("SELECT 1 AS a, replace(hex(zeroblob(50)), '00', '☕') AS b", max_cell_bytes=64)

    assert value.unwrap()["rows"] == [[1, "☕" * 21]]
    assert value.unwrap()["notes"] == [
        "cut after 64 bytes: b; read on with substr(column, start, length)"
    ]


def test_a_long_blob_is_cut_and_tells_its_size(query: Query) -> None:
    ((cell,),) = query("SELECT zeroblob(1000)", max_cell_bytes=64).unwrap()["rows"]

    assert (cell["size"], len(base64.b64decode(cell["base64"]))) == (1000, 64)


def test_one_of_several_databases_has_to_be_named(call: Query, path: Path) -> None:
    databases = {"one": str(path), "two": str(path)}

    unnamed = call("sqlite_query", {"sql": "SELECT 1"}, databases=databases)
    named = call("sqlite_query", {"sql": "SELECT 1", "database": "two"}, databases=databases)
    wrong = call("sqlite_query", {"sql": "SELECT 1", "database": "three"}, databases=databases)

    assert unnamed.message == "say which database is meant: 'one', 'two'"
    assert named.unwrap()["database"] == "two"
    assert wrong.message == "there is no database 'three'; there is 'one', 'two'"


def test_a_query_is_shown_as_in_a_terminal(query: Query) -> None:
    outcome = query("SELECT 1 AS one")

    call = shown_call({"sql": "SELECT 1 AS one", "database": "library"})
    result = shown_result({"sql": "SELECT 1 AS one"}, outcome)

    assert call == TerminalCard("library> SELECT 1 AS one")
    assert (result.output, result.exit_status) == ('["one"]\n[1]\n(1 row)', 0)


def test_full_text_and_spatial_tables_can_be_read(
    query: Query, make: Callable[..., None], path: Path
) -> None:
    make(
        path,
        "CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES ('red'), ('blue');"
        "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (7, 1, 2);",
    )

    assert query("SELECT body FROM f WHERE f MATCH 'red'").unwrap()["rows"] == [["red"]]
    assert query("SELECT id FROM r WHERE a > 0").unwrap()["rows"] == [[7]]

"""The description of a database, through a host."""

from collections.abc import Callable
from pathlib import Path

from pegboard import Outcome

Call = Callable[..., Outcome]
Make = Callable[[Path, str], None]


def test_every_table_and_view_is_described(call: Call) -> None:
    outcome = call("sqlite_schema")

    assert outcome.content[0].text.splitlines() == [
        "database library",
        "table authors (2 rows)",
        "  id INTEGER primary key",
        "  name TEXT not null",
        "  unique index sqlite_autoindex_authors_1 (name)",
        "table books (4 rows)",
        "  id INTEGER primary key",
        "  author INTEGER not null",
        "  title TEXT not null",
        "  year INTEGER default 1900",
        "  label TEXT generated",
        "  foreign key (author) -> authors(id)",
        "  index books_by_year (year, an expression)",
        "view old",
        "  title TEXT",
    ]


def test_one_table_comes_with_its_sql(call: Call) -> None:
    value = call("sqlite_schema", {"table": "BOOKS"}).unwrap()

    (table,) = value["tables"]
    assert table["name"] == "books"
    assert table["sql"].startswith("CREATE TABLE books (\n")
    assert table["foreign_keys"] == [{"columns": ["author"], "table": "authors", "to": ["id"]}]


def test_a_table_that_is_not_there_is_said_to_be_missing(call: Call) -> None:
    outcome = call("sqlite_schema", {"table": "book\x1b"})

    assert outcome.details["code"] == "unknown_table"
    assert outcome.message == (
        "there is no table or view 'book\\u001b'; without table, all are listed"
    )


def test_all_databases_are_named(call: Call, path: Path) -> None:
    databases = {"one": str(path), "two": str(path)}

    value = call("sqlite_schema", {"database": "one"}, databases=databases).unwrap()

    assert value["databases"] == ["one", "two"]


def test_a_large_schema_is_cut_and_the_other_names_follow(
    call: Call, make: Make, path: Path
) -> None:
    make(path, "".join(f"CREATE TABLE t{number:03} (a, b);" for number in range(600)))

    value = call("sqlite_schema", {}, max_bytes=4096).unwrap()

    assert 5 < len(value["tables"]) < 30
    assert len(value["others"]) == 500
    assert value["notes"][1] == "only the first 500 of their names are given"


def test_a_large_table_is_not_counted_to_its_end(call: Call, make: Make, path: Path) -> None:
    count = "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 10001)"
    make(path, f"CREATE TABLE t AS {count} SELECT i FROM c")

    (table,) = call("sqlite_schema", {"table": "t"}).unwrap()["tables"]

    assert table["rows"] is None


def test_tables_that_belong_to_virtual_ones_are_left_out(
    call: Call, make: Make, path: Path
) -> None:
    make(path, "CREATE VIRTUAL TABLE f USING fts5(body); CREATE TABLE f_mine (a)")

    tables = call("sqlite_schema").unwrap()["tables"]

    kinds = {each["name"]: each["kind"] for each in tables}
    assert kinds["f"] == "virtual table"
    assert [name for name in kinds if name.startswith("f_")] == ["f_mine"]


def test_a_view_that_is_broken_does_not_hide_the_others(call: Call, make: Make, path: Path) -> None:
    make(path, "CREATE VIEW broken AS SELECT * FROM nowhere")

    value = call("sqlite_schema").unwrap()

    assert [each["name"] for each in value["tables"]] == ["authors", "books", "broken", "old"]
    assert value["notes"] == ["'broken' can't be described: no such table: main.nowhere"]

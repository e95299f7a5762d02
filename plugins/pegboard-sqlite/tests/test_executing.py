"""Changes, through a host."""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pegboard_sqlite
import pytest
from pegboard import Failure, Host, Outcome, ToolCall

Call = Callable[..., Outcome]


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    """What a database holds."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_without_the_setting_there_is_no_tool_that_writes(call: Call) -> None:
    outcome = call("sqlite_execute", {"sql": "DELETE FROM books"})

    assert isinstance(outcome, Failure)
    assert outcome.code == "unknown_tool"


def test_an_insert_tells_what_it_did(execute: Call, path: Path) -> None:
    value = execute("INSERT INTO authors (name) VALUES (?), (?)", "Bull", "Skram").unwrap()

    assert (value["rows_affected"], value["last_row_id"], value["rows"]) == (2, 4, [])
    assert rows(path, "SELECT count(*) FROM authors") == [(4,)]


def test_returning_gives_rows(execute: Call) -> None:
    outcome = execute("UPDATE books SET year = year + 1 WHERE author = 1 RETURNING id, year")

    value = outcome.unwrap()
    assert (value["columns"], value["rows"]) == (["id", "year"], [[1, 1912], [2, 1921]])
    assert outcome.content[0].text.startswith("done; 2 rows affected\n[")


def test_rows_of_returning_that_are_not_given_are_changed_all_the_same(
    execute: Call, path: Path
) -> None:
    value = execute("UPDATE books SET year = 1 RETURNING id", max_rows=1).unwrap()

    assert (len(value["rows"]), value["rows_affected"]) == (1, 4)
    assert rows(path, "SELECT DISTINCT year FROM books") == [(1,)]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (a)",
        "CREATE TABLE t AS SELECT * FROM books",
        "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON books (title)",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "CREATE TRIGGER g AFTER DELETE ON books BEGIN SELECT 1; END",
        "ALTER TABLE books RENAME COLUMN title TO name",
        "DROP VIEW old",
        "ANALYZE",
        "REINDEX",
        "PRAGMA user_version = 3",
    ],
)
def test_the_schema_can_be_changed(execute: Call, sql: str) -> None:
    value = execute(sql).unwrap()

    assert (value["rows_affected"], value["last_row_id"]) == (0, None)


def test_a_statement_that_fails_in_the_middle_changes_nothing(execute: Call, path: Path) -> None:
    outcome = execute("INSERT OR FAIL INTO authors (name) VALUES ('Bull'), ('Undset')")

    assert outcome.details["code"] == "constraint"
    assert rows(path, "SELECT count(*) FROM authors") == [(2,)]


def test_foreign_keys_hold(execute: Call, path: Path) -> None:
    outcome = execute("DELETE FROM authors")

    assert outcome.message == "SQLite refused: FOREIGN KEY constraint failed"
    assert rows(path, "SELECT count(*) FROM authors") == [(2,)]


def test_a_database_does_not_grow_beyond_the_setting(
    execute: Call, path: Path, beside: Callable[[], dict[str, int]]
) -> None:
    before = beside()

    outcome = execute(
        "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) "
        "INSERT INTO authors (name) SELECT hex(randomblob(1000)) FROM c",
        max_file_bytes=1 << 20,
    )

    assert outcome.details["code"] == "full"
    assert beside() == before


def test_changes_and_queries_of_one_batch_see_each_other_in_order(path: Path) -> None:
    async def main() -> list[Outcome]:
        async with Host(discover=False) as host:
            given = {"databases": {"library": str(path)}, "writable": True}
            await host.load(pegboard_sqlite, settings=given)
            board = await host.board("tests")
            count = {"sql": "SELECT count(*) FROM authors"}
            more = {"sql": "INSERT INTO authors (name) VALUES (hex(randomblob(8)))"}
            asked = [("sqlite_query", count), ("sqlite_execute", more)] * 5
            return await board.run(
                [ToolCall(str(number), *each) for number, each in enumerate(asked)]
            )

    outcomes = asyncio.run(main())

    assert [each.unwrap()["rows"] for each in outcomes[::2]] == [[[n]] for n in range(2, 7)]


def test_what_many_hosts_write_at_once_is_all_there(path: Path) -> None:
    async def write(name: str) -> None:
        async with Host(discover=False) as host:
            given = {"databases": {"library": str(path)}, "writable": True, "max_seconds": 60}
            await host.load(pegboard_sqlite, settings=given)
            board = await host.board("tests")
            for number in range(5):
                sql = "INSERT INTO authors (name) VALUES (?)"
                arguments = {"sql": sql, "parameters": [f"{name} {number}"]}
                (await board.call("sqlite_execute", arguments)).unwrap()

    async def main() -> None:
        await asyncio.gather(*map(write, "abcd"))

    asyncio.run(main())

    assert rows(path, "SELECT count(*) FROM authors") == [(22,)]

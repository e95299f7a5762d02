"""Databases that mean harm: each is refused or bounded, and nothing is left."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Outcome

Call = Callable[..., Outcome]
Beside = Callable[[], dict[str, int]]

MALICIOUS = [
    ("CREATE TABLE t (a, b AS (load_extension('x')))", "SELECT b FROM t"),
    ("CREATE TABLE t (a DEFAULT (load_extension('x')))", "INSERT INTO t DEFAULT VALUES"),
    ("CREATE TABLE t (a CHECK (load_extension('x')))", "INSERT INTO t VALUES (1)"),
    ("CREATE VIEW t AS SELECT load_extension('x')", "SELECT * FROM t"),
    ("CREATE VIEW t AS SELECT fts3_tokenizer('simple', x'00')", "SELECT * FROM t"),
    (
        "CREATE TRIGGER t AFTER UPDATE ON books BEGIN SELECT load_extension('x'); END",
        "UPDATE books SET year = 0",
    ),
    ("CREATE INDEX t ON books (load_extension(title))", "UPDATE books SET title = ''"),
]


@pytest.mark.parametrize(("schema", "sql"), MALICIOUS)
def test_a_function_that_hides_in_the_schema_does_not_run(
    call: Call, path: Path, schema: str, sql: str
) -> None:
    plant(path, schema)
    data = path.read_bytes()

    outcomes = [
        call(tool, {"sql": sql}, writable=True) for tool in ("sqlite_query", "sqlite_execute")
    ]

    assert [each.is_error for each in outcomes] == [True, True]
    assert path.read_bytes() == data


def plant(path: Path, schema: str) -> None:
    """Put into a schema what SQLite itself would not take."""
    connection = sqlite3.connect(path, isolation_level=None)
    kind, name = schema.split()[1].lower(), "t"
    table = "books" if kind in {"trigger", "index"} else name
    connection.execute("CREATE TABLE IF NOT EXISTS pages (a)")
    connection.execute("CREATE INDEX IF NOT EXISTS page ON pages (a)")
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE type = ?",
        ["index" if kind == "index" else "table"],
    ).fetchone()
    page = 0 if kind in {"view", "trigger"} else page
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", [kind, name, table, page, schema]
    )
    connection.close()


@pytest.mark.parametrize(
    "sql", ["CREATE TABLE t (", "garbage", "CREATE TABLE \x1b[2J (a)", "", None, "x" * 100_000]
)
def test_a_schema_that_is_garbage_is_a_clear_failure(
    call: Call, path: Path, sql: str | None
) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'books'", [sql])
    connection.close()

    for tool, arguments in (
        ("sqlite_schema", {}),
        ("sqlite_query", {"sql": "SELECT 1 FROM books"}),
    ):
        outcome = call(tool, arguments)

        assert outcome.details["code"] == "corrupt"
        assert outcome.message.isprintable()


def test_names_that_are_no_text_are_shown_or_refused(call: Call, path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data.replace(b"label", b"la\xffel").replace(b"authors", b"auth\xffrs"))

    described = call("sqlite_schema")
    asked = call("sqlite_query", {"sql": "SELECT * FROM books"})

    assert "la\\xffel" in described.content[0].text
    assert "auth\\xffrs" in described.content[0].text
    assert asked.details["code"] == "not_text"


def test_a_trigger_that_calls_itself_ends(
    call: Call, path: Path, make: Callable[[Path, str], None], beside: Beside
) -> None:
    make(
        path,
        "CREATE TRIGGER g AFTER INSERT ON authors BEGIN"
        " INSERT INTO authors (name) VALUES (NEW.name || 'x'); END;",
    )

    outcome = call(
        "sqlite_execute", {"sql": "INSERT INTO authors (name) VALUES ('a')"}, writable=True
    )

    assert outcome.unwrap()["rows_affected"] == 1
    assert beside().keys() == {path.name}


def test_views_of_views_end(call: Call, path: Path, make: Callable[[Path, str], None]) -> None:
    views = (f"CREATE VIEW v{n} AS SELECT 1 FROM v{n - 1} a, v{n - 1} b;" for n in range(1, 19))
    make(path, "CREATE VIEW v0 AS SELECT 1 AS a;" + "".join(views))

    outcome = call("sqlite_query", {"sql": "SELECT * FROM v18"}, max_seconds=1)

    assert outcome.details["code"] in {"sql", "too_slow"}
    assert not call("sqlite_schema", {}, max_seconds=600).is_error


def test_a_table_with_more_columns_than_a_query_may_name_can_be_read(
    call: Call, path: Path, make: Callable[[Path, str], None]
) -> None:
    make(path, f"CREATE TABLE wide ({', '.join(f'c{n}' for n in range(2000))})")

    assert call("sqlite_query", {"sql": "SELECT c1999 FROM wide"}).unwrap()["rows"] == []
    assert call("sqlite_query", {"sql": "SELECT * FROM wide"}).details["code"] == "sql"


@pytest.mark.parametrize(
    "name", ['a"b', "a b", "a;--", "a\nview b", "\u202e", "select", "naïve", "a\x00b", "'", "-"]
)
def test_a_table_with_an_odd_name_is_described_on_its_own_line(
    call: Call, path: Path, name: str
) -> None:
    connection = sqlite3.connect(path)
    doubled = name.replace('"', '""').replace("\0", "")
    connection.execute(f'CREATE TABLE "{doubled}" ("{doubled}")')
    connection.close()

    outcome = call("sqlite_schema", {"table": name.replace("\0", "")})

    (table,) = outcome.unwrap()["tables"]
    assert table["columns"][0]["name"] == name.replace("\0", "")
    assert outcome.content[0].text.replace("\n", "").isprintable()
    assert len(outcome.content[0].text.splitlines()) == 4

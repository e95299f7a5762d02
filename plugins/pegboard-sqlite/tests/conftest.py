"""A database of a small library, and calls through a host."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pegboard_sqlite
import pytest
from pegboard import Host, Outcome

LIBRARY = """
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE books (
    id INTEGER PRIMARY KEY,
    author INTEGER NOT NULL REFERENCES authors (id),
    title TEXT NOT NULL,
    year INTEGER DEFAULT 1900,
    label TEXT GENERATED ALWAYS AS (title || ' ' || year) VIRTUAL
);
CREATE INDEX books_by_year ON books (year, lower(title));
CREATE VIEW old AS SELECT title FROM books WHERE year < 1930;
INSERT INTO authors VALUES (1, 'Undset'), (2, 'Hamsun');
INSERT INTO books (author, title, year) VALUES
    (1, 'Jenny', 1911), (1, 'Kristin', 1920), (2, 'Sult', 1890), (2, 'Landstrykere', 1927);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The database's file."""
    path = tmp_path.resolve() / "library.sqlite3"
    make(path, LIBRARY)
    return path


def make(path: Path, script: str) -> None:
    """Run a script over a database."""
    connection = sqlite3.connect(path)
    try:
        connection.executescript(script)
    finally:
        connection.close()


@pytest.fixture(name="make")
def making() -> Callable[[Path, str], None]:
    """`make(path, script)` runs a script over a database."""
    return make


@pytest.fixture
def answers(path: Path) -> Callable[..., list[Outcome]]:
    """`answers(tool, [arguments, …], **settings)` gives the outcomes on one fresh host."""

    def answers(name: str, asked: list[object], **settings: object) -> list[Outcome]:
        async def main() -> list[Outcome]:
            async with Host(discover=False) as host:
                given = {"databases": {"library": str(path)}, **settings}
                await host.load(pegboard_sqlite, settings=given)
                board = await host.board("tests")
                outcomes = [await board.call(name, arguments) for arguments in asked]
                report = await host.unload("pegboard_sqlite")
                assert (report.still_running, report.errors, report.leaked) == ((), (), ())
                return outcomes

        return asyncio.run(main())

    return answers


@pytest.fixture
def call(answers: Callable[..., list[Outcome]]) -> Callable[..., Outcome]:
    """`call(tool, arguments, **settings)` gives the outcome on a fresh host."""

    def call(name: str, arguments: object = None, **settings: object) -> Outcome:
        (outcome,) = answers(name, [arguments or {}], **settings)
        return outcome

    return call


@pytest.fixture
def query(call: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """`query(sql, *parameters, **settings)` gives the outcome of a query."""

    def query(sql: str, *parameters: object, **settings: object) -> Outcome:
        return call("sqlite_query", {"sql": sql, "parameters": list(parameters)}, **settings)

    return query


@pytest.fixture
def execute(call: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """`execute(sql, *parameters, **settings)` gives the outcome of a change."""

    def execute(sql: str, *parameters: object, **settings: object) -> Outcome:
        arguments = {"sql": sql, "parameters": list(parameters)}
        return call("sqlite_execute", arguments, **{"writable": True, **settings})

    return execute


@pytest.fixture
def beside(path: Path) -> Callable[[], dict[str, int]]:
    """`beside()` gives the sizes of everything in the database's folder, by name."""
    return lambda: {each.name: os.lstat(each).st_size for each in path.parent.iterdir()}

"""Statements that mean harm: each is refused or bounded, and nothing is left."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Outcome

Call = Callable[..., Outcome]
Answers = Callable[..., list[Outcome]]
Beside = Callable[[], dict[str, int]]
SERIES = "WITH RECURSIVE c (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c) "

NOT_ALLOWED = [
    "ATTACH '/etc/passwd' AS x",
    "ATTACH ':memory:' AS x",
    "ATTACH '{beside}' AS x",
    "/**/ attach/**/ '{beside}' as x",
    "DETACH main",
    "SELECT load_extension('/tmp/x')",
    "SELECT LOAD_EXTENSION('x', 'y')",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    "PRAGMA writable_schema = ON",
    "PRAGMA writable_schema",
    "PRAGMA Journal_Mode = OFF",
    "PRAGMA main.journal_mode(DELETE)",
    "PRAGMA query_only = OFF",
    "PRAGMA trusted_schema = ON",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA data_store_directory = '/tmp'",
    "PRAGMA database_list",
    "PRAGMA hard_heap_limit = 1",
    "PRAGMA soft_heap_limit = 1",
    "PRAGMA cache_size = 1000000000",
    "PRAGMA mmap_size = 1000000000",
    "PRAGMA threads = 8",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA secure_delete = ON",
    "PRAGMA encoding = 'UTF-16'",
    "PRAGMA key = 'secret'",
    "PRAGMA nothing_of_that_name",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_table_info('books') a, pragma_database_list b",
    "BEGIN",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "ROLLBACK",
    "END",
    "SAVEPOINT a",
    "RELEASE a",
    "CREATE TEMP TABLE t (a)",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE TEMP TRIGGER g AFTER INSERT ON books BEGIN DELETE FROM books; END",
    "CREATE VIRTUAL TABLE t USING csv(filename='/etc/passwd')",
    "CREATE VIRTUAL TABLE t USING dbstat",
    "SELECT highlight(found, 0, '<', '>') FROM found('one')",
    "SELECT HighLight(found, 0, printf('%.200000c', 'x'), '') FROM found",
]
WRITES = [
    "DELETE FROM books",
    "INSERT INTO books (author, title) VALUES (1, 'x')",
    "REPLACE INTO books (id, author, title) VALUES (1, 1, 'x')",
    "WITH a AS (SELECT 1) UPDATE books SET year = 0",
    "UPDATE books SET year = 0 RETURNING *",
    "CREATE TABLE t (a)",
    "CREATE VIRTUAL TABLE t USING fts5(a)",
    "CREATE TRIGGER g AFTER INSERT ON books BEGIN DELETE FROM books; END",
    "DROP TABLE books",
    "DROP VIEW old",
    "ALTER TABLE books RENAME TO b",
    "ANALYZE",
    "REINDEX",
    "VACUUM",
    "PRAGMA user_version = 1",
    "PRAGMA application_id(7)",
    "EXPLAIN DELETE FROM books",
    "EXPLAIN QUERY PLAN DELETE FROM books",
    "INSERT INTO found (found) VALUES ('optimize')",
    "INSERT INTO found (found, rank) VALUES ('merge', 500)",
    "INSERT INTO places VALUES (2, 1, 2)",
]
OTHER = {
    "": "no_statement",
    " \n\t ": "no_statement",
    ";": "no_statement",
    "-- nothing": "no_statement",
    "/* nothing": "no_statement",
    "SELECT 1; SELECT 2": "several",
    "SELECT 1; DELETE FROM books": "several",
    "SELECT 1;;": "several",
    "SELECT 1; PRAGMA writable_schema = ON": "several",
    "SELECT 1\0; DELETE FROM books": "misfit",
    "SELECT ?": "misfit",
    "SELECT :a": "misfit",
    "SELECT ?32767": "sql",
    "SELECT * FROM nowhere": "sql",
    "SELECT": "sql",
    "\x1b[2J\u202e": "sql",
    ".read /etc/passwd": "sql",
    "SELECT readfile('/etc/passwd')": "sql",
    "SELECT writefile('/tmp/x', 'y')": "sql",
    "SELECT edit('x', 'vi')": "sql",
    "SELECT * FROM fsdir('/')": "sql",
    "SELECT 'a' REGEXP '(a+)+$'": "sql",
    "UPDATE sqlite_master SET sql = ''": "sql",
    "DELETE FROM sqlite_master": "sql",
    "SELECT * FROM pragma_journal_mode('OFF')": "sql",
    "SELECT zeroblob(1000000000)": "too_big",
    "SELECT randomblob(2147483647)": "too_big",
    "SELECT hex(zeroblob(200000))": "too_big",
    "SELECT replace(hex(zeroblob(100000)), '0', '0000')": "too_big",
    "SELECT group_concat(hex(zeroblob(1000))) FROM books a, books b, books c, books d": "too_big",
    "SELECT length(printf('%.200000c', 'x') || printf('%.200000c', 'x'))": "too_big",
    "SELECT " + "(" * 5_000 + "1" + ")" * 5_000: "sql",
    "SELECT " + "1 + " * 5_000 + "1": "sql",
    "SELECT " + "abs(" * 1_000 + "1" + ")" * 1_000: "sql",
    "SELECT " + "1, " * 300 + "1": "sql",
    "SELECT " + "1, " * 100_000 + "1": "too_big",
    "SELECT 1" + " UNION SELECT 1" * 200: "sql",
    "SELECT 'a' LIKE '" + "%a" * 1_000 + "'": "sql",
    "SELECT 'a' GLOB '" + "*a" * 1_000 + "'": "sql",
    "SELECT * FROM books" + ", books" * 70: "sql",
    "SELECT json('" + "[" * 5_000 + "')": "sql",
    'SELECT 1 AS "' + "x" * 70_000 + '"': "too_wide",
    "SELECT " + ", ".join(f"printf('%.4096c', {each})" for each in range(20)): "too_wide",
}
ENDLESS = [
    SERIES + "SELECT count(*) FROM c",
    SERIES + "SELECT i FROM c WHERE i < 0",
    SERIES + "SELECT max(hex(randomblob(1000))) FROM c",
    SERIES + "SELECT a.title FROM c, books a ORDER BY random() LIMIT 1",
    "SELECT count(*) FROM " + ", ".join(f"books b{each}" for each in range(40)),
    "SELECT sum(length(printf('%.100000c', 'x'))) FROM "
    + ", ".join(f"books b{each}" for each in range(20)),
    "SELECT * FROM forever",
    "SELECT count(*) FROM books, forever, forever AS again",
    SERIES + "SELECT count(*) FROM c WHERE i || 'aaaaaaaaaaaa' LIKE '%a%a%a%a%a%a%b'",
    SERIES + "SELECT count(*) FROM c, json_each('[1,2,3]')",
]
WORLD = f"""
CREATE VIRTUAL TABLE found USING fts5(body);
INSERT INTO found VALUES ('one');
CREATE VIRTUAL TABLE places USING rtree(id, a, b);
INSERT INTO places VALUES (1, 1, 2);
CREATE VIEW forever AS {SERIES} SELECT count(*) AS i FROM c;
"""


@pytest.fixture
def world(path: Path, make: Callable[[Path, str], None]) -> Path:
    """The database with everything in it that may do harm."""
    make(path, WORLD)
    return path


def codes(
    answers: Answers, tool: str, sqls: list[str], path: Path, **more: object
) -> dict[str, object]:
    """What is wrong with each statement, in the words of the failure."""
    found = {}
    asked = [{"sql": sql.replace("{beside}", str(path.parent / "other.db"))} for sql in sqls]
    for sql, outcome in zip(sqls, answers(tool, asked, **more), strict=True):
        assert outcome.is_error, sql
        assert outcome.message.isprintable(), sql
        assert len(outcome.message) < 500, sql
        assert str(path.parent) not in outcome.message
        assert outcome.code == "tool_error", (sql, outcome.message)
        found[sql] = outcome.details["code"]
    return found


def test_everything_but_reading_is_refused_by_a_query(
    answers: Answers, world: Path, beside: Beside
) -> None:
    before, data = beside(), world.read_bytes()

    found = codes(answers, "sqlite_query", [*NOT_ALLOWED, *WRITES], world)

    assert {sql: code for sql, code in found.items() if code != "not_allowed"} == {}
    assert (beside(), world.read_bytes()) == (before, data)


def test_what_reaches_beyond_the_database_is_refused_by_a_change_too(
    answers: Answers, world: Path, beside: Beside
) -> None:
    before, data = beside(), world.read_bytes()

    found = codes(answers, "sqlite_execute", NOT_ALLOWED, world, writable=True)

    assert {sql: code for sql, code in found.items() if code != "not_allowed"} == {}
    assert (beside(), world.read_bytes()) == (before, data)


@pytest.mark.parametrize(
    "sql", ["DELETE FROM places_node", "UPDATE found_data SET block = x''", "DROP TABLE found_data"]
)
def test_what_keeps_an_index_is_never_changed_by_a_query(
    answers: Answers, world: Path, sql: str
) -> None:
    data = world.read_bytes()

    codes(answers, "sqlite_query", [sql], world)

    assert world.read_bytes() == data


@pytest.mark.parametrize("sql", ["VACUUM", "VACUUM INTO '{beside}'"])
def test_a_database_is_never_copied(
    answers: Answers, world: Path, beside: Beside, sql: str
) -> None:
    before = beside()

    for tool in ("sqlite_query", "sqlite_execute"):
        codes(answers, tool, [sql], world, writable=True)

    assert beside() == before


@pytest.mark.parametrize("tool", ["sqlite_query", "sqlite_execute"])
def test_every_other_hostile_statement_is_refused_with_its_reason(
    answers: Answers, world: Path, beside: Beside, tool: str
) -> None:
    before, data = beside(), world.read_bytes()

    found = codes(answers, tool, list(OTHER), world, writable=True)

    assert found == OTHER
    assert (beside(), world.read_bytes()) == (before, data)


@pytest.mark.parametrize("sql", ENDLESS)
def test_what_would_never_end_is_stopped(
    answers: Answers, world: Path, beside: Beside, sql: str
) -> None:
    before = beside()

    found = codes(answers, "sqlite_query", [sql], world, max_seconds=0.2)

    assert set(found.values()) == {"too_slow"}
    assert beside() == before
    assert not [each for each in threading.enumerate() if "watch" in each.name]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ([2**63], "misfit"),
        ([-(2**64)], "misfit"),
        ([10**4000], "misfit"),
        ([[1]], "misfit"),
        ([{"a": 1}], "misfit"),
        ([{"base64": 3}], "misfit"),
        ([{"number": "NaN"}], "misfit"),
        ([{"number": 3}], "misfit"),
        ([{"base64": "not base64!"}], "misfit"),
        ([1, 2], "misfit"),
        ([], "misfit"),
        ({"a": 1}, "misfit"),
        ({}, "misfit"),
        (["x" * 300_000], "too_big"),
        ([1] * 40_000, "misfit"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(
    call: Call, world: Path, parameters: object, code: str
) -> None:
    outcome = call("sqlite_query", {"sql": "SELECT ?", "parameters": parameters})

    assert outcome.details["code"] == code
    assert len(outcome.message) < 300


@pytest.mark.parametrize("parameters", ["x", 1, True])
def test_parameters_of_another_kind_are_invalid(call: Call, parameters: object) -> None:
    outcome = call("sqlite_query", {"sql": "SELECT ?", "parameters": parameters})

    assert outcome.code == "invalid_arguments"


def test_parameters_in_order_for_names_are_no_crash(call: Call) -> None:
    outcome = call("sqlite_query", {"sql": "SELECT :a", "parameters": [1]})

    assert not outcome.is_error or outcome.details["code"] == "misfit"


@pytest.mark.parametrize("limit", [0, -1, 2**70, "x", 1.5])
def test_a_limit_that_is_none_is_refused_or_bounded(call: Call, limit: object) -> None:
    outcome = call("sqlite_query", {"sql": "SELECT 1", "limit": limit})

    assert outcome.is_error is (limit != 2**70)


@pytest.mark.parametrize("name", ["../library", "", "LIBRARY", "main", "\0", "x" * 100_000])
def test_a_database_that_the_operator_has_not_named_is_not_there(call: Call, name: str) -> None:
    outcome = call("sqlite_query", {"sql": "SELECT 1", "database": name})

    assert outcome.details["code"] == "unknown_database"
    assert outcome.message.isprintable()
    assert len(outcome.message) < 300


def test_names_and_values_cannot_fake_a_line_of_an_answer(call: Call) -> None:
    sql = 'SELECT 1 AS a, 2 AS a, 3 AS "", char(10) || \'(99 rows)\' AS "x\n(0 rows)\u202e\x1b[2J"'

    outcome = call("sqlite_query", {"sql": sql})

    assert outcome.unwrap()["columns"][:3] == ["a", "a", ""]
    assert len(outcome.content[0].text.splitlines()) == 3
    assert outcome.content[0].text.replace("\n", "").isprintable()

"""Connections, each for one call, behind every wall that SQLite has."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import attrs
from pegboard import RunContext, ToolError

from pegboard_sqlite.cells import read_text
from pegboard_sqlite.files import File, file_of
from pegboard_sqlite.formats import formats
from pegboard_sqlite.gate import Gate
from pegboard_sqlite.refusals import Refusals
from pegboard_sqlite.settings import Database, Settings, database_of
from pegboard_sqlite.watch import PATIENCE, Watch
from pegboard_sqlite.wording import quoted

MOST_COLUMNS = 256
_LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 10_000,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_SWITCHES = (
    ("SQLITE_DBCONFIG_DEFENSIVE", True),
    ("SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER", False),
    ("SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION", False),
)
_PRAGMAS = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = FILE")
_OF_MODULES_THAT_WRITE = """
SELECT name FROM sqlite_master
WHERE type = 'table' AND rootpage = 0 AND (sql LIKE '%rtree%' OR sql LIKE '%geopoly%')
LIMIT 100
"""


@attrs.frozen(eq=False)
class Opened:
    """A connection to a database, while a call runs.

    Attributes:
        database: what the operator has named.
        file: what was there when it was opened.
        connection: in autocommit, behind the gate.
        gate: what statements may do.
        watch: interrupts it in time.
        settings: the operator's.
        beside: what is closed with the connection.
    """

    database: Database
    file: File
    connection: sqlite3.Connection
    gate: Gate
    watch: Watch
    settings: Settings
    beside: ExitStack

    def guard(self) -> None:
        """Have the gate asked from now on, and nothing pass once the call should end."""
        gate, watch = self.gate, self.watch
        self.connection.set_authorizer(
            lambda *asked: sqlite3.SQLITE_DENY if watch.is_late else gate(*asked)
        )

    @contextmanager
    def running(self, sql: str, parameters: Any = ()) -> Iterator[sqlite3.Cursor]:
        """A statement while its rows are read, once no lock is in its way.

        It is closed in any case: a statement that an error's traceback keeps would keep the
        connection open, and its locks.
        """
        cursor = self.watch.patiently(lambda: self._begun(sql, parameters))
        with closing(cursor):
            yield cursor

    def _begun(self, sql: str, parameters: Any) -> sqlite3.Cursor:
        try:
            return _run(self.connection, sql, parameters)
        except sqlite3.DatabaseError:
            if self.gate.has_formats or not self.gate.awaits_formats:
                raise
        made = formats(self.settings.max_value_bytes)
        self.beside.enter_context(closing(made.connection))
        made.stand_in(self.connection)
        self.gate.has_formats = True
        return _run(self.connection, sql, parameters)

    def rows(self, sql: str) -> list[Any]:
        """All rows of a statement."""
        with self.running(sql) as cursor:
            return cursor.fetchall()


def _run(connection: sqlite3.Connection, sql: str, parameters: Any) -> sqlite3.Cursor:
    """What a statement gives; parameters in order fit `?` and `?1`, which Python calls a name."""
    try:
        return connection.execute(sql, parameters)
    except (sqlite3.ProgrammingError, DeprecationWarning) as error:
        if not isinstance(parameters, list) or "named parameter" not in str(error):
            raise
    numbered = {str(number): value for number, value in enumerate(parameters, 1)}
    return connection.execute(sql, numbered)


@contextmanager
def opened(context: RunContext, name: str | None, *, writes: bool = False) -> Iterator[Opened]:
    """A connection for the block, to the database that a call means.

    Raises:
        ToolError: it can't be opened, or what is done in the block is refused.
    """
    database = database_of(context.plugin, name)
    file = file_of(database)
    settings: Settings = context.plugin.settings
    try:
        connection = _connect(file, writes=writes)
    except sqlite3.Error as error:
        raise ToolError(
            f"database {database.name!r} can't be opened; the host may have no permission",
            code="cant_open",
        ) from error
    gate = Gate(writes)
    with (
        ExitStack() as beside,
        closing(connection),
        Watch(connection, context) as watch,
        Refusals(database, gate, watch).told(),
    ):
        _fortify(connection, settings, writes=writes)
        watch.patiently(lambda: _read_schema(connection, settings, writes=writes))
        made = Opened(database, file, connection, gate, watch, settings, beside)
        made.guard()
        yield made


def _connect(file: File, *, writes: bool) -> sqlite3.Connection:
    mode = "rw" if writes else "ro"
    connection = sqlite3.connect(
        f"{file.path.as_uri()}?mode={mode}", uri=True, timeout=PATIENCE, isolation_level=None
    )
    connection.text_factory = read_text
    return connection


def _fortify(connection: sqlite3.Connection, settings: Settings, *, writes: bool) -> None:
    """Have SQLite itself refuse what a hostile statement or file may want."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, settings.max_value_bytes)
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    configure: Any = getattr(connection, "setconfig", None)  # from Python 3.12 on
    for name, value in () if configure is None else _SWITCHES:
        configure(getattr(sqlite3, name), value)
    more = "foreign_keys = ON" if writes else "query_only = ON"
    for pragma in (*_PRAGMAS, more):
        connection.execute(f"PRAGMA {pragma}")


def _read_schema(connection: sqlite3.Connection, settings: Settings, *, writes: bool) -> None:
    """Have the schema read before statements get narrower limits than a table may need.

    The virtual tables of some modules compile statements that write as soon as they are named; so
    they are named here, where nothing of a model runs yet.
    """
    for (name,) in connection.execute(_OF_MODULES_THAT_WRITE).fetchall():
        with suppress(sqlite3.Error):
            connection.execute(f"SELECT 1 FROM {quoted(str(name))} LIMIT 0")  # noqa: S608 - quoted
    if writes:
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute(f"PRAGMA max_page_count = {max(settings.max_file_bytes // page, 1)}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS)

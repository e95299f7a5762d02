"""Reading a record back, while it is written or later."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import attrs
from pegboard import JSON, Outcome
from pegboard.records import outcome_from_json

from pegboard_audit.patterns import MARKS, teach
from pegboard_audit.rows import SUCCESS
from pegboard_audit.schema import APPLICATION, PATIENCE, VERSION
from pegboard_audit.settings import AuditError

_PAGE = 500
T = TypeVar("T")


@attrs.frozen
class CallRecord:
    """One call as it was recorded.

    Attributes:
        id: its place in the record; calls stand there in the order in which they ended.
        tool: the name that was called.
        raw_tool: the name that the tool's author gave it; empty where there was no such tool.
        plugin: whose tool it was; None for the program's own, and where there was none.
        arguments: with secret ones hidden; None where they were too long.
        labels: text to JSON, of the board and the call.
        started: when it was made, in UTC.
        total: seconds from its making to its outcome.
        waited: of that, for people and for a free thread.
        body: of that, in the tool itself.
        code: why it failed, or `success`.
        message: what a model read of a failure; None for a success.
        notes: what the host left out, coerced or cut.
        outcome: all of it, if it was kept.
    """

    id: int
    call_id: str
    root_call_id: str
    parent_call_id: str | None
    board: str
    tool: str
    raw_tool: str
    plugin: str | None
    distribution: str | None
    version: str | None
    generation: int
    arguments: dict[str, JSON] | None
    arguments_bytes: int
    labels: dict[str, JSON]
    started: datetime
    total: float
    waited: float
    body: float
    code: str
    message: str | None
    notes: tuple[str, ...]
    outcome: Outcome | None
    outcome_bytes: int | None

    @property
    def is_failure(self) -> bool:
        """Whether it failed."""
        return self.code != SUCCESS


@attrs.frozen
class EventRecord:
    """What happened to a plugin, a board, a restriction or an approval.

    Attributes:
        kind: the name of the event's class, such as `PluginChanged`.
        details: its fields.
    """

    id: int
    at: datetime
    kind: str
    board: str | None
    plugin: str | None
    call_id: str | None
    details: dict[str, JSON]


@attrs.frozen
class End:
    """How far a record goes.

    Attributes:
        calls: the place of the last call; 0 where there is none.
        events: the place of the last event.
    """

    calls: int
    events: int


def read(
    path: str | Path,
    *,
    board: str | None = None,
    tool: str | None = None,
    plugin: str | None = None,
    since: datetime | None = None,
    failed: bool | None = None,
    after: int = 0,
) -> Iterator[CallRecord]:
    """The calls of a record that fulfil all conditions, in the order in which they ended.

    Args:
        path: the file.
        board: a name, or a pattern as SQLite's `GLOB` has them.
        tool: the same, for the name that was called or the one that its author gave it.
        plugin: the same.
        since: made then or later.
        failed: whether they failed; None for both.
        after: only those behind this place in the record.

    Raises:
        AuditError: there is no such record, or it can't be read.
    """
    where = _Conditions()
    where.named(board, "board")
    where.named(plugin, "plugin")
    where.named(tool, "tool", "raw_tool")
    where.since("started", since)
    if failed is not None:
        where.add("code <> ?" if failed else "code = ?", SUCCESS)
    return _made(_call, Path(path), "calls", where, after)


def read_events(
    path: str | Path,
    *,
    kind: str | None = None,
    board: str | None = None,
    plugin: str | None = None,
    since: datetime | None = None,
    after: int = 0,
) -> Iterator[EventRecord]:
    """The events of a record that fulfil all conditions, in order; the arguments are as above.

    Raises:
        AuditError: there is no such record, or it can't be read.
    """
    where = _Conditions()
    where.named(kind, "kind")
    where.named(board, "board")
    where.named(plugin, "plugin")
    where.since("at", since)
    return _made(_event, Path(path), "events", where, after)


def read_end(path: str | Path) -> End:
    """How far a record goes now; what is recorded later stands behind.

    Raises:
        AuditError: there is no such record, or it can't be read.
    """
    file = Path(path)
    try:
        with closing(_opened(file)) as connection:
            return End(*(_last(connection, table) for table in ("calls", "events")))
    except sqlite3.Error as error:
        raise AuditError(f"record {file} can't be read: {error}") from error


@attrs.define
class _Conditions:
    texts: list[str] = attrs.field(factory=list)
    values: list[str] = attrs.field(factory=list)

    def add(self, text: str, *values: str) -> None:
        self.texts.append(text)
        self.values.extend(values)

    def named(self, name: str | None, *columns: str) -> None:
        """Any of these columns is that name, or fits it where it is a pattern."""
        if name is None:
            return
        if any("\ud800" <= each <= "\udfff" for each in name):
            self.add("0")  # no file holds half a character
            return
        tests = ["{} = ?", "fits(?, {})"] if MARKS & set(name) else ["{} = ?"]
        text = " OR ".join(test.format(column) for column in columns for test in tests)
        self.add(f"({text})", *([name] * len(columns) * len(tests)))

    def since(self, column: str, moment: datetime | None) -> None:
        """The column holds that moment or a later one."""
        if moment is None:
            return
        try:
            self.add(f"{column} >= ?", moment.astimezone(UTC).isoformat(timespec="microseconds"))
        except (OSError, OverflowError, ValueError) as error:
            raise AuditError("since must lie in the years 1 to 9999, in UTC") from error


def _made(
    make: Callable[[dict[str, Any]], T], path: Path, table: str, where: _Conditions, after: int
) -> Iterator[T]:
    """What the rows say."""
    for row in _pages(path, table, where, after):
        try:
            yield make(row)
        except ValueError as error:
            place = f"row {row['id']} of {table}"
            raise AuditError(f"{place} in record {path} can't be read: {error}") from error


def _pages(path: Path, table: str, where: _Conditions, after: int) -> Iterator[dict[str, Any]]:
    """The rows, page by page, each read at once: no reader holds up who writes."""
    where.add("id > ?")
    text = " AND ".join(where.texts)
    query = f"SELECT * FROM {table} WHERE {text} ORDER BY id LIMIT {_PAGE}"  # noqa: S608 - ours
    last = after
    while True:
        try:
            with closing(_opened(path)) as connection:
                page = [dict(row) for row in connection.execute(query, [*where.values, last])]
        except sqlite3.Error as error:
            raise AuditError(f"record {path} can't be read: {error}") from error
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1]["id"]


def _last(connection: sqlite3.Connection, table: str) -> int:
    query = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - ours
    (last,) = connection.execute(query).fetchone()
    return int(last)


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise AuditError(f"there is no record {path}")
    uri = f"{path.resolve().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE)
    connection.row_factory = sqlite3.Row
    try:
        teach(connection)
        connection.execute("PRAGMA query_only = ON")
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    if mark != APPLICATION or version > VERSION:
        connection.close()
        raise AuditError(f"{path} is no record that this version of pegboard-audit can read")
    return connection


def _call(row: dict[str, Any]) -> CallRecord:
    arguments, outcome = row["arguments"], row["outcome"]
    return CallRecord(
        **row
        | {
            "arguments": None if arguments is None else json.loads(arguments),
            "labels": json.loads(row["labels"]),
            "started": datetime.fromisoformat(row["started"]),
            "notes": tuple(json.loads(row["notes"])),
            "outcome": None if outcome is None else outcome_from_json(json.loads(outcome)),
        }
    )


def _event(row: dict[str, Any]) -> EventRecord:
    at, details = datetime.fromisoformat(row["at"]), json.loads(row["details"])
    return EventRecord(**row | {"at": at, "details": details})

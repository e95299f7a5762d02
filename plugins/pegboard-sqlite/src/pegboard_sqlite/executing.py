"""The tool that changes a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import attrs
from pegboard import JSON, Doc, Output, RunContext, Text, ToolError, tool

from pegboard_sqlite.answers import Rows, lines_of, noted, shown_call, shown_result
from pegboard_sqlite.cells import Cell, bound
from pegboard_sqlite.effects import CHANGES
from pegboard_sqlite.files import file_of
from pegboard_sqlite.opening import Opened, opened
from pegboard_sqlite.querying import check_statement

_DONE = "SELECT changes(), last_insert_rowid()"


@attrs.frozen
class Changed:
    """What a statement did.

    Attributes:
        database: which it changed.
        rows_affected: how many rows it inserted, updated or deleted itself.
        last_row_id: the row id of the last row that it inserted.
        columns: the names of the columns of RETURNING.
        rows: what RETURNING gave.
        notes: what was left out.
    """

    database: str
    rows_affected: int
    last_row_id: int | None
    columns: list[str]
    rows: list[list[Cell]]
    notes: list[str]


def _render(_arguments: Any, value: Any) -> list[Text]:
    count, row_id = value["rows_affected"], value["last_row_id"]
    last = "" if row_id is None else f", last row id {row_id}"
    done = f"done; {count} {'row' if count == 1 else 'rows'} affected{last}"
    return [Text("\n".join([done, *lines_of(value), *noted(value)]))]


@tool(
    title="Change a database",
    concurrency_safe=False,
    annotations=CHANGES,
    output=Output(render=_render),
    present_call=shown_call,
    present_result=shown_result,
)
def sqlite_execute(
    context: RunContext,
    sql: Annotated[str, Doc("One SQLite statement, such as INSERT, UPDATE, DELETE, CREATE TABLE.")],
    parameters: Annotated[
        list[JSON] | dict[str, JSON] | None,
        Doc("Values for ? in order, or for :name by name; a BLOB is {'base64': '…'}."),
    ] = None,
    *,
    database: Annotated[str | None, Doc("Which database; the only one may be left out.")] = None,
) -> Changed:
    """Change an SQLite database with one SQL statement, wholly or not at all."""
    values = bound(parameters)
    with opened(context, database, writes=True) as writing, _transaction(writing):
        with writing.running(sql, values) as cursor:
            check_statement(writing)
            taken = Rows.of(cursor, limit=None, settings=writing.settings)
        ((count, row_id),) = writing.rows(_DONE)
    has_rows = not writing.gate.defines
    return Changed(
        writing.database.name,
        count if has_rows else 0,
        (row_id or None) if has_rows else None,
        taken.columns,
        taken.rows,
        taken.notes,
    )


@contextmanager
def _transaction(writing: Opened) -> Iterator[None]:
    """One transaction for the block; if anything fails, closing the connection takes it back."""
    connection = writing.connection
    connection.set_authorizer(None)
    writing.rows("BEGIN IMMEDIATE")
    writing.guard()
    yield
    writing.watch.check()
    connection.set_authorizer(None)
    _check_place(writing)
    writing.rows("COMMIT")
    _check_place(writing)


def _check_place(writing: Opened) -> None:
    """Let a change pass that went to the file which is there.

    Raises:
        ToolError: it was removed or replaced meanwhile.
    """
    if file_of(writing.database).identity != writing.file.identity:
        raise ToolError(
            f"database {writing.database.name!r} was replaced by another file while it was "
            "changed; look at it before you go on",
            code="replaced",
        )

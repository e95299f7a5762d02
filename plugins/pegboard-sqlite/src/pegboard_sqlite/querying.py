"""The tool that reads."""

from typing import Annotated, Any

import attrs
from annotated_types import Ge
from pegboard import JSON, Doc, Output, RunContext, Text, ToolError, tool

from pegboard_sqlite.answers import Rows, lines_of, noted, shown_call, shown_result
from pegboard_sqlite.cells import Cell, bound
from pegboard_sqlite.effects import READS
from pegboard_sqlite.opening import Opened, opened


@attrs.frozen
class Found:
    """What a query gave.

    Attributes:
        database: where it was asked.
        columns: the names of the columns, as SQLite gives them; two may have one name.
        rows: the values, each row as long as `columns`.
        notes: what was left out, and how to go on.
    """

    database: str
    columns: list[str]
    rows: list[list[Cell]]
    notes: list[str]


def _render(_arguments: Any, value: Any) -> list[Text]:
    return [Text("\n".join([*lines_of(value), *noted(value)]))]


@tool(
    title="Query a database",
    concurrency_safe=True,
    annotations=READS,
    output=Output(render=_render),
    present_call=shown_call,
    present_result=shown_result,
)
def sqlite_query(
    context: RunContext,
    sql: Annotated[str, Doc("One SQLite statement that reads: SELECT, WITH, VALUES, EXPLAIN.")],
    parameters: Annotated[
        list[JSON] | dict[str, JSON] | None,
        Doc("Values for ? in order, or for :name by name; a BLOB is {'base64': '…'}."),
    ] = None,
    *,
    database: Annotated[str | None, Doc("Which database; the only one may be left out.")] = None,
    limit: Annotated[int | None, Ge(1), Doc("How many rows to give back at most.")] = None,
) -> Found:
    """Read from an SQLite database with one SQL statement; nothing can be changed."""
    values = bound(parameters)
    with opened(context, database) as reading, reading.running(sql, values) as cursor:
        check_statement(reading)
        found = Rows.of(cursor, limit=limit, settings=reading.settings)
    return Found(reading.database.name, found.columns, found.rows, found.notes)


def check_statement(done: Opened) -> None:
    """Let a call pass that has run a statement.

    Raises:
        ToolError: there was none.
    """
    if not done.gate.was_asked:
        raise ToolError("there is no statement in sql; give one", code="no_statement")

"""The tool that says what a database holds."""

import json
import sqlite3
from collections import defaultdict
from typing import Annotated, Any

import attrs
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_sqlite.cells import legible
from pegboard_sqlite.effects import READS
from pegboard_sqlite.opening import Opened, opened
from pegboard_sqlite.settings import Settings
from pegboard_sqlite.tables import Column, ForeignKey, Index, Kind, Schema, Table, lines_of
from pegboard_sqlite.wording import plain, quoted, shown

MOST_COUNTED = 10_000
MOST_NAMES = 500
_ALL = """
SELECT name, type, rootpage = 0 AND type = 'table', sql FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""
_SHADOWS = (
    *("config", "content", "data", "docsize", "idx"),
    *("node", "parent", "rowid", "segdir", "segments", "stat"),
)
"""What the tables are called in which the usual virtual tables keep what they hold."""


@attrs.frozen
class _Listed:
    name: str
    kind: Kind
    sql: str


def _render(_arguments: Any, value: Any) -> list[Text]:
    return [Text("\n".join(lines_of(value)))]


@tool(
    title="Describe a database",
    concurrency_safe=True,
    annotations=READS,
    output=Output(render=_render),
)
def sqlite_schema(
    context: RunContext,
    database: Annotated[str | None, Doc("Which database; the only one may be left out.")] = None,
    table: Annotated[str | None, Doc("A table or view, to see it alone, with its SQL.")] = None,
) -> Schema:
    """List the tables, views, columns, keys and indexes of an SQLite database."""
    settings: Settings = context.plugin.settings
    with opened(context, database) as reading:
        listed = _listed(reading)
        chosen = listed if table is None else _chosen(listed, table)
        tables: list[Table] = []
        notes: list[str] = []
        room = settings.max_bytes
        for each in chosen:
            described = _described(reading, each, notes, with_sql=table is not None)
            room -= len(json.dumps(attrs.asdict(described), ensure_ascii=False).encode())
            if room < 0:
                break
            tables.append(described)
    others = [each.name for each in chosen[len(tables) :]]
    _note_others(others, notes)
    names = list(settings.databases)
    return Schema(reading.database.name, names, tables, others[:MOST_NAMES], notes)


def _note_others(others: list[str], notes: list[str]) -> None:
    if others:
        notes.append(f"tables that are not described: {len(others)}; ask for one with table")
    if len(others) > MOST_NAMES:
        notes.append(f"only the first {MOST_NAMES} of their names are given")


def _chosen(listed: list[_Listed], name: str) -> list[_Listed]:
    found = [each for each in listed if each.name.lower() == name.lower()]
    if not found:
        raise ToolError(
            f"there is no table or view {shown(name)}; without table, all are listed",
            code="unknown_table",
        )
    return found


def _listed(reading: Opened) -> list[_Listed]:
    """The tables and views, without those in which virtual ones keep what they hold."""
    found = []
    for name, kind, is_virtual, sql in reading.rows(_ALL):
        found.append(_Listed(legible(name), _kind(kind, bool(is_virtual)), legible(sql)))
    virtual = {each.name.lower() for each in found if each.kind == "virtual table"}
    shadows = {f"{name}_{part}" for name in virtual for part in _SHADOWS}
    return [each for each in found if each.name.lower() not in shadows]


def _kind(kind: str, is_virtual: bool) -> Kind:
    if is_virtual:
        return "virtual table"
    return "view" if kind == "view" else "table"


def _described(reading: Opened, listed: _Listed, notes: list[str], *, with_sql: bool) -> Table:
    described = Table(listed.name, listed.kind, [], None, [], [], None)
    if with_sql:
        described = attrs.evolve(described, sql=listed.sql[: reading.settings.max_cell_bytes])
    name = quoted(listed.name)
    try:
        return attrs.evolve(
            described,
            columns=_columns(reading, name),
            rows=_count(reading, name) if listed.kind == "table" else None,
            foreign_keys=_foreign_keys(reading, name),
            indexes=_indexes(reading, name),
        )
    except sqlite3.Error as error:
        reading.watch.check()
        reading.gate.refused = None
        notes.append(f"{shown(listed.name)} can't be described: {plain(str(error), most=120)}")
        return described


def _columns(reading: Opened, name: str) -> list[Column]:
    rows = reading.rows(f"PRAGMA table_xinfo({name})")
    return [
        Column(
            name=legible(each),
            type=legible(kind),
            not_null=bool(is_strict),
            key=key,
            default=None if default is None else legible(default),
            generated=hidden in (2, 3),
        )
        for _, each, kind, is_strict, default, key, hidden in rows
        if hidden != 1
    ]


def _count(reading: Opened, name: str) -> int | None:
    counting = f"SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {MOST_COUNTED + 1})"  # noqa: S608
    ((count,),) = reading.rows(counting)
    return int(count) if count <= MOST_COUNTED else None


def _foreign_keys(reading: Opened, name: str) -> list[ForeignKey]:
    parts: dict[int, list[tuple[str, str, str | None]]] = defaultdict(list)
    for row in reading.rows(f"PRAGMA foreign_key_list({name})"):
        parts[row[0]].append((legible(row[2]), legible(row[3]), row[4]))
    return [
        ForeignKey(
            columns=[column for _, column, _ in each],
            table=each[0][0],
            to=[legible(to) for _, _, to in each if to is not None],
        )
        for _, each in sorted(parts.items())
    ]


def _indexes(reading: Opened, name: str) -> list[Index]:
    found = []
    for _, index, is_unique, *_ in reading.rows(f"PRAGMA index_list({name})"):
        parts = reading.rows(f"PRAGMA index_info({quoted(legible(index))})")
        columns = [None if column is None else legible(column) for _, _, column in parts]
        found.append(Index(legible(index), bool(is_unique), columns))
    return sorted(found, key=lambda each: each.name)

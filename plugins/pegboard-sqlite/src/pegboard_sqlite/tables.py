"""What a database holds, as a model reads it."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import attrs

from pegboard_sqlite.wording import escaped, quoted

Kind: TypeAlias = Literal["table", "view", "virtual table"]


@attrs.frozen
class Column:
    """A column of a table.

    Attributes:
        name: as it is.
        type: as it was declared; empty where it was not.
        not_null: whether NULL is refused.
        key: its place in the primary key, counted from 1; 0 where it has none.
        default: an SQL expression.
        generated: whether it is computed from others.
    """

    name: str
    type: str
    not_null: bool
    key: int
    default: str | None
    generated: bool


@attrs.frozen
class ForeignKey:
    """Columns that refer to another table; `to` is empty where they refer to its primary key."""

    columns: list[str]
    table: str
    to: list[str]


@attrs.frozen
class Index:
    """An index; a part that is an expression is None."""

    name: str
    unique: bool
    columns: list[str | None]


@attrs.frozen
class Table:
    """A table or a view.

    Attributes:
        name: as it is.
        kind: which of them.
        columns: in order.
        rows: how many a table has; None where that is more than 10,000, or not known.
        foreign_keys: what its columns refer to.
        indexes: those that it has.
        sql: how it was made; only where one table is asked for.
    """

    name: str
    kind: Kind
    columns: list[Column]
    rows: int | None
    foreign_keys: list[ForeignKey]
    indexes: list[Index]
    sql: str | None = None


@attrs.frozen
class Schema:
    """What a database holds.

    Attributes:
        database: which one.
        databases: the names of all that there are.
        tables: tables and views, by name.
        others: the names of further ones, which are not described here.
        notes: what was left out, and how to go on.
    """

    database: str
    databases: list[str]
    tables: list[Table]
    others: list[str]
    notes: list[str]


def lines_of(value: Mapping[str, Any]) -> Iterator[str]:
    """A schema for a model, line by line."""
    others = [each for each in value["databases"] if each != value["database"]]
    more = f" (others: {', '.join(others)})" if others else ""
    yield f"database {value['database']}{more}"
    for table in value["tables"]:
        yield from _table_lines(table)
    if value["others"]:
        yield f"also: {', '.join(map(_name, value['others']))}"
    yield from (f"({note})" for note in value["notes"])


def _table_lines(table: Mapping[str, Any]) -> Iterator[str]:
    count = table["rows"]
    known = "" if count is None else f" ({count} {'row' if count == 1 else 'rows'})"
    yield f"{table['kind']} {_name(table['name'])}{known}"
    yield from (f"  {' '.join(_column_words(each))}" for each in table["columns"])
    for each in table["foreign_keys"]:
        to = f"({_names(each['to'])})" if each["to"] else ""
        yield f"  foreign key ({_names(each['columns'])}) -> {_name(each['table'])}{to}"
    for each in table["indexes"]:
        unique = "unique index" if each["unique"] else "index"
        yield f"  {unique} {_name(each['name'])} ({_names(each['columns'])})"
    if table["sql"] is not None:
        yield f"  sql: {escaped(table['sql'])}"


def _column_words(column: Mapping[str, Any]) -> Iterator[str]:
    yield _name(column["name"])
    if column["type"]:
        yield escaped(column["type"])
    if column["key"]:
        yield "primary key"
    if column["not_null"]:
        yield "not null"
    if column["default"] is not None:
        yield f"default {escaped(column['default'])}"
    if column["generated"]:
        yield "generated"


def _names(names: list[str | None]) -> str:
    return ", ".join("an expression" if each is None else _name(each) for each in names)


def _name(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else escaped(quoted(name))

"""Rows of an answer: bounded, and shown to models and people."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

import attrs
from pegboard import JSON, Outcome, TerminalCard, Text, ToolError

from pegboard_sqlite.cells import Cell, cell_of
from pegboard_sqlite.settings import Settings
from pegboard_sqlite.wording import escaped, plain


@attrs.define(eq=False)
class Rows:
    """The rows of a statement, as many as fit.

    Attributes:
        columns: their names, as SQLite gives them.
        rows: each as long as `columns`.
        notes: what was left out, and how to go on.
    """

    columns: list[str] = attrs.Factory(list)
    rows: list[list[Cell]] = attrs.Factory(list)
    notes: list[str] = attrs.Factory(list)
    _size: int = 0
    _cut: dict[str, None] = attrs.Factory(dict)

    @classmethod
    def of(cls, cursor: sqlite3.Cursor, *, limit: int | None, settings: Settings) -> "Rows":
        """What a cursor gives.

        Raises:
            ToolError: not even one row fits.
        """
        most = settings.max_rows if limit is None else min(limit, settings.max_rows)
        taken = cls([each[0] for each in cursor.description or ()])
        taken._take(cursor, most, settings)
        return taken

    def _take(self, cursor: sqlite3.Cursor, most: int, settings: Settings) -> None:
        self._grow(self.columns, settings)
        for row in cursor:
            if len(self.rows) >= most:
                self._end(f"only {most} rows are given a call")
                break
            cells = [self._cell(*each, settings) for each in zip(self.columns, row, strict=True)]
            if not self._grow(cells, settings):
                self._end(f"no more than {settings.max_bytes} bytes are given a call")
                break
            self.rows.append(cells)
        if self._cut:
            names = ", ".join(plain(each, most=40) for each in list(self._cut)[:10])
            much = f"cut after {settings.max_cell_bytes} bytes: {names}"
            self.notes.append(f"{much}; read on with substr(column, start, length)")

    def _cell(self, name: str, value: object, settings: Settings) -> Cell:
        cell, is_cut = cell_of(value, most=settings.max_cell_bytes)
        if is_cut:
            self._cut[name] = None
        return cell

    def _grow(self, part: list[Any], settings: Settings) -> bool:
        """Whether one more part fits; what comes first has to."""
        self._size += len(_json(part).encode())
        fits = self._size <= settings.max_bytes
        if not fits and not self.rows:
            raise ToolError(
                f"one row alone has more than {settings.max_bytes} bytes; name fewer columns, or "
                "take parts of them with substr",
                code="too_wide",
            )
        return fits

    def _end(self, why: str) -> None:
        after = len(self.rows)
        self.notes.append(
            f"more rows follow ({why}); go on with ORDER BY and LIMIT {after} OFFSET {after}, or "
            "ask for less"
        )


def lines_of(value: Mapping[str, Any]) -> list[str]:
    """The rows of an answer for a model: a line each, as JSON."""
    if not value["columns"]:
        return []
    count = len(value["rows"])
    rows = [escaped(_json(each)) for each in (value["columns"], *value["rows"])]
    return [*rows, f"({count} {'row' if count == 1 else 'rows'})"]


def noted(value: Mapping[str, Any]) -> list[str]:
    """The notes of an answer, a line each."""
    return [f"({note})" for note in value["notes"]]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=attrs.asdict)


def shown_call(arguments: dict[str, JSON]) -> TerminalCard:
    """The card of a statement that is about to run."""
    return TerminalCard(_prompt(arguments))


def shown_result(arguments: dict[str, JSON], outcome: Outcome) -> TerminalCard:
    """The card of a statement with what it gave."""
    texts = [each.text for each in outcome.content if isinstance(each, Text)]
    status = 1 if outcome.is_error else 0
    return TerminalCard(_prompt(arguments), output="\n".join(texts), exit_status=status)


def _prompt(arguments: dict[str, JSON]) -> str:
    name = arguments.get("database")
    return f"{name if isinstance(name, str) else 'sqlite'}> {arguments.get('sql', '')}"

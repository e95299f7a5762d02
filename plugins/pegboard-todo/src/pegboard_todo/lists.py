"""The list of one board."""

import sqlite3
from collections.abc import Sequence
from typing import Any, Literal

import attrs
from pegboard import ToolError

from pegboard_todo.items import Item, Listing, Status
from pegboard_todo.settings import Settings
from pegboard_todo.store import Stop, Store
from pegboard_todo.texts import check_text

_PLACE = "SELECT place FROM items WHERE board = ? ORDER BY place, id LIMIT 1 OFFSET ?"
_LAST_PLACE = "SELECT coalesce(max(place), 0) FROM items WHERE board = ?"
_SHIFT = "UPDATE items SET place = place + ? WHERE board = ? AND place >= ?"
_NUMBER = """
INSERT INTO lists VALUES (?, ?)
ON CONFLICT (board) DO UPDATE SET last_id = last_id + excluded.last_id
RETURNING last_id
"""
_ITEMS = """
SELECT id, substr(text, 1, :length), status, length(text) > :length
FROM items WHERE board = :board ORDER BY place, id LIMIT :items
"""
_EMPTY = Listing([], 0, 0, 0, [])


@attrs.frozen
class BoardList:
    """The list of one board, as its tools use it; two hosts may have one each.

    Attributes:
        store: the file of all lists.
        board: the board's name.
        settings: the operator's.
    """

    store: Store
    board: str
    settings: Settings

    def read(self, stop: Stop) -> Listing:
        """The list as it is now."""
        with self.store.reading(stop) as connection:
            return _EMPTY if connection is None else self._listing(connection)

    def add(self, texts: Sequence[str], stop: Stop, *, position: int | None) -> Listing:
        """Put open items into the list, the last by default."""
        for text in texts:
            check_text(text, most=self.settings.max_characters)
        self._check_room(0, len(texts))
        with self.store.writing(stop) as connection:
            count = self._one(connection, "SELECT count(*) FROM items WHERE board = ?")
            self._check_room(count, len(texts))
            place = self._make_place(connection, position, len(texts))
            ((last,),) = connection.execute(_NUMBER, (self.board, len(texts))).fetchall()
            first = last - len(texts) + 1
            rows = [
                (self.board, first + number, place + number, "open", text)
                for number, text in enumerate(texts)
            ]
            connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?)", rows)
            return self._listing(connection)

    def update(
        self,
        number: int,
        stop: Stop,
        *,
        status: Status | None,
        text: str | None,
        position: int | None,
    ) -> Listing:
        """Change one item."""
        if text is not None:
            check_text(text, most=self.settings.max_characters)
        if self.store.is_new:
            raise _unknown(number)
        with self.store.writing(stop) as connection:
            self._check_known(connection, [number])
            if status is not None:
                self._set_status(connection, number, status)
            if text is not None:
                self._set(connection, "text", text, number)
            if position is not None:
                self._move(connection, number, position)
            return self._listing(connection)

    def remove(self, numbers: Sequence[int], stop: Stop) -> Listing:
        """Take items out of the list."""
        if self.store.is_new:
            raise _unknown(numbers[0])
        with self.store.writing(stop) as connection:
            self._check_known(connection, numbers)
            gone = [(self.board, number) for number in numbers]
            connection.executemany("DELETE FROM items WHERE board = ? AND id = ?", gone)
            return self._listing(connection)

    def clear(self, what: Literal["done", "all"], stop: Stop) -> Listing:
        """Take out what is done, or everything."""
        if what == "done" and self.store.is_new:
            return _EMPTY
        with self.store.writing(stop, anew=what == "all") as connection:
            chosen = "DELETE FROM items WHERE board = ? AND (status = 'done' OR ? = 'all')"
            connection.execute(chosen, (self.board, what)).fetchall()
            return self._listing(connection)

    def _listing(self, connection: sqlite3.Connection) -> Listing:
        settings = self.settings
        most = {"length": settings.max_characters, "items": settings.max_items}
        rows = connection.execute(_ITEMS, {"board": self.board, **most}).fetchall()
        counts = connection.execute(
            "SELECT status, count(*) FROM items WHERE board = ? GROUP BY status", (self.board,)
        ).fetchall()
        items = [Item(*row) for *row, _ in rows]
        return Listing.of(items, dict(counts), cut=sum(is_cut for *_, is_cut in rows))

    def _check_room(self, count: int, more: int) -> None:
        if count + more > self.settings.max_items:
            raise ToolError(
                f"the list has {count} items, and may have {self.settings.max_items}; todo_clear "
                "takes out what is done",
                code="too_many",
            )

    def _check_known(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
        for number in numbers:
            sql = "SELECT count(*) FROM items WHERE board = ? AND id = ?"
            if not self._one(connection, sql, number):
                raise _unknown(number)

    def _set_status(self, connection: sqlite3.Connection, number: int, status: Status) -> None:
        if status == "doing" and self.settings.one_doing:
            sql = "SELECT min(id) FROM items WHERE board = ? AND status = 'doing' AND id != ?"
            other = self._one(connection, sql, number)
            if other is not None:
                raise ToolError(
                    f"item {other} is being done, and one at a time is; set it to done or open "
                    "first",
                    code="busy",
                )
        self._set(connection, "status", status, number)

    def _set(self, connection: sqlite3.Connection, column: str, value: object, number: int) -> None:
        sql = f"UPDATE items SET {column} = ? WHERE board = ? AND id = ?"  # noqa: S608 - ours
        connection.execute(sql, (value, self.board, number)).fetchall()

    def _move(self, connection: sqlite3.Connection, number: int, position: int) -> None:
        last = self._one(connection, _LAST_PLACE)
        self._set(connection, "place", last + 1, number)
        self._set(connection, "place", self._make_place(connection, position, 1), number)

    def _make_place(self, connection: sqlite3.Connection, position: int | None, many: int) -> int:
        """The first of so many free places, where what stands there is shifted."""
        if position is not None:
            found = connection.execute(_PLACE, (self.board, position - 1)).fetchall()
            if found:
                ((place,),) = found
                connection.execute(_SHIFT, (many, self.board, place)).fetchall()
                return int(place)
        return int(self._one(connection, _LAST_PLACE)) + 1

    def _one(self, connection: sqlite3.Connection, sql: str, *more: object) -> Any:
        ((value,),) = connection.execute(sql, (self.board, *more)).fetchall()
        return value


def _unknown(number: int) -> ToolError:
    return ToolError(
        f"there is no item {number} on this list; todo_list shows what there is",
        code="unknown_item",
    )

"""The functions printf and format, where SQLite's own can repeat a character for hours."""

import re
import sqlite3
from typing import Any

import attrs

FORMATS = frozenset({"printf", "format"})
IS_SOUND = sqlite3.sqlite_version_info >= (3, 41)
"""Whether SQLite itself stops at the longest value; before, it counts on to 2,147,483,647."""
_REPEATS = re.compile(r"%[-+ #!0,]*(?:\d+|\*)?\.(\d+|\*)l{0,2}c")


@attrs.frozen(eq=False)
class Formats:
    """SQLite's own printf on a connection beside, asked only for what ends soon.

    Attributes:
        connection: an empty database, in memory.
        most: how often a character may be repeated.
    """

    connection: sqlite3.Connection
    most: int

    def stand_in(self, connection: sqlite3.Connection) -> None:
        """Take the place of both functions on a connection."""
        for name in FORMATS:
            connection.create_function(name, -1, self._formatted, deterministic=True)

    def _formatted(self, *given: Any) -> Any:
        if given and self._is_endless(*given):
            raise OverflowError("printf repeats a character too often")
        marks = ", ".join("?" * len(given))
        ((made,),) = self.connection.execute(f"SELECT printf({marks})", given)
        return made

    def _is_endless(self, text: object, *given: object) -> bool:
        shown = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        found = set(_REPEATS.findall(shown))
        is_given = "*" in found and any(self._counts(each) > self.most for each in given)
        return is_given or any(int(each[:20]) > self.most for each in found - {"*"})

    def _counts(self, value: object) -> int:
        """How often a value repeats a character, as SQLite reads it."""
        ((number,),) = self.connection.execute("SELECT CAST(? AS INTEGER)", (value,))
        return abs(int(number or 0))


def formats(most: int) -> Formats:
    """What takes the place of printf, for values that are no longer than that."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most)
    connection.text_factory = lambda data: data.decode(errors="replace")
    return Formats(connection, most)

"""An index over the tools of one board, in memory: SQLite's FTS5, ranked by its BM25."""

import asyncio
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b

import attrs
from pegboard import PegboardError, Tool

from pegboard_search.texts import Texts

_MADE = """
CREATE VIRTUAL TABLE tools USING fts5(
    tool UNINDEXED, name, does, says, more, takes, tokenize = 'porter unicode61 remove_diacritics 2'
)
"""
_PUT = "INSERT INTO tools (rowid, tool, name, does, says, more, takes) VALUES (?, ?, ?, ?, ?, ?, ?)"
_DROP = "DELETE FROM tools WHERE rowid = ?"
_RANKED = """
SELECT tool, bm25(tools, 0, 5, 5, 3, 1, 1) AS rank FROM tools WHERE tools MATCH ?1
ORDER BY rank, tool LIMIT ?3
"""
_RANKED_WITH_OTHERS = """
SELECT tool, sum(rank) AS rank FROM (
    SELECT tool, bm25(tools, 0, 5, 5, 3, 1, 1) AS rank FROM tools WHERE tools MATCH ?1
    UNION ALL
    SELECT tool, 0.5 * bm25(tools, 0, 5, 5, 3, 1, 1) FROM tools WHERE tools MATCH ?2
) GROUP BY tool ORDER BY rank, tool LIMIT ?3
"""
_NAMED = "SELECT tool FROM tools WHERE tools MATCH ? ORDER BY length(tool), tool LIMIT ?"
_ANY = "SELECT 1 FROM tools WHERE tools MATCH ? LIMIT 1"
_MOST_OF_A_NAME = 8
_AT_ONCE = 50
"""Tools that are put into the index before others go on."""

_MOST_WORDS = 16
_BEGINNING = 3


def check_fts5() -> None:
    """Let a SQLite pass that has FTS5.

    Raises:
        PegboardError: it was built without.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute(_MADE)
        except sqlite3.OperationalError as error:
            raise PegboardError(
                f"pegboard-search needs FTS5, which the SQLite of this Python lacks ({error}); "
                "use another build of Python, or block the plugin 'search'"
            ) from error


@attrs.frozen
class _Row:
    number: int
    digest: bytes


@attrs.define(eq=False)
class Index:
    """An index over tools; nothing is made before it is first used."""

    _rows: dict[str, _Row] = attrs.field(factory=dict)
    _made: sqlite3.Connection | None = None
    _number: int = 0

    async def follow(self, tools: Mapping[str, Tool]) -> None:
        """Have these tools in it, by name, and no others; one caller at a time.

        What is there already stays. Cancelling leaves an index that can be used again.
        """
        digests = {name: _digest(tool) for name, tool in tools.items()}
        kept = {name for name, row in self._rows.items() if digests.get(name) == row.digest}
        self._drop([name for name in self._rows if name not in kept])
        coming = [name for name in tools if name not in kept]
        for begin in range(0, len(coming), _AT_ONCE):
            if begin:
                await asyncio.sleep(0)
            self._put({name: tools[name] for name in coming[begin : begin + _AT_ONCE]}, digests)

    def ranked(self, words: Sequence[str], alike: Sequence[str] = (), *, most: int) -> list[str]:
        """The names of the tools in which some of these words are, the best first.

        Args:
            words: of letters and digits; of very many the first ones count.
            alike: words that may stand in their place; they count half.
            most: how many names to give at most.
        """
        if not words or not self._rows:
            return []
        wanted = " OR ".join(map(self._term, words[:_MOST_WORDS]))
        others = " OR ".join(f'"{each}"' for each in alike[:_MOST_WORDS])
        return self._found(wanted, others, most)

    def named(self, words: Sequence[str], *, most: int) -> list[str]:
        """The names that hold all of these words, where they are several; the shortest first."""
        if not 1 < len(words) <= _MOST_OF_A_NAME or not self._rows:
            return []
        wanted = f"name : ({' AND '.join(map(self._term, words))})"
        return [name for (name,) in self._connection.execute(_NAMED, (wanted, most))]

    def begun(self, words: Sequence[str], *, most: int) -> list[str]:
        """The same for tools with a word that begins as one of these."""
        if not words or not self._rows:
            return []
        wanted = " OR ".join(f'"{each[:_BEGINNING]}"*' for each in words[:_MOST_WORDS])
        return self._found(wanted, "", most)

    def _found(self, wanted: str, others: str, most: int) -> list[str]:
        asked = _RANKED_WITH_OTHERS if others else _RANKED
        return [name for name, _ in self._connection.execute(asked, (wanted, others, most))]

    def _term(self, word: str) -> str:
        """What to search for a word: itself, without an ending of its own, or as a beginning."""
        shorter = (word[: len(word) - cut] for cut in (0, 1, 2) if cut == 0 or len(word) > cut + 3)
        known = next(filter(self._has, shorter), None)
        return f'"{word}"*' if known is None else f'"{known}"'

    def _has(self, word: str) -> bool:
        return self._connection.execute(_ANY, (f'"{word}"',)).fetchone() is not None

    def close(self) -> None:
        """Give back its memory; twice is harmless."""
        made, self._made = self._made, None
        self._rows.clear()
        if made is not None:
            made.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._made is None:
            self._made = sqlite3.connect(":memory:")
            self._made.execute(_MADE)
        return self._made

    def _drop(self, names: Iterable[str]) -> None:
        numbers = [(self._rows.pop(name).number,) for name in names]
        if numbers:
            with self._connection as connection:
                connection.executemany(_DROP, numbers)

    def _put(self, tools: Mapping[str, Tool], digests: Mapping[str, bytes]) -> None:
        rows = {}
        for name in tools:
            self._number += 1
            rows[name] = _Row(self._number, digests[name])
        texts = {name: attrs.astuple(Texts.of(name, tool)) for name, tool in tools.items()}
        with self._connection as connection:
            connection.executemany(_PUT, ((rows[n].number, n, *texts[n]) for n in tools))
        self._rows |= rows


def _digest(tool: Tool) -> bytes:
    """Sixteen bytes that stand for what is searched of a tool; the tool itself isn't kept."""
    said = "\0".join([tool.title or "", tool.description]).encode()
    return blake2b(said + b"\0" + tool.parameters_snapshot.text, digest_size=16).digest()

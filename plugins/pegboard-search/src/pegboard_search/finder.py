"""What finds the tools of one board."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from pegboard import Deferral, PluginBoard, Tool

from pegboard_search.index import Index
from pegboard_search.names import Names
from pegboard_search.settings import Settings
from pegboard_search.words import alike, telling, words

LONGEST = 10_000
"""Characters of a query; what comes after them is left out."""

_NEAR = 3


@attrs.frozen
class Hits:
    """What a query has found.

    Attributes:
        names: the tools that were found, the best first.
        near: where there are none, the names that may have been meant.
        shown: the names in the query that are of tools which are shown anyway.
        of: how many tools there are to find, found ones too.
    """

    names: list[str]
    near: list[str]
    shown: list[str]
    of: int


@attrs.define(eq=False)
class Finder:
    """Finds the tools of one board, as they are visible at that moment.

    Attributes:
        board: the board.
        settings: what the operator has set.
        deferral: keeps tools back until they are found.
        own: the function by which models search, which they need not find.
    """

    board: PluginBoard
    settings: Settings
    deferral: Deferral
    own: Any
    _index: Index = attrs.field(factory=Index)
    _names: Names = attrs.field(factory=lambda: Names.of([]))
    _others: Names = attrs.field(factory=lambda: Names.of([]))
    _version: int = -1
    _turn: asyncio.Lock = attrs.field(factory=asyncio.Lock)

    async def show(self, query: str, *, most: int) -> Hits:
        """Find tools, and have the model shown them from now on.

        Args:
            query: words, or names; nothing in it is syntax.
            most: how many tools to find.
        """
        await self._follow()
        hits = self._hits(query, most)
        self.deferral.show(hits.names)
        return hits

    def close(self) -> None:
        """Give back what it holds; twice is harmless."""
        self._index.close()

    async def _follow(self) -> None:
        """Have the index of what is visible now; nothing changes between this and what follows."""
        async with self._turn:
            while self._version != self.board.tools_version:
                version, tools = self.board.tools_version, self.board.tools
                found = dict(self._searched(tools))
                await self._index.follow(found)
                self._names, self._version = Names.of(found), version
                self._others = Names.of(name for name in tools if name not in found)

    def _searched(self, tools: Mapping[str, Tool]) -> Iterator[tuple[str, Tool]]:
        for name, tool in tools.items():
            if tool.function is not self.own and (
                tool.defer_loading or not self.settings.only_deferred
            ):
                yield name, tool

    def _hits(self, query: str, most: int) -> Hits:
        wanted, names, shown = telling(words(query)), self._names, self._others.meant(query)
        known = [*names.meant(query), *names.beginning(query)]
        known += self._index.named(telling(words(query.lower())), most=most)
        found = list(dict.fromkeys(known + self._index.ranked(wanted, alike(wanted), most=most)))
        if found:
            return Hits(found[:most], [], shown, len(names))
        near = names.near(query, most=_NEAR) + self._index.begun(wanted, most=_NEAR)
        return Hits([], list(dict.fromkeys(near))[:_NEAR], shown, len(names))

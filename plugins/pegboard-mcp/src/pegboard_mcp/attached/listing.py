"""Fetching the whole list of a server's tools, as the server wrote it."""

import json
import logging
from typing import Any

import attrs
from mcp import Client
from pegboard import PegboardError

from pegboard_mcp.attached.definitions import Definition, Listing, Unsound
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.wire import ORIGINAL, is_readable

_PAGES = 200
_TOOLS = 5000
_BYTES = 16 * 1024 * 1024


class ListingError(PegboardError):
    """A list of tools that can't be fetched whole; says why."""


@attrs.define
class _Gathered:
    tools: list[Definition] = attrs.field(factory=list)
    unsound: list[Unsound] = attrs.field(factory=list)
    count: int = 0
    size: int = 0
    cursors: set[str] = attrs.field(factory=set)

    def add(self, page: dict[str, Any], dropped: set[str]) -> None:
        for each in page["tools"]:
            if each["name"] not in dropped:
                self.tools.append(each)
                self.size += len(json.dumps(each))
        for number, name, reason in page["unsound"]:
            self.unsound.append(Unsound(self.count + number, name, reason))
        self.count += len(page["tools"]) + len(page["unsound"])
        if self.count > _TOOLS:
            raise ListingError(f"the server lists more than {_TOOLS} tools")
        if self.size > _BYTES:
            raise ListingError(f"the server's list of tools has more than {_BYTES} bytes")

    def turn(self, cursor: str) -> None:
        if cursor in self.cursors:
            raise ListingError("the server's list of tools never ends: a cursor comes again")
        self.cursors.add(cursor)
        if len(self.cursors) >= _PAGES:
            raise ListingError(f"the server's list of tools has more than {_PAGES} pages")


async def fetched(client: Client, log: logging.Logger, masks: Masks) -> Listing:
    """Every tool of a server but for those that its protocol forbids to offer, which are logged.

    Raises:
        ListingError: the list is longer than anybody means it to be, or is none.
        MCPError: the server refuses to list them, or is gone.
        ValidationError: its answer is no list of tools.
    """
    gathered = _Gathered()
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        original = (page.meta or {}).get(ORIGINAL)
        if original is None:
            raise ListingError("the server answers with something else than a list of tools")
        dropped = _dropped(original["tools"], {each.name for each in page.tools})
        for name in sorted(dropped):
            log.warning("tool %r isn't offered: its x-mcp-header is invalid", masks.hide(name))
        gathered.add(original, dropped)
        if not page.next_cursor:
            return Listing(tuple(gathered.tools), tuple(gathered.unsound))
        cursor = page.next_cursor
        gathered.turn(cursor)


def _dropped(listed: list[Definition], left: set[str]) -> set[str]:
    """The tools that the client could read and has taken out: their headers are wrong."""
    return {each["name"] for each in listed if is_readable(each)} - left

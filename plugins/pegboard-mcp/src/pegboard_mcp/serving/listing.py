"""The tools of a board as `tools/list` lists them, and pages of them."""

import base64
import binascii
import logging
from collections.abc import Mapping
from typing import Any

import attrs
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types.methods import serialize_server_result
from pegboard import JSON, Board, WrongArgumentError
from pegboard.formats.mcp import definitions
from pydantic import ValidationError

from pegboard_mcp.serving.eras import is_modern, newest
from pegboard_mcp.serving.nulls import admits_null

_log = logging.getLogger("pegboard.mcp")
_CORE = ("name", "title", "description", "inputSchema", "outputSchema")
_FRESH = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}


@attrs.frozen
class _Listed:
    """What a board showed at one revision."""

    revision: int
    tools: Mapping[str, dict[str, JSON]]


class Listing:
    """Lists the tools of one board; what is unchanged is made once for each era.

    Pages are in the order in which tools were first seen, and a cursor is a place in that order: a
    tool that stays is on one page, whatever comes and goes meanwhile.
    """

    def __init__(self, board: Board, page_size: int | None) -> None:
        if page_size is not None and (type(page_size) is not int or page_size < 1):
            raise WrongArgumentError(f"page_size takes a whole number from 1 on, not {page_size!r}")
        self._board = board
        self._page_size = page_size
        self._listed: dict[bool, _Listed] = {}
        self._places: dict[str, int] = {}
        self._seen = 0

    def page(self, cursor: str | None, version: str) -> dict[str, Any]:
        """The result of one `tools/list`.

        Raises:
            MCPError: the cursor isn't one that this list gave.
        """
        tools = self._tools(modern=is_modern(version))
        if self._page_size is None and cursor is None:
            return {"tools": list(tools.values()), **_FRESH}
        start = 0 if cursor is None else self._after(cursor)
        names = sorted((each for each in tools if self._places[each] >= start), key=self._place)
        page = names[: self._page_size]
        found: dict[str, Any] = {"tools": [tools[name] for name in page], **_FRESH}
        if len(page) < len(names):
            found["nextCursor"] = _cursor(self._places[page[-1]])
        return found

    def schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of a tool's arguments as clients see it; None for a name that isn't shown."""
        tool: Mapping[str, Any] | None = self._tools(modern=True).get(name)
        return None if tool is None else tool["inputSchema"]

    def promises_value(self, name: str, *, modern: bool) -> bool:
        """Whether clients of an era are shown an output schema of a tool."""
        return "outputSchema" in self._tools(modern=modern).get(name, ())

    def _tools(self, *, modern: bool) -> Mapping[str, dict[str, JSON]]:
        listed, revision = self._listed.get(modern), self._board.revision
        if listed is None or listed.revision != revision:
            told = definitions(self._board, any_output=modern)
            self._note([str(each["name"]) for each in told])
            sayable = (_sayable(each, newest(modern=modern)) for each in told)
            tools = {str(each["name"]): each for each in sayable if each is not None}
            listed = self._listed[modern] = _Listed(revision, tools)
        return listed.tools

    def _note(self, names: list[str]) -> None:
        """Give names that are new a place behind all others."""
        places = {name: self._places[name] for name in names if name in self._places}
        for name in names:
            if name not in places:
                places[name] = self._seen
                self._seen += 1
        self._places = places

    def _place(self, name: str) -> int:
        return self._places[name]

    def _after(self, cursor: str) -> int:
        """The first place of the page that a cursor stands for."""
        try:
            place = int(base64.urlsafe_b64decode(cursor.encode()).decode())
            if self._page_size is not None and 0 <= place < self._seen and _cursor(place) == cursor:
                return place + 1
        except (binascii.Error, ValueError):
            pass
        raise MCPError(INVALID_PARAMS, "Invalid cursor")


def _cursor(place: int) -> str:
    return base64.urlsafe_b64encode(str(place).encode()).decode()


def _sayable(tool: dict[str, JSON], version: str) -> dict[str, JSON] | None:
    """A definition that a client of this version can read; None where there is none.

    One that isn't well-formed would cost the client the whole list. A value that is null can't be
    said as structured content, so clients would miss it where a schema promises some.
    """
    if admits_null(tool.get("outputSchema", False)):
        tool = {key: each for key, each in tool.items() if key != "outputSchema"}
    for each in (tool, {key: tool[key] for key in _CORE if key in tool}):
        try:
            said = serialize_server_result("tools/list", version, {"tools": [each], **_FRESH})
        except (ValidationError, ValueError):
            continue
        found: dict[str, JSON] = said["tools"][0]
        return found
    _log.warning("tool %r can't be shown to MCP clients", tool["name"])
    return None

"""What stands between a transport and the SDK's client, and keeps what the client would lose.

The client refuses a whole list for one tool that it can't read, a whole result for one block of
an unknown kind, and fields that it doesn't know are gone. So it gets what it can read of them, and
the original as `_meta`.
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
import attrs
from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from pegboard_mcp.attached.definitions import Definition, Listing
from pegboard_mcp.attached.ends import End
from pegboard_mcp.attached.requests import UNREADABLE

ORIGINAL = "pegboard/original"
"""Where in `_meta` the server's own result stands; of a list, what can be read of it."""
_KEPT = {"tools/list", "tools/call"}
_UNREADABLE_TO_SDK = "Failed to parse SSE message: "
"""What the SDK says of it; a piece of the answer and a link for programmers follow."""
_OF_A_LIST = ("resultType", "nextCursor", "ttlMs", "cacheScope")


class Wire(AbstractAsyncContextManager[Any]):
    """A transport around another one.

    Attributes:
        ended: set once the server says nothing more.
    """

    def __init__(self, transport: Transport, ended: asyncio.Event) -> None:
        self._transport = transport
        self._asked: dict[str, tuple[str, bool]] = {}
        self.ended = ended

    async def __aenter__(self) -> tuple["Hearing", "Asking"]:
        reading, sending = await self._transport.__aenter__()
        return Hearing(reading, self), Asking(sending, self)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        self.ended.set()
        return await self._transport.__aexit__(kind, error, trace)

    def note(self, item: SessionMessage) -> None:
        """Remember what is asked for."""
        match item.message:
            case JSONRPCRequest(id=number, method=method, params=params) if method in _KEPT:
                meta = (params or {}).get("_meta") or {}
                self._asked[str(number)] = (method, PROTOCOL_VERSION_META_KEY in meta)
            case JSONRPCNotification(method="notifications/cancelled", params=params):
                self._asked.pop(str((params or {}).get("requestId")), None)
            case _:
                pass

    def readable(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        """A message as the client can read it."""
        if isinstance(item, SessionMessage):
            match item.message:
                case JSONRPCResponse(id=number, result=result):
                    asked = self._asked.pop(str(number), None)
                    if asked is not None:
                        shown = _shown(asked[0], result, is_modern=asked[1])
                        read = JSONRPCResponse(jsonrpc="2.0", id=number, result=shown)
                        return SessionMessage(read, item.metadata)
                case JSONRPCError(id=number, error=error):
                    self._asked.pop(str(number), None)
                    if error.code == PARSE_ERROR and error.message.startswith(_UNREADABLE_TO_SDK):
                        plain = ErrorData(code=PARSE_ERROR, message=UNREADABLE)
                        answer = JSONRPCError(jsonrpc="2.0", id=number, error=plain)
                        return SessionMessage(answer, item.metadata)
                case _:
                    pass
        return item


class Hearing(End):
    """The messages of a server, each as the client can read it."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    @property
    def last_context(self) -> Context | None:
        """The context of whoever sent the last message, if that is known."""
        found: Context | None = getattr(self._inner, "last_context", None)
        return found

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return self._wire.readable(await self._inner.__anext__())
        except BaseException:
            self._wire.ended.set()
            raise

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return self._wire.readable(await self._inner.receive())

    async def aclose(self) -> None:
        """Hear nothing more."""
        await self._inner.aclose()


class Asking(End):
    """Takes messages for a server."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        self._wire.note(item)
        try:
            await self._inner.send(item)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._wire.ended.set()
            raise

    async def aclose(self) -> None:
        """Send nothing more."""
        await self._inner.aclose()


def _shown(method: str, result: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """What the client reads in the place of a server's result."""
    is_question = result.get("resultType") == "input_required"
    if is_question and method == "tools/call" and is_modern:
        return result
    meta = {"_meta": {ORIGINAL: result}}
    if method == "tools/call":
        # the client checks no output of a failure; the tool's own schema is enforced by the host
        return {"content": [], "isError": True, "resultType": "complete", **meta}
    tools = result.get("tools")
    if is_question or not isinstance(tools, list):
        # by itself, the client would take some of these for a list without tools
        return {**result, "resultType": "complete", "tools": None}
    listing = Listing.of(tools)
    original = {"tools": listing.tools, "unsound": [*map(attrs.astuple, listing.unsound)]}
    readable = [_tool(each, is_modern=is_modern) for each in listing.tools if is_readable(each)]
    said = {key: result[key] for key in _OF_A_LIST if key in result}
    return {**said, "tools": readable, "_meta": {ORIGINAL: original}}


def is_readable(tool: Definition) -> bool:
    """Whether the client can read a tool of a list."""
    schema = tool.get("inputSchema")
    return isinstance(schema, dict) and schema.get("type") == "object"


def _tool(tool: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """What the client needs to know of a tool: the arguments that it mirrors in headers."""
    schema = {"type": "object"}
    if is_modern:
        schema = {key: each for key, each in tool["inputSchema"].items() if key != "$schema"}
    return {"name": tool["name"], "inputSchema": schema}

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

from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

ORIGINAL = "pegboard/original"
"""Where in `_meta` the server's own result stands."""
_KEPT = {"tools/list", "tools/call"}


class Wire(AbstractAsyncContextManager[Any]):
    """A transport around another one.

    Attributes:
        ended: set once the server says nothing more.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._asked: dict[str, tuple[str, bool]] = {}
        self.ended = asyncio.Event()

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
                        answer = JSONRPCResponse(jsonrpc="2.0", id=number, result=shown)
                        return SessionMessage(answer, item.metadata)
                case JSONRPCError(id=number):
                    self._asked.pop(str(number), None)
                case _:
                    pass
        return item


class Hearing:
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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._inner.aclose()


class Asking:
    """Takes messages for a server."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        self._wire.note(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Send nothing more."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._inner.aclose()


def _shown(method: str, result: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """What the client reads in the place of a server's result."""
    if result.get("resultType") == "input_required":
        return result
    meta = {"_meta": {ORIGINAL: result}}
    if method == "tools/call":
        # the client checks no output of a failure; the tool's own schema is enforced by the host
        return {"content": [], "isError": True, "resultType": "complete", **meta}
    tools = result.get("tools")
    if not isinstance(tools, list):
        return result
    readable = [_tool(each, is_modern=is_modern) for each in tools if is_readable(each)]
    return {**result, "tools": readable, **meta}


def is_readable(tool: Any) -> bool:
    """Whether the client can read a tool of a list."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return False
    schema = tool.get("inputSchema")
    return isinstance(schema, dict) and schema.get("type") == "object"


def _tool(tool: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """What the client needs to know of a tool: the arguments that it mirrors in headers."""
    schema = {"type": "object"}
    if is_modern:
        schema = {key: each for key, each in tool["inputSchema"].items() if key != "$schema"}
    return {"name": tool["name"], "inputSchema": schema}

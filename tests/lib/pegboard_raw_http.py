"""An MCP server over HTTP of which a test says what a call gets, byte by byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

COMPLETE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_LISTENS = {"tools": {"listChanged": True}}
_ABOUT = {"name": "raw", "version": "1"}

Message = dict[str, Any]
Act = Callable[[Message, asyncio.StreamWriter], Awaitable[None]]


class RawHttp:
    """What is served, and what was asked.

    Attributes:
        acts: by the name of a tool or a method, what answers it; another tool says its name.
        sessions: those that it knows, in the old era.
        forgotten: what it answers to a session that it doesn't know.
    """

    def __init__(self, acts: dict[str, Act], *, is_old: bool) -> None:
        self.acts = acts
        self.is_old = is_old
        self.tools = ["ok", *(each for each in acts if "/" not in each)]
        self.sessions: set[str] = set()
        self.forgotten: tuple[int, Message | None] = (404, None)
        self.heard: list[str] = []
        self.url = ""
        self._taking: set[asyncio.Task[Any]] = set()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the only request of a connection."""
        if task := asyncio.current_task():
            self._taking.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            fields = dict(each.split(": ", 1) for each in head.split("\r\n")[1:] if each)
            if head.startswith("post"):
                body = json.loads(await reader.readexactly(int(fields["content-length"])))
                await self._answer(body, fields.get("mcp-session-id"), writer)
            else:
                send(writer, 405)
            await writer.drain()
        writer.close()

    def leave(self) -> None:
        """End what is still answered."""
        for each in self._taking:
            each.cancel()

    async def _answer(
        self, asked: Message, session: str | None, writer: asyncio.StreamWriter
    ) -> None:
        method = asked["method"]
        self.heard.append(method)
        if session is not None and session not in self.sessions:
            status, body = self.forgotten
            own = {"id": asked.get("id")} if body and body.get("id") == "own" else {}
            send(writer, status, None if body is None else {**body, **own})
            return
        name = asked["params"]["name"] if method == "tools/call" else method
        if name in self.acts:
            await self.acts[name](asked, writer)
        elif (result := self._result(method, name)) is None:
            error = {"code": -32601, "message": "Method not found"}
            send(writer, 200, {"jsonrpc": "2.0", "id": asked.get("id"), "error": error})
        elif method == "initialize":
            self.sessions.add(f"session-{len(self.heard)}")
            reply(writer, asked, result, f"mcp-session-id: session-{len(self.heard)}\r\n")
        else:
            reply(writer, asked, result)

    def _result(self, method: str, name: str) -> Message | None:
        capabilities = {"capabilities": _LISTENS, "serverInfo": _ABOUT}
        tools = [{"name": each, "inputSchema": {"type": "object"}} for each in self.tools]
        hints = {"annotations": {"readOnlyHint": True}}
        results: dict[str, Message] = {
            "tools/list": {"tools": [{**each, **hints} for each in tools]},
            "tools/call": {"content": [{"type": "text", "text": name}]},
            "notifications/initialized": {},
            "ping": {},
        }
        if self.is_old:
            results["initialize"] = {"protocolVersion": "2025-06-18", **capabilities}
        else:
            results["server/discover"] = {"supportedVersions": ["2026-07-28"], **capabilities}
        return {**COMPLETE, **results[method]} if method in results else None


def send(
    writer: asyncio.StreamWriter, status: int, body: Message | None = None, fields: str = ""
) -> None:
    """Write a whole answer."""
    text = b"" if body is None else json.dumps(body).encode()
    kind = "" if body is None else "content-type: application/json\r\n"
    head = f"HTTP/1.1 {status} X\r\n{kind}{fields}connection: close\r\n"
    writer.write(f"{head}content-length: {len(text)}\r\n\r\n".encode() + text)


def reply(writer: asyncio.StreamWriter, asked: Message, result: Message, fields: str = "") -> None:
    """Write the result of what is asked."""
    if "id" not in asked:
        send(writer, 202)
    else:
        send(writer, 200, {"jsonrpc": "2.0", "id": asked["id"], "result": result}, fields)


def stream(writer: asyncio.StreamWriter, *events: str) -> None:
    """Begin an answer of events."""
    head = "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    writer.write((head + "".join(f"data: {each}\n\n" for each in events)).encode())


def acknowledge(writer: asyncio.StreamWriter, asked: Message) -> None:
    """Begin to tell of changes."""
    meta = {"io.modelcontextprotocol/subscriptionId": asked["id"]}
    params = {"_meta": meta, "notifications": {"toolsListChanged": True}}
    method = "notifications/subscriptions/acknowledged"
    stream(writer, json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))


@asynccontextmanager
async def raw_http(*, is_old: bool = False, **acts: Act) -> AsyncIterator[RawHttp]:
    """Serve; in the names of methods, `__` stands for the slash."""
    served = RawHttp({key.replace("__", "/"): act for key, act in acts.items()}, is_old=is_old)
    async with await asyncio.start_server(served.take, "127.0.0.1", 0, backlog=512) as server:
        served.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        yield served
        served.leave()

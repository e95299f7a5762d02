"""The way to each kind of server, as a transport of the SDK, and how it has ended."""

import asyncio
import logging
from types import TracebackType
from typing import Any

import attrs
from mcp.client import Transport
from mcp.client._memory import InMemoryTransport
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer, Server

from pegboard_mcp.attached.inside import contained
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.requests import Requests
from pegboard_mcp.attached.stdio import LONGEST, Stdio
from pegboard_mcp.attached.tail import Tail
from pegboard_mcp.attached.target import Address, Command, Inside, Target

_TO_LEAVE = 2.0
"""Seconds for telling a server that its session is over."""
_LAST_WORDS = 0.5
"""Seconds that a process has to end after its output has."""


class Http:
    """A transport over streamable HTTP.

    Args:
        address: where the server is.
        ended: set once the server knows the session no more.

    Attributes:
        requests: what the server is asked through.
    """

    def __init__(self, address: Address, ended: asyncio.Event) -> None:
        self._address = address
        self._inner: Any = None
        self.requests = Requests(ended)

    async def __aenter__(self) -> Any:
        headers = {key: each.reveal() for key, each in self._address.headers.items()}
        self.requests.headers.update(headers)
        self._inner = streamable_http_client(
            self._address.url, http_client=self.requests, max_sse_event_size=LONGEST
        )
        try:
            return await self._inner.__aenter__()
        except BaseException:
            await self.requests.aclose()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        try:
            async with asyncio.timeout(_TO_LEAVE):
                done: bool | None = await self._inner.__aexit__(kind, error, trace)
            return done
        except TimeoutError:
            return None
        finally:
            await self.requests.aclose()


@attrs.frozen(eq=False)
class Way:
    """How a server is reached, once.

    Attributes:
        transport: for the SDK's client.
        ended: set once the server says nothing more.
        stdio: the same, if it is a process.
        http: the same, if it is a URL.
        tail: the last lines that it wrote for people.
    """

    transport: Transport
    tail: Tail
    ended: asyncio.Event
    stdio: Stdio | None = None
    http: Http | None = None

    @property
    def last_words(self) -> str:
        """The last lines that it wrote for people, as the rest of a sentence, if there are any."""
        return f"; its last lines:\n{self.tail.text}" if self.tail.text else ""

    async def ending(self) -> str:
        """How it has ended, as the rest of a sentence; the empty text where that isn't known."""
        if self.http is not None and self.http.requests.is_session_over:
            return ": it doesn't know the session any more"
        child = None if self.stdio is None else self.stdio.child
        if child is None or not await child.exits_within(_LAST_WORDS):
            return ""
        if self.stdio is not None:
            await self.stdio.heard()
        return f": {child.ending}{self.last_words}"


def way_to(target: Target, *, log: logging.Logger, masks: Masks) -> Way:
    """A new way to a server; nothing is started yet."""
    tail, ended = Tail(log, masks), asyncio.Event()
    match target:
        case Command():
            stdio = Stdio(target, tail, log, masks)
            return Way(stdio, tail, ended, stdio=stdio)
        case Address():
            http = Http(target, ended)
            return Way(http, tail, ended, http=http)
        case Inside(server=Server() | MCPServer() as server):
            return Way(InMemoryTransport(contained(server)), tail, ended)
        case Inside(server=server):
            return Way(server, tail, ended)

"""The way to each kind of server, as a transport of the SDK, and how it has ended."""

import asyncio
import logging
from types import TracebackType
from typing import Any

import attrs
import httpx2
from mcp.client import Transport
from mcp.client._memory import InMemoryTransport
from mcp.client.streamable_http import streamable_http_client
from mcp.server import MCPServer, Server

from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.stdio import LONGEST, Stdio
from pegboard_mcp.attached.tail import Tail
from pegboard_mcp.attached.target import Address, Command, Inside, Target

_LIMIT = 30.0
_TO_LEAVE = 2.0
"""Seconds for telling a server that its session is over."""
_LAST_WORDS = 0.5
"""Seconds that a process has to end after its output has."""


class Http:
    """A transport over streamable HTTP.

    Attributes:
        status: of the last answer that was no success; None if there was none.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._client: httpx2.AsyncClient | None = None
        self._inner: Any = None
        self.status: int | None = None

    async def __aenter__(self) -> Any:
        headers = {key: each.reveal() for key, each in self._address.headers.items()}
        self._client = httpx2.AsyncClient(
            headers=headers,
            timeout=httpx2.Timeout(_LIMIT, read=None),
            event_hooks={"response": [self._note]},
        )
        self._inner = streamable_http_client(
            self._address.url, http_client=self._client, max_sse_event_size=LONGEST
        )
        try:
            return await self._inner.__aenter__()
        except BaseException:
            await self._client.aclose()
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
            if self._client is not None:
                await self._client.aclose()

    async def _note(self, response: httpx2.Response) -> None:
        if response.status_code >= 400:
            self.status = response.status_code


@attrs.frozen(eq=False)
class Way:
    """How a server is reached, once.

    Attributes:
        transport: for the SDK's client.
        stdio: the same, if it is a process.
        http: the same, if it is a URL.
        tail: the last lines that it wrote for people.
    """

    transport: Transport
    tail: Tail
    stdio: Stdio | None = None
    http: Http | None = None

    @property
    def last_words(self) -> str:
        """The last lines that it wrote for people, as the rest of a sentence, if there are any."""
        return f"; its last lines:\n{self.tail.text}" if self.tail.text else ""

    async def ending(self) -> str:
        """How it has ended, as the rest of a sentence; the empty text where that isn't known."""
        child = None if self.stdio is None else self.stdio.child
        if child is None or not await child.exits_within(_LAST_WORDS):
            return ""
        if self.stdio is not None:
            await self.stdio.heard()
        return f": {child.ending}{self.last_words}"


def way_to(target: Target, *, log: logging.Logger, masks: Masks) -> Way:
    """A new way to a server; nothing is started yet."""
    tail = Tail(log, masks)
    match target:
        case Command():
            stdio = Stdio(target, tail, log, masks)
            return Way(stdio, tail, stdio=stdio)
        case Address():
            http = Http(target)
            return Way(http, tail, http=http)
        case Inside(server=Server() | MCPServer() as server):
            return Way(InMemoryTransport(server), tail)
        case Inside(server=server):
            return Way(server, tail)

"""Boards that are served over HTTP on this machine, and what is sent to them."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pegboard import (
    BoardConfig,
    Config,
    Host,
    Secret,
)
from pegboard_mcp import serve_http
from pegboard_serving import TOOLS

HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}


LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}


PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


def plain_client() -> httpx2.AsyncClient:
    """A client of the handshake era that knows only HTTP."""
    return httpx2.AsyncClient(headers={"Accept": HEADERS["Accept"]}, timeout=20)


@asynccontextmanager
async def served(host: Host, **options: Any) -> AsyncIterator[str]:
    """Where the boards of a host are served while the block runs."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve_http(host, port=0, on_ready=ready.set_result, **options), name="serving"
    )
    either: list[asyncio.Future[Any]] = [serving, ready]
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        serving.result()
    try:
        yield ready.result().removesuffix("/mcp")
    finally:
        serving.cancel()
        await asyncio.wait([serving])
        forget_keep_alive()


def forget_keep_alive() -> None:
    """Cancel what uvicorn leaves on the loop: a timer of five seconds for each connection."""
    for timer in getattr(asyncio.get_running_loop(), "_scheduled", ()):
        if "timeout_keep_alive_handler" in repr(timer):
            timer.cancel()


@asynccontextmanager
async def host_with(*tools: Any, **boards: str | None) -> AsyncIterator[Host]:
    """A host with some tools, and boards with their tokens."""
    configured = {
        name: BoardConfig(token=None if token is None else Secret(token))
        for name, token in boards.items()
    }
    async with Host(Config(boards=configured), discover=False) as host:
        for each in tools or TOOLS:
            host.register(each)
        yield host


@asynccontextmanager
async def connected(url: str, token: str | None, era: str) -> AsyncIterator[Client]:
    """A client that sends a token."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


async def status(url: str, *, body: Any = LIST, **headers: str) -> int:
    """The HTTP status of one request."""
    sent = {**HEADERS, **{key.replace("_", "-"): each for key, each in headers.items()}}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with httpx2.AsyncClient(timeout=20) as http:
        answer = await http.post(
            url, content=data, headers={"Content-Type": "application/json", **sent}
        )
    return int(answer.status_code)

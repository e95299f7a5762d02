"""Requests over HTTP that can begin something on a board that isn't there yet."""

import json
from typing import Any

from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from pegboard_mcp.serving.eras import is_modern
from pegboard_mcp.serving.tokens import NotFoundError


async def beginning(scope: Scope, receive: Receive, max_body: int) -> Receive:
    """Gives a request once more that begins a session, or that needs none.

    Raises:
        NotFoundError: it begins nothing.
    """
    headers = Headers(scope=scope)
    if scope["method"] != "POST" or "mcp-session-id" in headers:
        raise NotFoundError
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise NotFoundError
    body = await _body(receive, max_body)
    if not _begins(body, is_modern(headers.get(MCP_PROTOCOL_VERSION_HEADER, ""))):
        raise NotFoundError
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


async def _body(receive: Receive, most: int) -> bytes:
    body, is_whole = bytearray(), False
    while not is_whole:
        message = await receive()
        body += message.get("body", b"")
        if message["type"] != "http.request" or len(body) > most:
            raise NotFoundError
        is_whole = not message.get("more_body", False)
    return bytes(body)


def _begins(body: bytes, is_stateless: bool) -> bool:
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or "id" not in found:
        return False
    method = found.get("method")
    return isinstance(method, str) and (is_stateless or method == "initialize")

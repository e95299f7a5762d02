"""Requests to a server over HTTP, none of which costs its neighbours anything when it breaks."""

import asyncio
import json
from typing import Any

import httpx2
from mcp.client.streamable_http import MCP_SESSION_ID
from mcp_types import (
    CONNECTION_CLOSED,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

UNREADABLE = "the answer can't be read"
_BROKEN = "the connection broke"
_BROKEN_OFF = {
    _BROKEN,
    "SSE stream ended without a response",
    "SSE stream ended and reconnection attempts were exhausted",
}
"""What a call is told whose answer broke off, by this module and by the SDK."""
_LIMIT = 30.0
_UNREACHABLE = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


def is_broken_off(message: str) -> bool:
    """Whether an error says that an answer broke off."""
    return message in _BROKEN_OFF


class Requests(httpx2.AsyncClient):
    """A client for one server; the SDK ends all of its requests with the first that raises.

    Args:
        ended: set once the server knows the session no more.

    Attributes:
        is_in_use: whether a request that breaks is told apart from a server that isn't there.
        is_in_doubt: whether a refusal may mean that the server knows the session no more.
        is_session_over: whether it is known to mean that.
        status: of the last answer that was no success; None if there was none.
    """

    def __init__(self, ended: asyncio.Event) -> None:
        # by default, calls beyond a hundred would wait, and then end all the others
        super().__init__(
            timeout=httpx2.Timeout(_LIMIT, read=None, pool=None),
            limits=httpx2.Limits(max_keepalive_connections=20),
        )
        self._ended = ended
        self.is_in_use = False
        self.is_in_doubt = False
        self.is_session_over = False
        self.status: int | None = None

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; what isn't answered is answered with an error.

        Raises:
            RequestError: the server can't be reached, or was never in use.
        """
        try:
            response = await super().send(request, **options)
            self._note(request, response)
            if request.method == "POST" and _is_json(response):
                await _read(response)
        except _UNREACHABLE:
            raise
        except httpx2.RequestError:
            if not self.is_in_use or request.method != "POST":
                raise
            return _error(request, ErrorData(code=CONNECTION_CLOSED, message=_BROKEN))
        return _readable(request, response)

    def _note(self, request: httpx2.Request, response: httpx2.Response) -> None:
        if response.status_code >= 400:
            self.status = response.status_code
        if MCP_SESSION_ID not in request.headers:
            return
        # the protocol asks for 404; its own example server says 400, which may mean anything else
        is_ping = response.status_code == 400 and _said_in(request).get("method") == "ping"
        if response.status_code == 404 or is_ping:
            self.is_session_over = True
            self._ended.set()
        self.is_in_doubt = response.status_code == 400


def _is_json(response: httpx2.Response) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.lower().startswith("application/json") and not response.has_redirect_location


async def _read(response: httpx2.Response) -> None:
    try:
        await response.aread()
    except BaseException:
        await response.aclose()
        raise


def _readable(request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
    """An answer that the SDK can hand to whoever asked."""
    if request.method != "POST" or not response.is_success or not _is_json(response):
        return response
    try:
        said = jsonrpc_message_adapter.validate_json(response.content, by_name=False)
    except ValidationError:
        return _error(request, ErrorData(code=PARSE_ERROR, message=UNREADABLE))
    match said:
        case JSONRPCError(id=None, error=error):
            return _error(request, error)
        case JSONRPCError(id=number) | JSONRPCResponse(id=number) if _is_of(request, number):
            return response
        case _:
            text = f"{UNREADABLE}: it belongs to something else"
            return _error(request, ErrorData(code=PARSE_ERROR, message=text))


def _is_of(request: httpx2.Request, number: Any) -> bool:
    return str(_said_in(request).get("id")) == str(number)


def _said_in(request: httpx2.Request) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(request.content or b"{}")
    return said


def _error(request: httpx2.Request, error: ErrorData) -> httpx2.Response:
    said = {"jsonrpc": "2.0", "id": None, "error": error.model_dump(exclude_none=True)}
    return httpx2.Response(502, json=said, request=request)

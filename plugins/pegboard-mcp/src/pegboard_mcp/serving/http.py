"""The boards of a host over streamable HTTP."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from pegboard import Host, PegboardError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pegboard_mcp.serving.beginnings import beginning
from pegboard_mcp.serving.doors import Doors, Limits
from pegboard_mcp.serving.health import Threshold, probes
from pegboard_mcp.serving.running import listening, run_app
from pegboard_mcp.serving.tokens import (
    Admission,
    NotFoundError,
    UnauthorizedError,
    check_tokens,
    tokens_of,
)

_HERE = ("127.0.0.1", "localhost", "[::1]")
IDLE_TIMEOUT = 30 * 60.0
MAX_SESSIONS = 1000


def http_app(
    host: Host,
    *,
    board: str | None = "default",
    page_size: int | None = None,
    is_local: bool = True,
    allowed_hosts: Iterable[str] = (),
    max_body: int = DEFAULT_MAX_REQUEST_BODY_SIZE,
    idle_timeout: float = IDLE_TIMEOUT,
    max_sessions: int = MAX_SESSIONS,
) -> Starlette:
    """An ASGI application that serves the boards of a host, on the loop of the host.

    `/boards/NAME/mcp` is board NAME; `/mcp` is the board whose token was sent, or else `board`. A
    board is made by the first request that begins something there, where the host makes boards of
    that name; it is closed again once nothing was asked of it for as long as a session lasts.
    `/healthz` and `/readyz` answer probes by whatever name: 200 while the process answers, and
    while the host is ready for calls, else 503.

    Args:
        host: whose boards; it must be open while the application runs.
        board: the board of who names none; None where there is none.
        page_size: how many tools one `tools/list` gives at most; None for all of them.
        is_local: whether only this machine reaches the application; if not, boards without a token
            in the configuration aren't served.
        allowed_hosts: names under which clients may reach it, beside those of this machine;
            with `:*` at the end for any port. If it isn't local and this is empty, any name.
        max_body: bytes of one request.
        idle_timeout: seconds after which a session ends in which nothing was asked.
        max_sessions: how many sessions each board has at most.

    Raises:
        ConfigError: a token isn't where the configuration says, or is that of two boards.
    """
    check_tokens(host.config)
    names = tuple(allowed_hosts)
    limits = Limits(page_size, max_body, idle_timeout, max_sessions)
    security = _security(names, is_local=is_local)
    doors = Doors(host, board, limits, security)
    entrance = _Entrance(doors, Admission(host, board, is_local), security, max_body)
    routes = [Route("/mcp", entrance), Route("/boards/{board}/mcp", entrance)]
    app = Starlette(
        routes=[*routes, *probes(lambda: doors.is_open and host.is_ready)],
        middleware=[Middleware(Threshold, is_letting_in=lambda: doors.is_letting_in)],
        lifespan=doors.opened,
    )
    app.router.redirect_slashes = False  # it would lead to whatever name a client has sent
    app.state.doors = doors
    return app


def _security(names: tuple[str, ...], *, is_local: bool) -> TransportSecuritySettings:
    """What `Host` and `Origin` may say; who needs a token needs no name that is known."""
    known = [*_HERE, *(f"{name}:*" for name in _HERE), *names]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in known]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=is_local or bool(names),
        allowed_hosts=known,
        allowed_origins=origins,
    )


class _Entrance:
    """Lets requests in to the board that they are for."""

    def __init__(
        self,
        doors: Doors,
        admission: Admission,
        security: TransportSecuritySettings,
        max_body: int,
    ) -> None:
        self._doors = doors
        self._max_body = max_body
        self._admission = admission
        self._security = TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = await self._security.validate_request(Request(scope))
        if refusal is None:
            await self._let_in(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            if not _is_same_origin(headers):
                raise PermissionError
            named = scope["path_params"].get("board")
            name = self._admission.admit(named, headers.get("authorization"))
            if not self._doors.is_there(name):
                receive = await beginning(scope, receive, self._max_body)
            door = await self._doors.door(name)
        except (NotFoundError, UnauthorizedError, PermissionError, PegboardError) as error:
            await _refusal(error, headers)(scope, receive, send)
        else:
            await door.answer(scope, receive, send)


def _is_same_origin(headers: Headers) -> bool:
    """Whether a request comes from no web page, or from one of this very server."""
    origin = headers.get("origin")
    if not origin:
        return headers.get("sec-fetch-site") != "cross-site"
    return urlsplit(origin).netloc == headers.get("host") or _is_here(origin)


def _is_here(origin: str) -> bool:
    with suppress(ValueError):
        return is_loopback(urlsplit(origin).hostname or "")
    return False


def _refusal(error: Exception, headers: Headers) -> Response:
    match error:
        case UnauthorizedError():
            wrong = ', error="invalid_token"' if "authorization" in headers else ""
            challenge = {"WWW-Authenticate": f'Bearer realm="pegboard"{wrong}'}
            return PlainTextResponse("Unauthorized", 401, challenge)
        case PermissionError():
            return PlainTextResponse("Invalid Origin header", 403)
        case NotFoundError():
            return PlainTextResponse("Not Found", 404)
        case _:
            return PlainTextResponse("Service Unavailable", 503)


async def serve_http(
    host: Host,
    *,
    address: str = "127.0.0.1",
    port: int = 8000,
    board: str | None = "default",
    page_size: int | None = None,
    allowed_hosts: Iterable[str] = (),
    max_body: int = DEFAULT_MAX_REQUEST_BODY_SIZE,
    idle_timeout: float = IDLE_TIMEOUT,
    max_sessions: int = MAX_SESSIONS,
    opening: Awaitable[object] | None = None,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serve the boards of a host over HTTP until this is cancelled.

    Calls that run then are cancelled, and clients have a second to read their outcomes.

    Args:
        host: whose boards.
        address: where to listen; another one than this machine's own takes tokens.
        port: where to listen; 0 for any that is free.
        board: the board of who names none; None where there is none.
        page_size: how many tools one `tools/list` gives at most; None for all of them.
        allowed_hosts: names under which clients may reach it; see `http_app`.
        max_body: bytes of one request.
        idle_timeout: seconds after which a session ends in which nothing was asked.
        max_sessions: how many sessions each board has at most.
        opening: until it has ended, only probes are answered; what it raises ends this. The host
            need not be open before.
        on_ready: called with the URL of that board once clients are let in.

    Raises:
        PegboardError: nobody can listen there, or anybody could call there.
        ConfigError: a token isn't where the configuration says, or is that of two boards.
    """
    is_local = is_loopback(address)
    if not is_local and not tokens_of(host.config):
        raise PegboardError(
            f"anybody who reaches {address} could call the tools; "
            "give boards a token in the configuration, or serve on 127.0.0.1"
        )
    app = http_app(
        host,
        board=board,
        page_size=page_size,
        is_local=is_local,
        allowed_hosts=allowed_hosts,
        max_body=max_body,
        idle_timeout=idle_timeout,
        max_sessions=max_sessions,
    )
    doors: Doors = app.state.doors
    doors.is_letting_in = opening is None
    with listening(address, port) as listener:
        own = listener.getsockname()[1]
        shown = f"[{address}]" if ":" in address else address

        async def begin() -> None:
            if opening is not None:
                await opening
            doors.is_letting_in = True
            if on_ready is not None:
                on_ready(f"http://{shown}:{own}/mcp")

        await run_app(app, listener, begin=begin, close=doors.close)


def is_loopback(address: str) -> bool:
    """Whether an address is reached from this machine only."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False

"""The boards of a host over streamable HTTP."""

import asyncio
import ipaddress
import os
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import uvicorn
from mcp.server.transport_security import (
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from pegboard import Host, PegboardError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pegboard_mcp.serving.beginnings import beginning
from pegboard_mcp.serving.doors import Doors, Limits
from pegboard_mcp.serving.tokens import (
    Admission,
    NotFoundError,
    UnauthorizedError,
    check_tokens,
    tokens_of,
)

_HERE = ("127.0.0.1", "localhost", "[::1]")
_TO_CLOSE = 5
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
    app = Starlette(routes=routes, lifespan=doors.opened)
    app.state.close = doors.close
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
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serve the boards of a host over HTTP until this is cancelled.

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
        on_ready: called with the URL of that board once clients can connect.

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
    with _listening(address, port) as listener:
        own = listener.getsockname()[1]
        shown = f"[{address}]" if ":" in address else address

        def ready() -> None:
            if on_ready is not None:
                on_ready(f"http://{shown}:{own}/mcp")

        await _serve(_Server(app, ready), listener, app.state.close)


def is_loopback(address: str) -> bool:
    """Whether an address is reached from this machine only."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


@contextmanager
def _listening(address: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    # asyncio sends at once, without waiting for more, only where the socket says TCP
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        try:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen(2048)
        except (OSError, OverflowError) as error:
            raise PegboardError(f"can't listen on {address} port {port}: {error}") from error
        yield listener


class _Server(uvicorn.Server):
    """A server that leaves signals to the program, and tells when it is ready."""

    def __init__(self, app: Starlette, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                access_log=False,
                lifespan="on",
                log_config=None,
                server_header=False,
                timeout_graceful_shutdown=_TO_CLOSE,
                ws="none",
            )
        )
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        if self.started:
            self._ready()


async def _serve(
    server: _Server, listener: socket.socket, close: Callable[[], Awaitable[None]]
) -> None:
    """Run a server; being cancelled ends every session, then the server, and once is enough."""
    task = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        server.should_exit = True
        closing = asyncio.ensure_future(close())
        while not (closing.done() and task.done()):
            with suppress(asyncio.CancelledError):
                await asyncio.wait([closing, task])
        raise
    finally:
        _stop_watchers()


def _stop_watchers() -> None:
    """Cancel what sse-starlette leaves on the loop: a task that waits for the end of a process."""
    for task in asyncio.all_tasks():
        code = getattr(task.get_coro(), "cr_code", None)
        if code is not None and "sse_starlette" in code.co_filename:
            task.cancel()

"""The boards of one host that clients reach over HTTP, each with a server of its own."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import attrs
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pegboard import Board, BoardError, Host, InvalidNameError, UnknownNameError
from starlette.types import Message, Receive, Scope, Send

from pegboard_mcp.serving.server import BoardServer
from pegboard_mcp.serving.tokens import NotFoundError

_log = logging.getLogger("pegboard.mcp")
_MOST = 1000


@attrs.frozen
class Limits:
    """What the clients of one board may take.

    Attributes:
        page_size: how many tools one list gives.
        body: bytes of a request.
        idle: seconds that a session lasts in which nothing is asked.
        sessions: how many there may be at once.
    """

    page_size: int | None
    body: int
    idle: float
    sessions: int


class Door:
    """One board's server and the sessions of its clients, while they are served."""

    def __init__(self, board: Board, limits: Limits, security: TransportSecuritySettings) -> None:
        self._board = board
        self._sessions = StreamableHTTPSessionManager(
            BoardServer(board, page_size=limits.page_size),
            security_settings=security,
            session_idle_timeout=limits.idle,
            max_request_body_size=limits.body,
            max_sessions=limits.sessions,
        )
        self._answering: set[anyio.CancelScope] = set()
        self._is_open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"pegboard-mcp-{board.name}")

    async def opened(self) -> None:
        """Return once clients can be served.

        Raises:
            BoardError: the board is closed.
        """
        await asyncio.shield(self._is_open)

    def leads_to(self, board: Board) -> bool:
        """Whether it serves this very board, and still does."""
        return self._board is board and not self._task.done()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, unless the door is closed meanwhile."""
        answer = _Answer(send)
        with anyio.CancelScope() as answering:
            self._answering.add(answering)
            try:
                await self._sessions.handle_request(scope, receive, answer.send)
            finally:
                self._answering.discard(answering)
        if answering.cancelled_caught:
            await answer.cut()

    def close(self) -> None:
        """End every session and every request soon."""
        self._closing.set()
        for answering in list(self._answering):
            answering.cancel()

    async def closed(self) -> None:
        """Return once every session has ended."""
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        """Own the sessions: one task has to enter and to leave what they run in."""
        try:
            async with self._sessions.run():
                self._is_open.set_result(None)
                await self._closing.wait()
        except Exception as error:  # noqa: BLE001 - who waits for the door is told, or else the log
            if self._is_open.done():
                _log.exception("the sessions of board %r have failed", self._board.name)
            else:
                self._is_open.set_exception(error)


class _Answer:
    """What was sent of an answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_begun = False
        self._is_whole = False

    async def send(self, message: Message) -> None:
        """Send a part of it."""
        self._is_begun = True
        self._is_whole = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)

    async def cut(self) -> None:
        """End it where it is."""
        if not self._is_begun:
            await self._send({"type": "http.response.start", "status": 503, "headers": []})
        if not self._is_whole:
            await self._send({"type": "http.response.body", "body": b""})


class Doors:
    """Opens boards when they are first asked for."""

    def __init__(self, host: Host, limits: Limits, security: TransportSecuritySettings) -> None:
        self._host = host
        self._limits = limits
        self._security = security
        self._open: dict[str, Door] = {}
        self._is_closed = True

    @asynccontextmanager
    async def opened(self, _: object = None) -> AsyncIterator[None]:
        """Let clients in while the block runs."""
        self._is_closed = False
        try:
            yield
        finally:
            await self.close()

    async def close(self) -> None:
        """End every session, and let nobody in any more."""
        self._is_closed = True
        doors, self._open = list(self._open.values()), {}
        for door in doors:
            door.close()
        for door in doors:
            await door.closed()

    async def door(self, name: str) -> Door:
        """What leads to a board.

        Raises:
            NotFoundError: the host has no such board, and makes none.
            PegboardError: it can't be served now.
        """
        board = await self._board(name)
        door = self._open.get(name)
        if door is None or not door.leads_to(board):
            if door is not None:
                door.close()
            door = self._open[name] = Door(board, self._limits, self._security)
        await door.opened()
        return door

    async def _board(self, name: str) -> Board:
        if self._is_closed:
            raise BoardError("boards are served no more")
        if name in self._host.boards:
            return self._host.boards[name]
        if len(self._host.boards) >= _MOST and name not in self._host.config.boards:
            raise NotFoundError
        try:
            return await self._host.board(name)
        except (InvalidNameError, UnknownNameError):
            raise NotFoundError from None

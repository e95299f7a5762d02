"""The boards of one host that clients reach over HTTP, each with a server of its own."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from http import HTTPStatus

import anyio
import attrs
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pegboard import (
    Board,
    BoardError,
    Host,
    InvalidNameError,
    PegboardError,
    UnknownNameError,
)
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from pegboard_mcp.serving.owed import Owed
from pegboard_mcp.serving.server import BoardServer
from pegboard_mcp.serving.tokens import NotFoundError

_log = logging.getLogger("pegboard.mcp")
_MOST = 1000
_TO_FREE = 60.0
_TO_READ = 1.0
_ENDLESS = "subscriptions/listen"


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
        self._server = BoardServer(board, page_size=limits.page_size)
        self._sessions = StreamableHTTPSessionManager(
            self._server,
            security_settings=security,
            session_idle_timeout=limits.idle,
            max_request_body_size=limits.body,
            max_sessions=limits.sessions,
        )
        self._answering: set[anyio.CancelScope] = set()
        self._owed = Owed()
        self._used = time.monotonic()
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
        headers = Headers(scope=scope)
        session = headers.get("mcp-session-id", "")
        is_owed = scope["method"] == "POST" and headers.get("mcp-method") != _ENDLESS
        hearing = partial(self._server.hears, session)
        answer = _Answer(send, hearing if scope["method"] == "GET" and session else _unheard)
        with anyio.CancelScope() as answering:
            self._answering.add(answering)
            try:
                with self._owed.one() if is_owed else nullcontext():
                    await self._sessions.handle_request(scope, receive, answer.send)
            finally:
                answer.end()
                self._answering.discard(answering)
                self._used = time.monotonic()
        if answering.cancelled_caught:
            await answer.cut()

    def idle(self) -> float:
        """Seconds in which nothing was asked, and nothing is on its way."""
        if self._answering or self._server.is_waiting:
            return 0.0
        return time.monotonic() - self._used

    async def settle(self) -> None:
        """Cancel every call; return once their clients have read the outcomes, or had the time."""
        await self._server.stop()
        await self._owed.paid(within=_TO_READ)

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

    def __init__(self, send: Send, hearing: Callable[..., None]) -> None:
        self._send = send
        self._hearing = hearing
        self._is_heard = False
        self._is_begun = False
        self._is_whole = False

    async def send(self, message: Message) -> None:
        """Send a part of it."""
        self._is_begun = True
        self._is_whole = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            self._is_heard = True
            self._hearing(is_open=True)

    def end(self) -> None:
        """Note that nothing more comes."""
        if self._is_heard:
            self._hearing(is_open=False)

    async def cut(self) -> None:
        """End it where it is."""
        if not self._is_begun:
            await self._send({"type": "http.response.start", "status": 503, "headers": []})
        if not self._is_whole:
            await self._send({"type": "http.response.body", "body": b""})


def _unheard(*, is_open: bool) -> None:
    """Nobody hears of changes on such an answer."""


class Doors:
    """Opens boards when they are first asked for, and frees those that are only there for that.

    Args:
        host: whose boards.
        first: the board of who names none; there is always room for it.
        limits: what clients may take.
        security: whom the SDK lets in.

    Attributes:
        is_letting_in: whether clients may come, from when the application runs.
    """

    def __init__(
        self, host: Host, first: str | None, limits: Limits, security: TransportSecuritySettings
    ) -> None:
        self._host = host
        self._first = first
        self._limits = limits
        self._security = security
        self._open: dict[str, Door] = {}
        self._made: dict[str, Board] = {}
        self._is_closed = True
        self.is_letting_in = True

    @asynccontextmanager
    async def opened(self, _: object = None) -> AsyncIterator[None]:
        """Let clients in while the block runs."""
        self._is_closed = False
        freeing = asyncio.create_task(self._free(), name="pegboard-mcp-boards")
        try:
            yield
        finally:
            freeing.cancel()
            await self.close()

    async def close(self) -> None:
        """Let nobody in any more, end every call, then every session."""
        self._is_closed = True
        doors, self._open = list(self._open.values()), {}
        await asyncio.gather(*(door.settle() for door in doors))
        for door in doors:
            door.close()
        for door in doors:
            await door.closed()

    @property
    def is_open(self) -> bool:
        """Whether clients get in now."""
        return self.is_letting_in and not self._is_closed

    def is_there(self, name: str) -> bool:
        """Whether a board is there, or is one of those that there is always room for."""
        known = (self._host.boards, self._host.config.boards, (self._first,))
        return any(name in each for each in known)

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
        if not self.is_open:
            raise BoardError("boards aren't served now")
        if name in self._host.boards:
            return self._host.boards[name]
        is_known = self.is_there(name)
        if not is_known and len(self._made) >= _MOST:
            raise NotFoundError
        try:
            board = await self._host.board(name)
        except (InvalidNameError, UnknownNameError):
            raise NotFoundError from None
        if not is_known:
            self._made[name] = board
        return board

    async def _free(self) -> None:
        """Close boards that were made for clients only, once those have all idled out."""
        while True:
            await asyncio.sleep(min(self._limits.idle, _TO_FREE))
            for name, board in list(self._made.items()):
                if self._host.boards.get(name) is not board:
                    self._made.pop(name)
                elif self._is_idle(name):
                    await self._close_board(name, board)

    def _is_idle(self, name: str) -> bool:
        door = self._open.get(name)
        is_used = any(each.board == name for each in self._host.running)
        return not is_used and (door is None or door.idle() > self._limits.idle)

    async def _close_board(self, name: str, board: Board) -> None:
        door = self._open.pop(name, None)
        if door is not None:
            door.close()
            await door.closed()
        try:
            await board.close()
        except PegboardError as error:
            _log.debug("board %r stays: %s", name, error)
        self._made.pop(name, None)

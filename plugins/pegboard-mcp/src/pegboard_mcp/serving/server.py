"""A board as an MCP server."""

import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pegboard
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    SERVER_INFO_META_KEY,
    CallToolRequestParams,
    EmptyResult,
    PaginatedRequestParams,
    SetLevelRequestParams,
    SubscriptionsListenRequestParams,
)
from pegboard import Board, BoardError, HostClosedError, PegboardError
from pydantic import ValidationError

from pegboard_mcp.serving.answers import failed
from pegboard_mcp.serving.calls import Calls
from pegboard_mcp.serving.eras import is_modern
from pegboard_mcp.serving.listing import Listing
from pegboard_mcp.serving.notices import Notices
from pegboard_mcp.serving.rounds import explained
from pegboard_mcp.serving.sessions import Context, set_level

_log = logging.getLogger("pegboard.mcp")
_DAY = 24 * 60 * 60.0


class BoardServer(Server[dict[str, Any]]):
    """An MCP server whose tools are those that a board shows, as they change.

    It speaks both eras of the protocol, to any number of clients, on the loop of the board's host:
    `mcp.Client(BoardServer(board))` in memory, `serve_stdio` and `serve_http` beyond.

    Args:
        board: what clients see and may call.
        page_size: how many tools one `tools/list` gives at most; None for all of them.
        name: what clients call it; after the board if None.
        instructions: what clients may tell their models of it.
    """

    def __init__(
        self,
        board: Board,
        *,
        page_size: int | None = None,
        name: str | None = None,
        instructions: str | None = None,
    ) -> None:
        self._board = board
        self._listing = Listing(board, page_size)
        self._calls = Calls(board, self._listing)
        self._notices = Notices(board)
        self._served = 0
        self._hooks = ExitStack()
        own = f"pegboard-{board.name}" if name is None else name
        super().__init__(
            own,
            version=pegboard.__version__,
            instructions=instructions,
            lifespan=_lifespan,
            get_tool_input_schema=self._listing.schema,
        )
        self.add_request_handler("tools/list", PaginatedRequestParams, self._list)
        self.add_request_handler("tools/call", CallToolRequestParams, self._call)
        self.add_request_handler("logging/setLevel", SetLevelRequestParams, self._set_level)
        listen = self._notices.listen
        self.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
        security = RequestStateSecurity.ephemeral(ttl=_DAY)
        self.middleware += [self._guard, RequestStateBoundary(security, default_audience=own)]

    @property
    def board(self) -> Board:
        """What clients see and may call."""
        return self._board

    @property
    def is_waiting(self) -> bool:
        """Whether a call waits for the answers of its client."""
        return self._calls.is_waiting

    async def stop(self) -> None:
        """Cancel every call, and return once each has its outcome."""
        await self._calls.close()

    def hears(self, session_id: str, *, is_open: bool) -> None:
        """Note that a session on HTTP has a stream on which it is told of changes, or has none."""
        self._notices.hears(session_id, is_open=is_open)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """The SDK's, saying that changes of the list are told."""
        told = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Hear of changes and of approvals while clients may be there.

        Raises:
            BoardError: the board is closed.
        """
        if not self._served:
            notices, calls = self._notices, self._calls
            hooks = self._board.hook(tools_changed=notices.changed, approve=calls.approve)
            self._hooks.enter_context(hooks)
            self._notices.watch()
        self._served += 1
        try:
            yield
        finally:
            self._served -= 1
            if not self._served:
                self._notices.close()
                with self._hooks.pop_all():
                    await self._calls.close()

    async def _list(self, ctx: Context, params: PaginatedRequestParams) -> HandlerResult:
        return self._listing.page(params.cursor, ctx.protocol_version)

    async def _call(self, ctx: Context, params: CallToolRequestParams) -> HandlerResult:
        return await self._calls.call(ctx, params)

    async def _set_level(self, ctx: Context, params: SetLevelRequestParams) -> HandlerResult:
        set_level(ctx, params.level)
        return EmptyResult()

    async def _guard(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answer a message; of what goes wrong in here a client reads that it has."""
        if ctx.method == "notifications/initialized" and not is_modern(ctx.protocol_version):
            self._notices.keep(ctx)
        try:
            return await call_next(ctx)
        except ValidationError:
            raise
        except MCPError as error:
            if error.code != INTERNAL_ERROR or ctx.method != "tools/call":
                raise explained(error) from None
            return self._failed(ctx, "the result isn't one that MCP can say")
        except Exception as error:  # noqa: BLE001 - no client may read what it says
            is_gone = isinstance(error, BoardError | HostClosedError)
            level, trace = (logging.WARNING, None) if is_gone else (logging.ERROR, error)
            said = ctx.method, self._board.name, error if is_gone else type(error).__name__
            _log.log(level, "%s failed on board %r: %s", *said, exc_info=trace)
            known = str(error) if isinstance(error, PegboardError) else "the server failed"
            if ctx.method != "tools/call":
                raise MCPError(INTERNAL_ERROR, known) from None
            return self._failed(ctx, known)

    def _failed(self, ctx: Context, message: str) -> HandlerResult:
        result = failed(message)
        if is_modern(ctx.protocol_version):
            return {**result, "_meta": {SERVER_INFO_META_KEY: self.server_info_stamp}}
        return {key: each for key, each in result.items() if key != "resultType"}


@asynccontextmanager
async def _lifespan(server: Server[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    """What the SDK enters for each way that a server is served on."""
    if not isinstance(server, BoardServer):
        raise TypeError(f"{type(server).__name__} is no BoardServer")
    async with server.serving():
        yield {}

"""Telling clients of both eras that the list of tools has changed."""

import asyncio
from weakref import WeakSet

from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from pegboard import Board

from pegboard_mcp.serving.sessions import Context, connection_of

_TO_OPEN = 0.1


class Notices:
    """Tells the clients of one board.

    Attributes:
        listen: serves the streams of clients that ask to be told.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self._connections: WeakSet[Connection] = WeakSet()
        self._due: WeakSet[Connection] = WeakSet()
        self._telling: WeakSet[Connection] = WeakSet()
        self._tasks: set[asyncio.Task[None]] = set()
        self._hearing: set[str] = set()
        self._missed: WeakSet[Connection] = WeakSet()

    def keep(self, ctx: Context) -> None:
        """Tell a client that has shaken hands, while its connection lasts."""
        connection = connection_of(ctx)
        self._connections.add(connection)
        connection.exit_stack.callback(self._connections.discard, connection)

    def hears(self, session_id: str, *, is_open: bool) -> None:
        """Note that the stream of a session on HTTP is open, or isn't any more.

        What its client has missed while there was none it is told soon after.
        """
        if not is_open:
            self._hearing.discard(session_id)
            return
        self._hearing.add(session_id)
        asyncio.get_running_loop().call_later(_TO_OPEN, self._catch_up, session_id)

    def watch(self) -> None:
        """Hear of the next change: that takes somebody who has looked."""
        _ = self._board.revision

    async def changed(self, board: Board) -> None:
        """Tell everybody, and hear of the next change."""
        if board is not self._board:
            return
        self.watch()
        for connection in list(self._connections):
            if connection.session_id is not None and connection.session_id not in self._hearing:
                self._missed.add(connection)
            self._tell(connection)
        await self._bus.publish(ToolsListChanged())

    def close(self) -> None:
        """Tell nobody any more."""
        self.listen.close()
        for task in list(self._tasks):
            task.cancel()

    def _tell(self, connection: Connection) -> None:
        """Tell one client in a task of its own: one that doesn't read holds nobody up."""
        self._due.add(connection)
        if connection not in self._telling:
            self._telling.add(connection)
            task = asyncio.ensure_future(self._told(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _told(self, connection: Connection) -> None:
        """Tell it as soon as it reads; what happens before that is one notice."""
        try:
            while connection in self._due and connection in self._connections:
                self._due.discard(connection)
                await connection.send_tool_list_changed()
        finally:
            self._telling.discard(connection)

    def _catch_up(self, session_id: str) -> None:
        if session_id not in self._hearing:
            return
        for connection in [each for each in self._missed if each.session_id == session_id]:
            self._missed.discard(connection)
            self._tell(connection)

"""Telling clients of both eras that the list of tools has changed."""

import asyncio
from weakref import WeakSet

from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from pegboard import Board

from pegboard_mcp.serving.sessions import Context, connection_of

_PATIENCE = 60.0


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

    def keep(self, ctx: Context) -> None:
        """Tell a client that has shaken hands, while its connection lasts."""
        connection = connection_of(ctx)
        self._connections.add(connection)
        connection.exit_stack.callback(self._connections.discard, connection)

    def watch(self) -> None:
        """Hear of the next change: that takes somebody who has looked."""
        _ = self._board.revision

    async def changed(self, board: Board) -> None:
        """Tell everybody, and hear of the next change."""
        if board is not self._board:
            return
        self.watch()
        for connection in list(self._connections):
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
        try:
            while connection in self._due:
                self._due.discard(connection)
                async with asyncio.timeout(_PATIENCE):
                    await connection.send_tool_list_changed()
        except TimeoutError:
            self._connections.discard(connection)
        finally:
            self._telling.discard(connection)

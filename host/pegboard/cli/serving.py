"""`serve`: a board for MCP clients, until they or somebody else end it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any

import attrs

from pegboard import Board, Config, Host
from pegboard.cli.again import Teller
from pegboard.cli.asked import Asked, chosen_board, entered, host_of
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.mistakes import UsageError, config_mistakes, refuse
from pegboard.cli.rereading import reread_when_told
from pegboard.cli.signals import Orders, StoppedError, orders_heard
from pegboard.cli.stopping import drained
from pegboard.cli.streams import Streams

_LAST_PORT = 65535


@attrs.frozen
class Where:
    """Where to listen for HTTP."""

    address: str
    port: int


def read_where(text: str) -> Where:
    """Where `[ADDRESS:]PORT` is.

    Raises:
        UsageError: it is nowhere.
    """
    address, colon, port = text.rpartition(":")
    bare = address[1:-1] if address.startswith("[") and address.endswith("]") else address
    is_port = port.isascii() and port.isdecimal() and int(port) <= _LAST_PORT
    if not is_port or (colon and not bare) or (":" in address and bare == address):
        raise UsageError(
            f"--http takes a port, or an address and a port such as 127.0.0.1:8000, not {text!r}"
        )
    return Where(bare or "127.0.0.1", int(port))


async def serve(
    streams: Streams,
    *,
    asked: Asked,
    where: Where | None,
    page_size: int | None,
    is_watching: bool,
) -> int:
    """Serve a board on standard input and output, or the boards over HTTP.

    SIGTERM lets what runs end first; SIGHUP has the configuration read again.

    Returns:
        the exit status, once the client has gone or SIGTERM has come; Ctrl-C raises.

    Raises:
        UsageError: pegboard-mcp isn't installed.
    """
    mcp = _pegboard_mcp()
    if page_size is not None and page_size < 1:
        raise UsageError(f"--page-size takes a number from 1 on, not {page_size}")
    config = asked.read_config()
    name = _first_board(config, asked.board, is_needed=where is None)
    host = host_of(config, file=asked.found_file)
    with orders_heard() as orders, suppress(StoppedError):
        service = _Service(host, streams, asked, orders, name, is_watching)
        if where is None:
            await service.over_stdio(partial(mcp.serve_stdio, page_size=page_size))
        else:
            await service.over_http(
                partial(
                    mcp.serve_http,
                    host,
                    address=where.address,
                    port=where.port,
                    board=name,
                    page_size=page_size,
                    on_ready=lambda url: _tell_ready(url, streams, is_json=asked.is_json),
                )
            )
    return 0


@attrs.frozen
class _Service:
    """One host that is served, from loading its plugins to closing it."""

    host: Host
    streams: Streams
    asked: Asked
    orders: Orders
    name: str | None
    is_watching: bool

    async def over_stdio(self, serve: Callable[..., Coroutine[Any, Any, None]]) -> None:
        """Serve a board once the host is open."""
        async with (
            self._opened() as board,
            _beside(serve(board, results=self.streams.taken())) as serving,
        ):
            await self._until_stopped(serving)

    async def over_http(self, serve: Callable[..., Coroutine[Any, Any, None]]) -> None:
        """Serve the boards; probes are answered from before the host is open."""
        opening: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        async with _beside(serve(opening=opening)) as serving:
            await asyncio.sleep(0)
            if serving.done():
                serving.result()
            async with self._opened():
                opening.set_result(None)
                await self._until_stopped(serving)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Board | None]:
        """The board of who names none, or None, on the open host.

        Raises:
            StoppedError: SIGTERM came while plugins were loaded.
        """
        async with AsyncExitStack() as stack:
            with self.orders.unless_stopped():
                await stack.enter_async_context(entered(self.streams, self.host))
                refuse(config_mistakes(self.host))
                warn_of_failures(self.host, self.streams)
                board = None if self.name is None else await self.host.board(self.name)
            yield board

    async def _until_stopped(self, serving: asyncio.Task[None]) -> None:
        """Serve until the clients have gone, or SIGTERM has come and what ran has ended."""
        host, orders, streams = self.host, self.orders, self.streams
        async with (
            self._followed(),
            _beside(reread_when_told(host, orders, streams, asked=self.asked)),
            _beside(orders.stop.wait()) as stopped,
        ):
            try:
                await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
                if orders.stop.is_set():
                    await drained(host, orders, streams)
                else:
                    serving.result()
            finally:
                await _ended(serving)

    @asynccontextmanager
    async def _followed(self) -> AsyncIterator[None]:
        """Follow changes on disk while the block runs, if that was asked for.

        What ends the block ends the following, and the other way round.
        """
        if not self.is_watching:
            yield
            return
        watch = self.host.watch(self.asked.config_file)
        try:
            async with watch as reports, asyncio.TaskGroup() as group:

                async def follow() -> None:
                    teller = Teller(self.host, self.streams)
                    async for report in reports:
                        teller.tell(report)

                following = group.create_task(follow(), name="pegboard-serve-watch")
                yield
                following.cancel()
        except ExceptionGroup as group:
            raise group.exceptions[0] from group


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, Any]) -> AsyncIterator[asyncio.Task[Any]]:
    """A task for as long as the block runs."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        await _ended(task)


async def _ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task, and return once it has ended, however."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _tell_ready(url: str, streams: Streams, *, is_json: bool) -> None:
    streams.message(f"serving on {url}")
    if is_json:
        print_json({"url": url}, streams, is_one_of_many=True)


def _first_board(config: Config, name: str | None, *, is_needed: bool) -> str | None:
    """The board of who names none; there may be none where boards are chosen otherwise."""
    try:
        return chosen_board(config, name)
    except UsageError:
        if is_needed:
            raise
        return None


def _pegboard_mcp() -> Any:
    """The plugin that serves; it isn't part of the host."""
    try:
        return import_module("pegboard_mcp.serving")
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if missing.partition(".")[0] == "pegboard_mcp":
            missing = "pegboard-mcp"
        raise UsageError(
            f"to serve a board takes {missing}, which isn't installed: pip install pegboard-mcp"
        ) from error

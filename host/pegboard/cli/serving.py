"""`serve`: a board for MCP clients, until they or somebody else end it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import Any

import attrs

from pegboard import Config, Host
from pegboard.cli.again import tell, until_terminated
from pegboard.cli.asked import Asked, chosen_board, opened_host
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.mistakes import UsageError, config_mistakes, refuse
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

    Returns:
        the exit status, once the client has gone or SIGTERM has come; Ctrl-C raises.

    Raises:
        UsageError: pegboard-mcp isn't installed.
    """
    mcp = _pegboard_mcp()
    if page_size is not None and page_size < 1:
        raise UsageError(f"--page-size takes a number from 1 on, not {page_size}")

    async def work() -> None:
        config = asked.read_config()
        name = _first_board(config, asked.board, is_needed=where is None)
        async with opened_host(streams, config) as host:
            refuse(config_mistakes(host))
            warn_of_failures(host, streams)
            board = None if name is None else await host.board(name)
            async with _followed(host, streams, asked, is_watching=is_watching):
                if where is None:
                    await mcp.serve_stdio(board, page_size=page_size, results=streams.taken())
                    return
                await mcp.serve_http(
                    host,
                    address=where.address,
                    port=where.port,
                    board=name,
                    page_size=page_size,
                    on_ready=lambda url: _tell_ready(url, streams, is_json=asked.is_json),
                )

    with _interrupted_once():
        return await until_terminated(work())


@contextmanager
def _interrupted_once() -> Iterator[None]:
    """Let Ctrl-C end the task that runs now; while it ends, more of it does nothing.

    Raises:
        KeyboardInterrupt: it has come, and the task has ended.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    is_asked = is_heard = False

    def hear() -> None:
        nonlocal is_heard
        is_heard = True
        if task is not None:
            task.cancel()

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal is_asked
        if is_asked and not is_heard:
            raise KeyboardInterrupt
        if not is_asked:
            is_asked = True
            loop.call_soon_threadsafe(hear)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if is_heard:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)


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


@asynccontextmanager
async def _followed(
    host: Host, streams: Streams, asked: Asked, *, is_watching: bool
) -> AsyncIterator[None]:
    """Follow changes on disk while the block runs, if that was asked for.

    What ends the block ends the following, and the other way round.
    """
    if not is_watching:
        yield
        return
    try:
        async with host.watch(asked.config_file) as reports, asyncio.TaskGroup() as group:

            async def follow() -> None:
                async for report in reports:
                    tell(report, host, streams)

            following = group.create_task(follow(), name="pegboard-serve-watch")
            yield
            following.cancel()
    except ExceptionGroup as group:
        raise group.exceptions[0] from group


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

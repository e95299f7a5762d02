"""An application behind a socket, until it is stopped."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
from pegboard import PegboardError
from starlette.applications import Starlette

_TO_CLOSE = 5


@contextmanager
def listening(address: str, port: int) -> Iterator[socket.socket]:
    """A socket that clients can connect to while the block runs.

    Raises:
        PegboardError: nobody can listen there.
    """
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
    """A server that leaves signals to the program.

    Attributes:
        is_up: is set once it answers.
    """

    def __init__(self, app: Starlette) -> None:
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
        self.is_up = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        if self.started:
            self.is_up.set()


async def run_app(
    app: Starlette,
    listener: socket.socket,
    *,
    begin: Callable[[], Coroutine[Any, Any, None]],
    close: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Serve an application; being cancelled ends it well, and once is enough.

    Args:
        app: the application.
        listener: where it is served.
        begin: is awaited beside it from when it answers; what it raises ends everything.
        close: ends every session, before the server ends.
    """
    server = _Server(app)

    async def begun() -> None:
        await server.is_up.wait()
        await begin()

    beginning = asyncio.create_task(begun(), name="pegboard-mcp-begin")
    task = asyncio.create_task(server.serve(sockets=[listener]), name="pegboard-mcp-http")
    try:
        await _first_of(task, beginning)
    finally:
        beginning.cancel()
        server.should_exit = True
        await _until_done(asyncio.create_task(close()), task, beginning)
        _stop_watchers()


async def _first_of(task: asyncio.Task[None], beginning: asyncio.Task[None]) -> None:
    """Return once a server has ended; raise what its beginning raises."""
    await asyncio.wait([task, beginning], return_when=asyncio.FIRST_COMPLETED)
    if beginning.done():
        beginning.result()
    await asyncio.shield(task)


async def _until_done(*tasks: asyncio.Task[None]) -> None:
    """Return once all have ended, however often this is cancelled meanwhile."""
    while not all(each.done() for each in tasks):
        with suppress(asyncio.CancelledError):
            await asyncio.wait(tasks)


def _stop_watchers() -> None:
    """Cancel what sse-starlette leaves on the loop: a task that waits for the end of a process."""
    for task in asyncio.all_tasks():
        code = getattr(task.get_coro(), "cr_code", None)
        if code is not None and "sse_starlette" in code.co_filename:
            task.cancel()

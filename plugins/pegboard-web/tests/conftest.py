"""Servers of a test's own on this machine, and calls to them through a host."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import Any, TypeAlias

import attrs
import pegboard_web
import pytest
from pegboard import Board, Host, Outcome

Answer: TypeAlias = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
Script: TypeAlias = Mapping[str, Answer]


@attrs.define
class Served:
    """A server that gives scripted bytes, whatever they are.

    Attributes:
        port: where it listens.
        heads: what was asked of it, as it came.
    """

    port: int = 0
    heads: list[str] = attrs.field(factory=list)
    _tasks: set["asyncio.Task[Any]"] = attrs.field(factory=set)

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for."""
        return [head.split()[1] for head in self.heads]

    async def answer(
        self, script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one request by the script, and close the connection."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.heads.append(head)
            given = script.get(head.split()[1].partition("?")[0], b"HTTP/1.0 404 Not Found\r\n\r\n")
            if isinstance(given, bytes):
                writer.write(given)
                await writer.drain()
            else:
                await given(writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def end(self) -> None:
        """End what is still answered."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@pytest.fixture
def reply() -> Callable[..., bytes]:
    """`reply(body, type)` gives the bytes of a whole answer."""

    def reply(body: str | bytes = b"", kind: str = "text/html", status: int = 200, **more: str):
        data = body.encode() if isinstance(body, str) else body
        headers = {"content-length": str(len(data)), "connection": "close", "content-type": kind}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        lines = [f"{name}: {value}" for name, value in headers.items() if value]
        first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
        return "\r\n".join([first, *lines, "", ""]).encode("latin-1") + data

    return reply


@pytest.fixture
def serve() -> Callable[..., AbstractAsyncContextManager[Served]]:
    """A server on this machine, as a context.

    `async with serve(script) as served` gives it, listening.
    """

    @asynccontextmanager
    async def serve(
        script: Script, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> AsyncIterator[Served]:
        served = Served()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await served.answer(script, reader, writer)

        server = await asyncio.start_server(answer, host, 0, ssl=tls)
        served.port = server.sockets[0].getsockname()[1]
        try:
            yield served
        finally:
            server.close()
            await served.end()

    return serve


@pytest.fixture
def opened() -> Callable[..., AbstractAsyncContextManager[Board]]:
    """The tool on a board, as a context; unloading it leaves nothing.

    `async with opened(**settings) as board` gives the board.
    """

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Board]:
        async with Host(discover=False) as host:
            await host.load(pegboard_web, name="web", settings=settings)
            yield await host.board("tests")
            report = await host.unload("web")
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())

    return opened


@pytest.fixture
def fetch(serve: Any, opened: Any) -> Callable[..., Awaitable[Outcome]]:
    """A call of the tool to a server of its own.

    `await fetch(script, url, **arguments)` gives the outcome; `PORT` in the URL is the server's.
    """

    async def fetch(
        script: Script,
        url: str = "http://127.0.0.1:PORT/",
        settings: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Outcome:
        async with serve(script) as served:
            allowed = {"allow_private": [f"127.0.0.1:{served.port}"], **(settings or {})}
            async with opened(**allowed) as board:
                asked = {"url": url.replace("PORT", str(served.port)), **arguments}
                return await board.call("web_fetch", asked)

    return fetch


@pytest.fixture
def code() -> Callable[[Outcome], str]:
    """`code(outcome)` gives the tool's own code of a failure; the whole outcome if it is none."""

    def code(outcome: Outcome) -> str:
        return outcome.details["code"] if outcome.is_error and outcome.details else str(outcome)

    return code


@pytest.fixture
def refusal(fetch: Any, code: Any) -> Callable[..., Awaitable[str]]:
    """The same, for calls that fail.

    `await refusal(script, url, **arguments)` gives the code of the failure.
    """

    async def refusal(script: Script, *more: Any, **arguments: Any) -> str:
        return code(await fetch(script, *more, **arguments))

    return refusal

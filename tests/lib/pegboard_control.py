"""Hosts with a control channel, and peers that speak to it byte by byte."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Self

import attrs
import pytest
from pegboard import Config, ControlError, Host, OperatorActed, RunContext, Signal, hookimpl, tool
from pegboard.control import Bounds, ControlServer, connect

QUICK = Bounds(patience=0.2, reading=0.2, leaving=0.2)
"""What a test can wait for."""


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket in it."""
    folder = Path(tempfile.mkdtemp(prefix="pegboard-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


class Listening:
    """A plugin that keeps what operators do."""

    def __init__(self) -> None:
        self.acts: list[OperatorActed] = []

    @hookimpl
    def pegboard_event(self, event: object) -> None:
        """Keep it."""
        if isinstance(event, OperatorActed):
            self.acts.append(event)

    def told(self) -> list[tuple[str, str]]:
        """What was done, and how far."""
        return [(each.action, each.stage) for each in self.acts]


@tool
async def wait(context: RunContext) -> str:
    """Wait until the call is cancelled."""
    await context.signal.wait()
    return "over"


@tool
async def echo(value: str) -> str:
    """Give a value back."""
    return value


@asynccontextmanager
async def operated(path: Path, **fields: Any) -> AsyncIterator[Host]:
    """A host with a control socket, the tools `echo` and `wait`, and the board `desk`."""
    async with Host(Config(control=path, **fields), discover=False) as host:
        host.register(echo)
        host.register(wait)
        await host.board("desk")
        yield host


@asynccontextmanager
async def served(
    path: Path, *, bounds: Bounds = QUICK, own_uid: int | None = None
) -> AsyncIterator[Host]:
    """The same with bounds that a test chooses, and another owner, if one is named."""
    listening = Listening()
    async with Host(discover=False) as host:
        host.register(echo)
        await host.board("desk")
        server = ControlServer(host, path, listening.pegboard_event, own_uid=own_uid, bounds=bounds)
        await server.open()
        try:
            yield host
        finally:
            await server.close()


async def asked(path: Path, method: str, **params: Any) -> Any:
    """What a host answers."""
    async with connect(path) as client:
        return await client.ask(method, **params)


async def refused(path: Path, method: str, **params: Any) -> tuple[str, str]:
    """The kind of an error, and its words."""
    with pytest.raises(ControlError) as caught:
        await asked(path, method, **params)
    return caught.value.kind, str(caught.value)


@attrs.frozen
class Raw:
    """A peer that sends what it likes."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, *frames: object) -> Self:
        """Send JSON as lines, and bytes as they are."""
        for each in frames:
            line = each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n"
            self.writer.write(line)
        return self

    async def read(self) -> Any:
        """The next frame; None at the end, however it comes."""
        try:
            line = await asyncio.wait_for(self.reader.readline(), 20)
        except ConnectionError:
            return None
        return json.loads(line) if line else None

    async def kind(self) -> str | None:
        """The kind of error that comes next; None where it is a result, or the end."""
        frame = await self.read()
        return None if frame is None or "error" not in frame else str(frame["error"]["kind"])


@asynccontextmanager
async def raw(path: Path) -> AsyncIterator[Raw]:
    """A connection to a control socket."""
    reader, writer = await asyncio.open_unix_connection(path, limit=2**27)
    try:
        yield Raw(reader, writer)
    finally:
        writer.transport.abort()


def request(method: str, number: object = 1, **params: object) -> dict[str, Any]:
    """A request of this protocol."""
    return {"protocol": 1, "id": number, "method": method, "params": params}


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    while not holds():
        await asyncio.sleep(0.001)


@asynccontextmanager
async def calling(host: Host, board: str = "desk", call_id: str = "c1") -> AsyncIterator[Signal]:
    """A call of `wait` that runs meanwhile; gives what ends it."""
    signal = Signal()
    task = asyncio.create_task(host.boards[board].call("wait", id=call_id, signal=signal))
    await until(lambda: any(each.stage == "body" for each in host.running))
    try:
        yield signal
    finally:
        signal.cancel("the test is over")
        await task

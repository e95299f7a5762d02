"""Boards that are served by a process of its own, until that is told to stop."""

import http.client
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs
from mcp_types import LATEST_PROTOCOL_VERSION

SLOW = '''
import asyncio, sys, time
from pathlib import Path
from pegboard import tool

@tool
async def wait(seconds: float) -> str:
    """Wait."""
    Path("began").touch()
    await asyncio.sleep(seconds)
    return "waited"

@tool
def stick() -> str:
    """Stick in a thread, for longer than anybody waits."""
    Path("began").touch()
    time.sleep(20)
    return "stuck"
'''
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "x", "version": "1"},
}
_META = {
    "io.modelcontextprotocol/protocolVersion": LATEST_PROTOCOL_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def calling(tool: str, *, modern: bool, **arguments: Any) -> dict[str, Any]:
    """A call of a tool, with the id 7."""
    meta = {"_meta": _META} if modern else {}
    params = {"name": tool, "arguments": arguments, **meta}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


@attrs.frozen
class Piped:
    """A client at the other end of the standard streams of `pegboard serve`."""

    process: "subprocess.Popen[str]"

    def say(self, **message: Any) -> None:
        """Send one message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message that isn't a notification."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if "id" in message:
                return message
        raise AssertionError("there is no further message")

    def greet(self, *, modern: bool) -> None:
        """Begin, in the way of an era."""
        if not modern:
            self.say(id=1, method="initialize", params=HELLO)
            self.read()
            self.say(method="notifications/initialized")


Start = Callable[..., Any]


@contextmanager
def starting(desk: Any) -> Iterator[Start]:
    """What starts `pegboard serve` with a configuration; what still runs in the end is killed.

    Args:
        desk: where.
    """
    started: list[subprocess.Popen[str]] = []

    def start(
        *words: str,
        grace: float = 10.0,
        stop_grace: float = 0.5,
        only: str = '["slow"]',
        more: str = "",
        **options: Any,
    ) -> "subprocess.Popen[str]":
        text = f"only = {only}\nclose_grace = {grace}\nstop_grace = {stop_grace}\n{more}"
        desk.write("pegboard.toml", text)
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        started.append(desk.start("serve", *words, **(pipes | options)))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.communicate()


def url_of(process: Any) -> str:
    """Where it serves, once it does."""
    for line in process.stderr:
        if line.startswith("pegboard: serving on "):
            return str(line.split()[-1])
    raise AssertionError(f"it has ended with {process.wait()}")


def probed(url: str, path: str, *, method: str = "GET", host: str = "probe.example") -> Any:
    """Status, headers and text of an answer to a probe, which asks by any name."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(str(where.hostname), where.port or 80, timeout=20)
    try:
        connection.request(method, path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def until(path: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until a file is there, while a process runs."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, "it has ended"
        assert time.monotonic() < deadline, f"{path} doesn't come"
        time.sleep(0.02)

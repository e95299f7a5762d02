"""A host in a process of its own, and `pegboard ctl` beside it."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

PATIENT = '''
import asyncio
from pegboard import ToolAnnotations, tool

@tool
async def wait(seconds: float) -> str:
    """Take a while."""
    await asyncio.sleep(seconds)
    return "waited"

@tool(annotations=ToolAnnotations(read_only=True, destructive=False))
async def look() -> str:
    """Look."""
    return "seen"
'''
STUCK = '''
import time
from pegboard import tool

@tool
def hold(seconds: float) -> str:
    """Hold a thread, whatever happens."""
    time.sleep(seconds)
    return "held"
'''
HOST = r"""
import asyncio, sys
from pegboard import Host

async def main():
    async with Host("pegboard.toml") as host:
        one, two = await host.board("one"), await host.board("two", parent="one")
        await two.call("look", {}, id="seen")
        await two.call("lok", {}, id="wrong")
        for board, call_id in ((one, "\x1b[2Jlong"), (two, "short")):
            waiting = board.call("wait", {"seconds": 1000}, id=call_id)
            asyncio.ensure_future(waiting)
            await asyncio.sleep(0.05)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await host.drain(grace=0)

asyncio.run(main())
"""
CONFIG = """
only = ["patient", "audit", "ill", "stuck"]
control = "{folder}/run/p.sock"
state = "state.json"
stop_grace = 0.5
[plugins.audit]
path = "audit.sqlite3"
"""


@attrs.frozen
class Running:
    """A host that runs on a desk.

    Attributes:
        desk: where the command is run.
        socket: its control socket.
        process: the host.
    """

    desk: Any
    socket: Path
    process: "subprocess.Popen[str]"

    def ctl(self, *words: str) -> Any:
        """What `pegboard ctl` leaves."""
        return self.desk.answer("ctl", *words)

    def json(self, *words: str) -> Any:
        """What it prints with `--json`."""
        ran = self.ctl(*words, "--json")
        assert (ran.status, ran.err) == (0, "")
        return ran.json

    def rows(self, *words: str) -> list[list[str]]:
        """The cells of the table that it prints, without the names of columns."""
        ran = self.ctl(*words)
        assert (ran.status, ran.err) == (0, "")
        return [line.split() for line in ran.out.splitlines()[1:]]

    def tools(self, board: str) -> list[str]:
        """The names of the tools that a board shows."""
        return [each["name"] for each in self.json("tools", "--board", board)]

    def end(self) -> None:
        """Let it close."""
        self.process.communicate("\n", timeout=30)


@contextmanager
def running_host(desk: Any, *, script: str = HOST, folder: Path | None = None) -> Iterator[Running]:
    """A host with the plugin `patient`, whose two calls run until it ends with the block.

    Args:
        desk: where it works.
        script: the program.
        folder: where its socket is, if that was there before.
    """
    if folder is None:
        desk.install("patient", PATIENT)
    with (
        tempfile.TemporaryDirectory(prefix="pegboard-") as made,
        _begun(desk, script, folder or Path(made)) as running,
    ):
        yield running


@contextmanager
def _begun(desk: Any, script: str, folder: Path) -> Iterator[Running]:
    desk.write("pegboard.toml", CONFIG.format(folder=folder))
    desk.write("host.py", script)
    with subprocess.Popen(
        [sys.executable, "host.py"],
        cwd=desk.work,
        env=desk.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
        running = Running(desk, folder / "run" / "p.sock", process)
        try:
            yield running
            if process.poll() is None:
                running.end()
        finally:
            process.kill()

"""`pegboard serve --http` as a process that is operated, called and stopped from here."""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import mcp_types as t
from mcp import Client
from pegboard.control import connect
from pegboard.testing import Site
from pegboard_audit import read
from pegboard_operated import OTHERS
from pegboard_served import Served, served

CLIENTS = 20
SCRIPTED = Path(__file__).with_name("scripted_server.py")
CONFIG = """
only = ["audit", "mail", "patient"]
control = "run/host.sock"
close_grace = 1.5

[plugins.audit]
path = "{folder}/audit.sqlite3"
"""
ATTACHED = """
[mcp.{name}]
command = ["{python}", "{program}", "{folder}/{name}"]
"""
TOOLS = [{"name": "sleep", "inputSchema": {"type": "object"}}]


@contextmanager
def folder_to_serve(**plugins: str) -> Iterator[Path]:
    """A folder whose path is short enough for sockets, with plugins in a site of its own.

    Args:
        plugins: the code of plugins by name, in the place of the usual ones.
    """
    made = Path(tempfile.mkdtemp(prefix="pegboard-")).resolve()
    for name in ("mail", "patient"):
        files = {f"{name}.py": (OTHERS | plugins)[name]}
        Site(made / "site").install(name, entry_points={name: name}, files=files)
    (made / "pegboard.toml").write_text(CONFIG.format(folder=made))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def attach(folder: Path, *names: str) -> None:
    """Have MCP servers attached, each a process of its own."""
    text = CONFIG.format(folder=folder).replace('"patient"', f'"patient", {str(names)[1:-1]}')
    for name in names:
        (folder / name).mkdir()
        (folder / name / "script.json").write_text(json.dumps({"tools": TOOLS}))
        text += ATTACHED.format(name=name, python=sys.executable, program=SCRIPTED, folder=folder)
    (folder / "pegboard.toml").write_text(text)


@attrs.define
class Calls:
    """Calls that clients make on and on, each with a number of its own in its arguments.

    Attributes:
        made: how many were made.
        results: by number, what its client has got.
    """

    made: int = 0
    results: dict[float, t.CallToolResult] = attrs.field(factory=dict)

    async def make(self, url: str, era: str, name: str, seconds: float) -> None:
        """Make one after the other until the server is gone; the SDK says that in many ways."""
        with suppress(Exception):
            async with Client(url, mode=era) as client:
                while True:
                    self.made += 1
                    number = seconds + self.made / 1e6
                    self.results[number] = await client.call_tool(name, {"seconds": number})


@asynccontextmanager
async def calling(serving: Served, *calls: tuple[str, float]) -> AsyncIterator[Calls]:
    """Clients that call while the block runs, and until the server is gone.

    Args:
        serving: the server.
        calls: the names of tools, each with the seconds that it takes, in turns.
    """
    made = Calls()
    async with asyncio.TaskGroup() as group:
        for number in range(CLIENTS):
            era, call = ("legacy", "auto")[number // 2 % 2], calls[number % len(calls)]
            group.create_task(made.make(serving.url, era, *call))
        yield made


async def ask(folder: Path, method: str, **params: Any) -> Any:
    """What the host answers."""
    async with connect(folder / "run" / "host.sock") as client:
        return await client.ask(method, **params)


async def until_all_run(folder: Path) -> None:
    """Wait until each client has a call in its body."""
    async with asyncio.timeout(30):
        while len(await ask(folder, "running")) < CLIENTS:
            await asyncio.sleep(0.05)


def processes_with(word: str) -> list[str]:
    """The processes of this machine whose command holds a word."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if word in line]


def unanswered(folder: Path, calls: Calls) -> set[float]:
    """The calls that the host knew and that have no outcome at their client."""
    known = [each.arguments for each in read(folder / "audit.sqlite3")]
    return {float(each["seconds"]) for each in known if each} - calls.results.keys()


def served_here(folder: Path, *options: str) -> AbstractContextManager[Served]:
    """Serve the folder's configuration."""
    return served(folder, *options, PYTHONPATH=str(folder / "site"))


async def names(client: Client) -> set[str]:
    """The tools that a client is shown."""
    return {each.name for each in (await client.list_tools(cache_mode="bypass")).tools}


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.05)

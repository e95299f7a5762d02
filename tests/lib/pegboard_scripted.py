"""MCP servers that do what a test says: real processes, and what they were asked for."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from pegboard import Board

SERVER = Path(__file__).parent / "scripted_server.py"
STYLES = (
    "plain",
    "calendar.list",
    "rows/get",
    "rows_get",
    "Search",
    "search",
    "1st",
    "x" * 80,
    "é",
)
"""Names of tools in every style."""


def named(*names: str, **fields: Any) -> list[dict[str, Any]]:
    """Definitions of tools that take anything."""
    return [{"name": each, "inputSchema": {"type": "object"}, **fields} for each in names]


class Scripted:
    """A server whose script stands in a folder."""

    def __init__(self, folder: Path, *tools: str | dict[str, Any], **script: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        definitions = [named(each)[0] if isinstance(each, str) else each for each in tools]
        self.script: dict[str, Any] = {"tools": definitions, **script}
        self.change()

    def change(self, **script: Any) -> None:
        """Have it do something else from now on."""
        self.script |= script
        (self.folder / "script.json").write_text(json.dumps(self.script))

    @property
    def command(self) -> list[str]:
        """What starts it."""
        return [sys.executable, str(SERVER), str(self.folder)]

    @property
    def heard(self) -> list[dict[str, Any]]:
        """What it was asked for, in order, over all its starts."""
        file = self.folder / "heard.jsonl"
        return [json.loads(each) for each in file.read_text().splitlines()] if file.exists() else []

    @property
    def starts(self) -> list[int]:
        """The ids of the processes that it was."""
        return [each["started"] for each in self.heard if "started" in each]

    @property
    def lists_fetched(self) -> int:
        """How often its list was asked for."""
        return sum("list" in each for each in self.heard)

    def calls(self, name: str | None = None) -> list[Any]:
        """The arguments of its calls."""
        heard = [each for each in self.heard if "call" in each]
        return [each["arguments"] for each in heard if name in (None, each["call"])]


def raw_of(board: Board) -> dict[str, str]:
    """The servers' own names for the names on a board."""
    bodies = {name: each.run for name, each in board.tools.items()}
    return {
        name: each.args[0]["name"] for name, each in bodies.items() if isinstance(each, partial)
    }


def raw_names(board: Board) -> list[str]:
    """The servers' own names of the tools on a board."""
    return sorted(raw_of(board).values())


def is_alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"

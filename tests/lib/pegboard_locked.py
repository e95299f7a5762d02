"""What the tests of lock files share: a plugin whose tools change, and hosts that accept it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from pegboard import Config, Host, LockReport, Tool, hookimpl

MAIL: dict[str, Any] = {
    "name": "send",
    "description": "Send mail.",
    "parameters": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
        "required": ["to"],
    },
}

MODULE = '''
from pegboard import tool

print("mail is imported")

@tool
def send(to: str) -> str:
    """Send mail."""
    return f"sent to {to}"

@tool
def read() -> str:
    """Read mail."""
    return "nothing"
'''


def mail(**given: Any) -> Tool:
    """The tool `send`, or one that differs from it."""
    return Tool(**(MAIL | {"run": lambda arguments, context: "sent"} | given))


@attrs.frozen(eq=False)
class Mail:
    """A plugin whose tools are what a server or a file says at the moment.

    Attributes:
        tools: what it offers.
        per_board: what it puts on each board.
    """

    tools: tuple[Tool, ...] = attrs.field(factory=lambda: (mail(),))
    per_board: tuple[Tool, ...] = ()

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tools."""
        return list(self.tools)

    @hookimpl
    def pegboard_board(self, plugin: Any, board: Any) -> Any:
        """Put the tools on the board."""
        return self._put(board)

    @asynccontextmanager
    async def _put(self, board: Any) -> AsyncIterator[None]:
        for each in self.per_board:
            board.register(each)
        yield


async def accept(lock: Path, *plugins: object, name: str = "mail") -> LockReport:
    """Accept plugins under this name as they are now, and whatever else is in the lock file."""
    async with Host(Config(lock=lock, accept=True), discover=False) as host:
        for each in plugins:
            await host.load(each, name=name)
        await host.board("seen")
        return await host.lock()


async def accept_installed(lock: Path, **config: Any) -> LockReport:
    """Accept every installed plugin as it is now."""
    async with Host(Config(lock=lock, accept=True, **config)) as host:
        return await host.lock()

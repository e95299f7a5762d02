"""Hosts with the plugin, tools of several owners, and somebody who answers."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pegboard_permissions
import pytest
from pegboard import JSON, ApprovalRequest, Board, Config, Host, Tool, hookimpl

ANY: JSON = {"type": "object", "additionalProperties": True}


def _tool(name: str) -> Tool:
    return Tool(name=name, parameters=ANY, run=lambda arguments, context: name)


@attrs.define
class People:
    """Who is asked.

    Attributes:
        answer: what they say.
        asked: what they were asked, in order.
    """

    answer: Any = "once"
    asked: list[ApprovalRequest] = attrs.field(factory=list)

    @hookimpl
    def pegboard_approve(self, request: ApprovalRequest) -> Any:
        """Answer."""
        self.asked.append(request)
        return self.answer


class Tools:
    """A plugin with tools that do nothing."""

    def __init__(self, *names: str) -> None:
        self._names = names

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """The tools."""
        return [_tool(name) for name in self._names]


@attrs.define
class Desk:
    """A host with the plugin, and how calls on it end.

    Attributes:
        host: the host; its plugin `files` has the tools `read` and `write`, `shell` has `run`.
        people: who is asked.
    """

    host: Host
    people: People

    async def ends(self, tool: str, board: str | Board = "one", **arguments: JSON) -> str:
        """`ok`, or the code of the failure."""
        if isinstance(board, str):
            board = await self.host.board(board)
        outcome = await board.call(tool, arguments)
        return str(outcome.code) if outcome.is_error else "ok"


@pytest.fixture
def desk() -> Callable[..., AbstractAsyncContextManager[Desk]]:
    """Gives desks, each with settings of its own, to enter with `async with`."""

    @asynccontextmanager
    async def standing(config: Config | None = None, **settings: Any) -> AsyncIterator[Desk]:
        async with Host(config, discover=False) as host:
            people = People()
            await host.load(Tools("read", "write"), name="files")
            await host.load(Tools("run"), name="shell")
            await host.load(people, name="people")
            await host.load(pegboard_permissions, name="permissions", settings=settings)
            yield Desk(host, people)

    return standing


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where answers are kept; there is no such file yet."""
    return tmp_path / "permissions.toml"

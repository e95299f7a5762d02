"""Tools that are served, the clients that reach them, and what those are told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp_types import ElicitResult, ToolListChangedNotification
from pegboard import (
    Audio,
    Board,
    Host,
    Image,
    Resource,
    RunContext,
    Text,
    Tool,
    ToolAnnotations,
    ToolError,
    tool,
)

ERAS = ("legacy", "auto")
"""The modes of a client for the eras with and without a handshake."""
eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])
"""Marks a test that holds in both."""


@tool(title="Echo", annotations=ToolAnnotations(read_only=True))
async def echo(value: str) -> str:
    """Give back."""
    return value


@tool
async def count(n: int) -> dict[str, int]:
    """Count to a number."""
    return {"n": n}


@tool
async def fail(value: str) -> dict[str, int]:
    """Fail."""
    raise ToolError(value, details={"n": 1})


@tool
async def steps(context: RunContext) -> str:
    """Go in steps."""
    for done in (0, 50, 100):
        context.report(done, 100, f"{done} %")
    return "done"


@tool(output="any")
async def blocks() -> list[Any]:
    """Give a block of each kind."""
    return [
        Text("words"),
        Image("iVBORw0KGgo=", "image/png"),
        Audio("UklGRg==", "audio/wav"),
        Resource("test://words", mime_type="text/plain", text="inside"),
        Resource("test://bytes", data="aGk="),
        Resource("test://elsewhere/page"),
    ]


TOOLS: tuple[Tool, ...] = (echo, count, fail, steps, blocks)


@asynccontextmanager
async def board_with(*tools: Tool, name: str = "desk") -> AsyncIterator[tuple[Host, Board]]:
    """A host and its board, with some tools."""
    async with Host(discover=False) as host:
        for each in tools:
            host.register(each)
        yield host, await host.board(name)


@attrs.define(eq=False)
class Told:
    """What a client was told of changes of the list.

    Attributes:
        times: how often.
    """

    times: int = 0
    _happened: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def take(self, message: object) -> None:
        """Take a message of the handshake era."""
        if isinstance(message, ToolListChangedNotification):
            self.note()

    def note(self) -> None:
        """Note that it was told."""
        self.times += 1
        self._happened.set()

    async def again(self) -> None:
        """Wait until it is told once more."""
        async with asyncio.timeout(20):
            await self._happened.wait()
        self._happened.clear()


@asynccontextmanager
async def listening(target: Any, mode: str, **options: Any) -> AsyncIterator[tuple[Client, Told]]:
    """A client that is told of changes, in the way of its era."""
    told = Told()
    if mode == "legacy":
        async with Client(target, mode=mode, message_handler=told.take, **options) as client:
            await asyncio.sleep(0.05)  # until its stream for what nobody asked for is open
            yield client, told
        return
    async with (
        Client(target, mode=mode, **options) as client,
        client.listen(tools_list_changed=True) as subscription,
    ):

        async def follow() -> None:
            async for _ in subscription:
                told.note()

        following = asyncio.create_task(follow())
        try:
            yield client, told
        finally:
            following.cancel()
            await asyncio.wait([following])


async def names(client: Client) -> list[str]:
    """The names of the tools that a client sees now."""
    listed = await client.list_tools(cache_mode="bypass")
    return [each.name for each in listed.tools]


def texts(result: Any) -> str:
    """The texts of a result."""
    return "\n".join(each.text for each in result.content if each.type == "text")


@attrs.define(eq=False)
class Person:
    """Who fills in the forms of a client.

    Attributes:
        action: what is done with each.
        content: what is written into it.
        asked: the messages of all of them.
    """

    action: str = "accept"
    content: dict[str, Any] | None = None
    asked: list[str] = attrs.field(factory=list)

    async def fill(self, context: ClientRequestContext, params: Any) -> ElicitResult:
        """Fill in one."""
        self.asked.append(params.message)
        return ElicitResult.model_validate({"action": self.action, "content": self.content})


Ended = Callable[..., None]


def wire(model: Any) -> Any:
    """A message as it goes over the wire."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)

"""What the tests of wrappers share: hooks that wrap, and what stands inside them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import attrs
from pegboard import Tool
from pegboard_cases import raw
from pegboard_policies import Work

Next = Callable[..., Any]
Wrap = Callable[[Next], Awaitable[Any]]

CHAINS = ("before", "around", "after")


def wrapping(chain: str, wrap: Wrap) -> Callable[..., Any]:
    """A hook of a chain that wraps, of what it does with its `call_next`."""
    if chain == "after":

        async def after(execution: Any, outcome: Any, call_next: Next) -> Any:
            return await wrap(call_next)

        return after

    async def other(execution: Any, call_next: Next) -> Any:
        return await wrap(call_next)

    return other


async def passing_on(call_next: Next) -> Any:
    """Let what is inside happen, and nothing else."""
    return await call_next()


def inside(chain: str, run: Callable[[], Awaitable[Any]]) -> tuple[Tool, dict[str, Any]]:
    """Something that happens inside the wrappers of a chain: a tool `inner`, and plain hooks."""

    async def body(arguments: Any, context: Any) -> str:
        await run()
        return "done"

    async def hook() -> None:
        await run()

    if chain == "around":
        return raw(body, name="inner"), {}
    return raw(Work().run, name="inner"), {f"{chain}_call": hook}


@attrs.define
class Stubborn:
    """Code that goes on when it is cancelled, until the test lets it end.

    Attributes:
        started: set when it runs.
        released: lets it end.
    """

    started: asyncio.Event = attrs.field(factory=asyncio.Event)
    released: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def run(self) -> None:
        """Go on."""
        self.started.set()
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                continue

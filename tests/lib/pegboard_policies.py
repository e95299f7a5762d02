"""What the tests of a call's stages share: a host with its board, plugins of hooks, held bodies."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs
from pegboard import (
    JSON,
    Board,
    Code,
    Config,
    Execution,
    Failure,
    Host,
    Outcome,
    Output,
    RunContext,
    Success,
    Tool,
    hookimpl,
)
from pegboard_cases import raw

PATIENCE = 5.0
"""Seconds that a test waits for what has to happen; never a measure."""

TEXT: JSON = {"type": "string"}


@asynccontextmanager
async def standing(*tools: Tool, config: Config | None = None) -> AsyncIterator[tuple[Host, Board]]:
    """An open host on whose global layer these tools stand, and a board of it."""
    async with Host(config, discover=False) as host:
        for each in tools:
            host.register(each)
        yield host, await host.board("case")


def plugin(**hooks: Callable[..., Any]) -> object:
    """A plugin with these hook implementations, by their names without `pegboard_`."""
    marked = {f"pegboard_{name}": staticmethod(hookimpl(each)) for name, each in hooks.items()}
    return type("Plugin", (), marked)()


def plugin_with(*tools: Tool, **hooks: Callable[..., Any]) -> object:
    """The same, with tools."""
    return plugin(tools=lambda: list(tools), **hooks)


def noting(log: list[str], word: str, answer: Any = None) -> Callable[[], Any]:
    """A hook, of any kind but around, that notes that it was asked and gives this."""

    def noted() -> Any:
        log.append(word)
        return answer

    return noted


def raising(error: BaseException) -> Callable[[], Any]:
    """A hook of any kind that raises."""

    def fail() -> Any:
        raise error

    return fail


def passing(log: list[str], word: str) -> Callable[..., Any]:
    """An around hook that notes when it goes in and when it comes out."""

    async def around(call_next: Callable[..., Any]) -> Any:
        log.append(f"{word}-in")
        outcome = await call_next()
        log.append(f"{word}-out")
        return outcome

    return around


@attrs.define
class Work:
    """A tool `work` that notes the calls that reached its body.

    Attributes:
        gives: what its body gives.
        ran: the ids of those calls.
    """

    gives: Any = "done"
    ran: list[str] = attrs.field(factory=list)

    async def run(self, arguments: JSON, context: RunContext) -> Any:
        """Note the call."""
        self.ran.append(context.call_id)
        return self.gives

    def tool(self, *, output: JSON = None, **options: Any) -> Tool:
        """The tool."""
        options = {"extra": "keep"} | options
        return raw(self.run, name="work", output=Output(output), **options)


@attrs.define
class Held:
    """A tool `held` whose body waits until the test lets it go.

    Attributes:
        ends: what it does once it was cancelled: `stops`, or `goes on` until it is let go.
        started: set when a body runs.
        released: lets bodies go.
        left: what bodies did at their end.
    """

    ends: str = "stops"
    started: asyncio.Event = attrs.field(factory=asyncio.Event)
    released: asyncio.Event = attrs.field(factory=asyncio.Event)
    left: list[str] = attrs.field(factory=list)

    async def run(self, arguments: JSON, context: RunContext) -> str:
        """Wait."""
        self.started.set()
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                self.left.append("cancelled")
                if self.ends == "stops":
                    raise
        self.left.append("ended")
        return "late"

    def tool(self, **options: Any) -> Tool:
        """The tool."""
        return raw(self.run, name="held", **options)


@contextmanager
def gate() -> Iterator[threading.Event]:
    """An event that threads may wait for; it is set when the block is left."""
    event = threading.Event()
    try:
        yield event
    finally:
        event.set()


def kind(outcome: Outcome) -> str:
    """The code of a failure, or `ok`."""
    return str(outcome.code) if isinstance(outcome, Failure) else "ok"


def failed(outcome: Outcome, code: Code) -> Failure:
    """The failure, which has this code and a message."""
    assert isinstance(outcome, Failure)
    assert outcome.code is code, outcome.message
    assert outcome.message.strip()
    return outcome


def succeeded(outcome: Outcome) -> Success:
    """The success that this has to be."""
    assert isinstance(outcome, Success), getattr(outcome, "message", "")
    return outcome


def made(execution: Execution, value: Any, **rest: Any) -> Success:
    """A success that a hook makes by itself."""
    return Success(execution.call_id, execution.tool, value, **rest)


def shown(value: object) -> str:
    """A value as the id of a test, the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


async def until(condition: Callable[[], object]) -> None:
    """Let the loop turn until something has come true."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


async def turns(number: int) -> None:
    """Let the loop turn that often."""
    for _ in range(number):
        await asyncio.sleep(0)

"""A code runtime of the tests: a program is a coroutine function that the test gives."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import attrs
from pegboard import (
    JSON,
    Board,
    Config,
    Dispatch,
    Execution,
    Host,
    Outcome,
    ProgramLimits,
    ProgramOutput,
    ProgramResult,
    Sdk,
    Signal,
    Tool,
    ToolCall,
    hookimpl,
)

LATE = 0.2
"""Seconds for what the host waits for in vain."""


@attrs.frozen(eq=False)
class Inside:
    """What a program of a test can do.

    Attributes:
        code: what the model wrote.
        sdk: what it may call.
        dispatch: makes a call.
        limits: what it may use.
        output: prints.
    """

    code: str
    sdk: Sdk
    dispatch: Dispatch
    limits: ProgramLimits
    output: ProgramOutput

    def make(self, name: str, **arguments: JSON) -> Awaitable[JSON]:
        """Make a call; awaiting what this gives is for its value."""
        return self.dispatch(name, arguments)


Body: TypeAlias = Callable[[Inside], Awaitable[object]]


@attrs.define(eq=False)
class Runtime:
    """A plugin whose code runtime runs the body that it was made with, whatever the model wrote.

    Attributes:
        body: the program; what it gives is its result, or the `ProgramResult` that it makes.
        ran: what the model wrote, of each program.
    """

    body: Body
    ran: list[str] = attrs.field(factory=list)

    @hookimpl
    def pegboard_code_runtime(self) -> "Runtime":
        """Give itself."""
        return self

    async def run(
        self,
        program: str,
        sdk: Sdk,
        dispatch: Dispatch,
        limits: ProgramLimits,
        output: ProgramOutput,
    ) -> ProgramResult:
        """Run the body."""
        self.ran.append(program)
        value = await self.body(Inside(program, sdk, dispatch, limits, output))
        return value if isinstance(value, ProgramResult) else ProgramResult(value, is_given=True)


async def nothing(_: Inside) -> None:
    """A program that does nothing."""


def asked(call_id: str = "p", code: str = "program") -> ToolCall:
    """A call of `run_code`."""
    return ToolCall(call_id, "run_code", {"description": "A test.", "code": code})


async def running(board: Board, call_id: str = "p", **options: Any) -> Outcome:
    """The outcome of a program."""
    return await board.call(asked(call_id), **options)


@asynccontextmanager
async def coded(
    body: Body,
    *tools: Tool,
    config: Config | None = None,
    presentation: str | None = "code",
) -> AsyncIterator[tuple[Host, Board]]:
    """An open host whose programs are this body, and a board that offers them.

    The runtime is the plugin `runtime`, and its tools stand on the global layer.
    """
    async with Host(config, discover=False) as host:
        await host.load(Runtime(body), name="runtime")
        for each in tools:
            host.register(each)
        yield host, await host.board("case", presentation=presentation)


@attrs.define
class Seen:
    """An observer that keeps the executions and outcomes of all calls, as they finish.

    Attributes:
        finished: in their order.
    """

    finished: list[tuple[Execution, Outcome]] = attrs.field(factory=list)

    def on(self, host: Host) -> None:
        """Observe the calls of a host."""
        host.hook(call_finished=self._note)

    def _note(self, execution: Execution, outcome: Outcome) -> None:
        self.finished.append((execution, outcome))

    @property
    def ids(self) -> list[str]:
        """The ids of the calls, in the order in which they finished."""
        return [outcome.call_id for _, outcome in self.finished]


async def waiting(_: Inside) -> None:
    """A program that waits for ever."""
    await asyncio.Event().wait()


@attrs.define
class Stubborn:
    """A program that doesn't stop before the test lets it go.

    Attributes:
        started: set when it runs.
        released: lets it go.
        told: how often it was told to stop.
    """

    started: asyncio.Event = attrs.field(factory=asyncio.Event)
    released: asyncio.Event = attrs.field(factory=asyncio.Event)
    told: int = 0

    async def run(self, _: Inside) -> str:
        """Go on, whatever it is told."""
        self.started.set()
        while not self.released.is_set():
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                self.told += 1
        return "late"


Stop: TypeAlias = Callable[[Host, Board, Signal], Awaitable[object]]
"""One way to stop a program that runs."""


async def by_signal(host: Host, board: Board, signal: Signal) -> None:
    """Cancel the call."""
    signal.cancel("enough")


async def by_the_board(host: Host, board: Board, signal: Signal) -> None:
    """Stop what runs on the board."""
    await board.cancel("enough")


async def by_closing_the_board(host: Host, board: Board, signal: Signal) -> None:
    """Close the board."""
    await board.close(grace=0)


async def by_closing_the_host(host: Host, board: Board, signal: Signal) -> None:
    """Close the host."""
    await host.close(grace=0)


async def by_draining(host: Host, board: Board, signal: Signal) -> None:
    """Have the host take no more calls."""
    await host.drain(grace=0)


async def by_unloading_the_runtime(host: Host, board: Board, signal: Signal) -> None:
    """Unload what runs programs."""
    await host.unload("runtime", grace=0)


STOPS: list[Stop] = [
    by_signal,
    by_the_board,
    by_closing_the_board,
    by_closing_the_host,
    by_draining,
    by_unloading_the_runtime,
]

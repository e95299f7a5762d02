"""A thousand callers of one limited tool, in every way, while everything around it changes."""

import asyncio
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import attrs
from pegboard import (
    Ask,
    Board,
    Host,
    Outcome,
    RunContext,
    Signal,
    Success,
    Tool,
    ToolCall,
    ToolError,
)
from pegboard_cases import raw
from pegboard_limits import Clock
from pegboard_policies import plugin_with, turns

WAVES = (0,) * 7 + (1, 2, 3)
"""After how many exchanges a caller comes; most come at once."""
WAYS = ("single", "single", "batch", "nested", "cancelled", "torn")
FATES = ("passes", "passes", "passes", "fails", "retried", "refused", "approved", "rejected")


@attrs.define
class Crowd:
    """What the callers do, and what was seen of it.

    Attributes:
        random: decides.
        clock: the time of the limits.
        ran: the ids of the calls whose bodies ran, by board.
        begun: when the first body of each began.
        going: how many bodies run, by board.
        peak: how many ran at once, at most.
        kinds: how the calls ended.
        tries: how often the body of each call ran.
        upsets: one for each time that everything around them was exchanged, set by then.
    """

    random: Random
    clock: Clock
    ran: dict[str, set[str]] = attrs.field(factory=dict)
    begun: list[tuple[float, str]] = attrs.field(factory=list)
    going: Counter[str] = attrs.field(factory=Counter)
    peak: Counter[str] = attrs.field(factory=Counter)
    kinds: Counter[str] = attrs.field(factory=Counter)
    tries: Counter[str] = attrs.field(factory=Counter)
    upsets: list[asyncio.Event] = attrs.field(factory=lambda: [asyncio.Event() for _ in range(4)])

    async def body(self, arguments: Any, context: RunContext) -> str:
        """Note the call, and take some time."""
        board, call_id = context.board, context.call_id
        if call_id not in self.ran.setdefault(board, set()):
            self.ran[board].add(call_id)
            self.begun.append((self.clock.now, board))
        self.tries[call_id] += 1
        self.going[board] += 1
        self.peak[board] = max(self.peak[board], self.going[board])
        try:
            await turns(arguments.get("turns", 0))
        finally:
            self.going[board] -= 1
        fate = arguments.get("fate")
        if fate == "fails" or (fate == "retried" and self.tries[call_id] < 3):
            raise ToolError("not now")
        return call_id

    def tools(self) -> list[Tool]:
        """The limited tool, and one that calls it."""

        async def outer(arguments: Any, context: RunContext) -> None:
            for _ in range(2):
                self._note(await context.call("body", arguments))

        return [
            raw(self.body, name="body", extra="keep", concurrency_safe=True),
            raw(outer, name="outer", extra="keep", concurrency_safe=True),
        ]

    async def call(self, board: Board, call_id: str) -> None:
        """Make a call in some way."""
        await self.upsets[self.random.choice(WAVES)].wait()
        await turns(self.random.randrange(60))
        self.clock.now += self.random.choice((0, 0, 0, 0.4))
        arguments = {"fate": self.random.choice(FATES), "turns": self.random.randrange(5)}
        match self.random.choice(WAYS):
            case "batch":
                ids = [f"{call_id}-{number}" for number in range(3)]
                for each in await board.run([ToolCall(one, "body", arguments) for one in ids]):
                    self._note(each)
            case "nested":
                await board.call("outer", arguments, id=call_id)
            case "cancelled":
                signal = Signal()
                making = board.call("body", arguments, id=call_id, signal=signal)
                task = asyncio.ensure_future(making)
                await turns(self.random.randrange(8))
                signal.cancel()
                self._note(await task)
            case "torn":
                task = asyncio.ensure_future(board.call("body", arguments, id=call_id))
                await turns(self.random.randrange(8))
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            case _:
                self._note(await board.call("body", arguments, id=call_id))

    def _note(self, outcome: Outcome) -> None:
        self.kinds["ok" if isinstance(outcome, Success) else str(outcome.code)] += 1

    async def around(self, call_next: Any) -> Outcome:
        """Try again what failed."""
        for _ in range(2):
            outcome: Outcome = await call_next()
            if isinstance(outcome, Success) or outcome.code != "tool_error":
                return outcome
            await turns(1)
        last: Outcome = await call_next()
        return last

    async def before(self, execution: Any) -> Ask | None:
        """Have somebody asked about some calls."""
        return Ask() if execution.arguments.get("fate") in ("approved", "rejected") else None

    async def approve(self, request: Any) -> str:
        """Answer after a while."""
        await turns(3)
        return "once" if request.arguments.get("fate") == "approved" else "rejected"

    async def guard(self, execution: Any) -> str | None:
        """Refuse some calls late."""
        await turns(2)
        return "no" if execution.arguments.get("fate") == "refused" else None

    def watch(self, host: Host) -> None:
        """Have every policy stand."""
        host.hook(around_call=self.around, before_call=self.before, approve=self.approve)
        host.guard(self.guard)


async def upset(host: Host, crowd: Crowd, again: Callable[[], Any], *, over: asyncio.Event) -> None:
    """Exchange the limits, their figures and the tool, until all is over."""
    rest = crowd.upsets
    rest[0].set()
    while not over.is_set():
        await host.reload("limits")
        await turns(5)
        await host.unload("it", grace=1)
        await host.load(plugin_with(*crowd.tools()), name="it")
        await turns(5)
        await host.sync(again())
        await turns(5)
        rest[0].set()
        rest = rest[1:] or rest


async def rush(host: Host, crowd: Crowd, boards: list[Board], again: Callable[[], Any]) -> None:
    """Have a thousand callers call at once."""
    crowd.watch(host)
    await host.load(plugin_with(*crowd.tools()), name="it")
    over = asyncio.Event()
    upsetting = asyncio.ensure_future(upset(host, crowd, again, over=over))
    callers = [
        crowd.call(boards[number % len(boards)], f"call-{number}") for number in range(1_000)
    ]
    async with asyncio.timeout(60):
        await asyncio.gather(*callers)
        over.set()
        await upsetting

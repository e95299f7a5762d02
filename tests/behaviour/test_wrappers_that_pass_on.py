"""A wrapper that only passes on changes nothing, wherever it stands among others."""

import asyncio
from collections.abc import Callable
from typing import Any

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import JSON, RunContext, Signal
from pegboard_cases import raw
from pegboard_house.profiles import searched
from pegboard_policies import made, standing
from pegboard_wrappers import Next, passing_on, wrapping

KINDS = ("time-out and retry", "time-out and fallback", "signal and retry")


@attrs.define
class Attempts:
    """Wrappers that give up on an attempt when its body says so, and that body.

    Attributes:
        script: which wrapper gives up on each attempt; where it can't, or the script has ended,
            the body gives the attempt's number.
        suspends: whether the body and the wrappers suspend on their way.
        armed: how to have a wrapper give up, for those that wait now.
        log: the numbers of the attempts that began, and `-n` for those that were stopped.
    """

    script: list[str]
    suspends: bool
    armed: dict[str, Callable[[], object]] = attrs.field(factory=dict)
    log: list[int] = attrs.field(factory=list)

    async def body(self, arguments: JSON, context: RunContext) -> int:
        """End at once, or once somebody has given up on it."""
        number = 1 + sum(each > 0 for each in self.log)
        self.log.append(number)
        context.defer(number)
        await self.rest()
        give_up = self.armed.pop("".join(self.script[number - 1 : number]), None)
        if give_up is not None:
            give_up()
            try:
                await asyncio.Event().wait()
            finally:
                self.log.append(-number)
        return number

    async def rest(self) -> None:
        """Suspend, where that is asked for."""
        if self.suspends:
            await asyncio.sleep(0)

    def wrapper(self, kind: str) -> Callable[..., Any]:
        """A wrapper of one kind."""
        if kind == "signal and retry":
            return wrapping("around", self.signalling)
        if kind == "time-out and retry":
            return wrapping("around", self.retrying)
        return self.falling_back

    async def retrying(self, call_next: Next) -> Any:
        """Try once more after a time-out."""
        try:
            return await self.in_time("time-out and retry", call_next)
        except TimeoutError:
            await self.rest()
            return await call_next()

    async def falling_back(self, execution: Any, call_next: Next) -> Any:
        """Give something else after a time-out."""
        try:
            return await self.in_time("time-out and fallback", call_next)
        except TimeoutError:
            await self.rest()
            return made(execution, -1)

    async def in_time(self, kind: str, call_next: Next) -> Any:
        """What is inside, unless the body has the time-out come first."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as limit:
                self.armed[kind] = lambda: limit.reschedule(loop.time())
                return await call_next()
        finally:
            self.armed.pop(kind, None)

    async def signalling(self, call_next: Next) -> Any:
        """Try once more after a signal of its own."""
        signal = Signal()
        self.armed["signal and retry"] = lambda: signal.cancel("give up")
        outcome = await call_next(signal=signal)
        self.armed.pop("signal and retry", None)
        if not signal.cancelled:
            return outcome
        await self.rest()
        return await call_next()


async def ends(attempts: Attempts, wrappers: list[Callable[..., Any]]) -> tuple[Any, ...]:
    """How a call inside these wrappers ends, and what its body did."""
    async with standing(raw(attempts.body, name="tried", output=None)) as (host, board):
        for each in wrappers:
            host.hook(around_call=each)
        outcome = await board.call("tried", id="c")
        assert host.running == ()
    return outcome, outcome.contexts, attempts.log


@given(
    order=st.permutations(KINDS),
    count=st.integers(1, 3),
    script=st.lists(st.sampled_from(KINDS), max_size=4),
    suspends=st.booleans(),
    places=st.lists(st.integers(0, 3), min_size=1, max_size=3),
)
@settings(max_examples=searched(400, 80))
async def test_a_wrapper_that_only_passes_on_changes_nothing_wherever_it_stands(
    order: list[str], count: int, script: list[str], suspends: bool, places: list[int]
) -> None:
    plain, mixed = Attempts(script, suspends), Attempts(script, suspends)
    others = [mixed.wrapper(each) for each in order[:count]]
    for place in places:
        others.insert(place, wrapping("around", passing_on))

    alone = await ends(plain, [plain.wrapper(each) for each in order[:count]])
    among = await ends(mixed, others)

    assert among == alone


@given(
    order=st.permutations(KINDS),
    script=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
    suspends=st.booleans(),
)
@settings(max_examples=searched(200, 40))
async def test_an_attempt_has_stopped_before_the_next_one_begins(
    order: list[str], script: list[str], suspends: bool
) -> None:
    attempts = Attempts(script, suspends)

    outcome, contexts, log = await ends(attempts, [attempts.wrapper(each) for each in order])

    stopped = [number for number in range(1, len(log)) if -number in log]
    assert all(log.index(-number) == log.index(number) + 1 for number in stopped)
    assert contexts == (max(log),)
    assert outcome.value == (-1 if -max(log) in log else max(log))

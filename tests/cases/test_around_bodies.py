"""The cases of section Around hooks: signals, bodies that run elsewhere, and time."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import (
    JSON,
    Code,
    Config,
    Deny,
    Execution,
    Outcome,
    Output,
    RunContext,
    Signal,
    Text,
    ToolError,
    tool,
)
from pegboard_cases import raw
from pegboard_policies import (
    PATIENCE,
    Work,
    failed,
    kind,
    noting,
    raising,
    shown,
    standing,
    succeeded,
)

Next = Callable[..., Any]


async def test_p_114_a_body_sees_exactly_the_cancelling_of_its_caller() -> None:
    signal, seen = Signal(), []

    async def body(arguments: JSON, context: RunContext) -> None:
        seen.append((context.signal.cancelled, context.signal.reason))
        signal.cancel("enough")
        seen.append((context.signal.cancelled, context.signal.reason))

    async with standing(raw(body)) as (_, board):
        outcome = await board.call("raw", signal=signal)

    assert failed(outcome, Code.ABORTED).message == "enough"
    assert seen == [(False, None), (True, "enough")]


async def test_p_114_another_callers_signal_is_not_its_own() -> None:
    other = Signal()

    async def body(arguments: JSON, context: RunContext) -> bool:
        other.cancel()
        return context.signal.cancelled

    async with standing(raw(body)) as (_, board):
        outcome = await board.call("raw", signal=Signal())

    assert succeeded(outcome).value is False


@pytest.mark.parametrize("cancelled", ["the wrapper's", "the caller's"])
async def test_p_115_after_hooks_see_the_callers_signal_and_the_body_sees_both(
    cancelled: str,
) -> None:
    caller, front, after, inside = Signal(), Signal(), [], []

    async def around(call_next: Next) -> Outcome:
        outcome: Outcome = await call_next(signal=front)
        front.cancel("over")
        return outcome

    async def body(arguments: JSON, context: RunContext) -> None:
        (front if cancelled == "the wrapper's" else caller).cancel("now")
        inside.append(context.signal.cancelled)

    async with standing(raw(body)) as (host, board):
        host.hook(around_call=around, after_call=lambda execution: after.append(execution.signal))
        outcome = await board.call("raw", signal=caller)

    assert failed(outcome, Code.ABORTED)
    assert (after, inside) == ([caller], [True])
    assert caller.cancelled == (cancelled == "the caller's")


async def test_p_115_a_signal_that_is_left_in_front_reaches_nothing_later() -> None:
    caller, front, after = Signal(), Signal(), []

    async def around(call_next: Next) -> Outcome:
        outcome: Outcome = await call_next(signal=front)
        front.cancel("over")
        return outcome

    async with standing(Work().tool()) as (host, board):
        host.hook(around_call=around, after_call=lambda execution: after.append(execution.signal))
        outcome = await board.call("work", signal=caller)

    assert kind(outcome) == "ok"
    assert [each.cancelled for each in after] == [False]
    assert after[0] is caller


class Elsewhere:
    """A `run_body` hook that runs every body at another place."""

    def __init__(self, gives: Any = None) -> None:
        self.gives = gives
        self.ran: list[Any] = []

    def hook(self, execution: Execution, tool: Any) -> Callable[..., Any]:
        """Give what runs it."""
        return self.run

    async def run(self, arguments: JSON, context: RunContext) -> Any:
        """Run it."""
        await asyncio.sleep(0)
        self.ran.append(arguments)
        return arguments["n"] + 1 if self.gives is None else self.gives


HERE: list[int] = []


@tool(output=Output(render=lambda arguments, value: [Text(f"<{value}>")]), timeout=5.0)
async def count(n: int, step: float = 1) -> int:
    """Count here."""
    HERE.append(n)
    return n


async def test_p_116_a_callable_runs_in_place_of_the_body_and_its_value_is_projected() -> None:
    elsewhere, policies = Elsewhere(), []
    HERE.clear()
    async with standing(count) as (host, board):
        host.hook(run_body=elsewhere.hook, before_call=noting(policies, "before"))
        host.hook(after_call=noting(policies, "after"))
        outcome = succeeded(await board.call("count", {"n": 3, "zz": 1}))

    assert (outcome.value, outcome.content) == (4, (Text("<4>"),))
    assert [(each["n"], type(each["n"])) for each in elsewhere.ran] == [(3, int)]
    assert (HERE, policies) == ([], ["before", "after"])


async def test_p_116_arguments_and_policies_are_checked_before_it() -> None:
    elsewhere = Elsewhere()
    async with standing(count) as (host, board):
        host.hook(run_body=elsewhere.hook)
        invalid = await board.call("count", {"n": "3"})
        host.hook(before_call=lambda: Deny("no"))
        denied = await board.call("count", {"n": 3})

    assert [kind(invalid), kind(denied)] == ["invalid_arguments", "denied"]
    assert elsewhere.ran == []


async def test_p_116_the_tools_time_limit_holds_for_it() -> None:
    left: list[str] = []

    async def hang(arguments: JSON, context: RunContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            left.append("left")

    async with standing(Work().tool(timeout=0.05)) as (host, board):
        host.hook(run_body=lambda: hang)
        outcome = await asyncio.wait_for(board.call("work"), PATIENCE)

    assert failed(outcome, Code.TIMED_OUT)
    assert left == ["left"]


async def test_p_116_it_has_the_context_of_the_call() -> None:
    async def body(arguments: JSON, context: RunContext) -> str:
        context.defer("n1")
        context.conclude()
        return context.call_id

    async with standing(Work().tool()) as (host, board):
        host.hook(run_body=lambda: body)
        outcome = succeeded(await board.call("work", id="c1"))

    assert (outcome.value, outcome.contexts, outcome.concludes) == ("c1", ("n1",), True)


async def test_p_117_a_body_runs_here_unless_a_hook_takes_it() -> None:
    work, elsewhere = Work(), Elsewhere("there")
    async with standing(work.tool(), count) as (host, board):
        host.hook(run_body=lambda tool: elsewhere.run if tool.name == "count" else None)
        here, there = await board.call("work"), await board.call("count", {"n": 1})

    assert (here.unwrap(), len(work.ran)) == ("done", 1)
    assert failed(there, Code.INVALID_OUTPUT)


@pytest.mark.parametrize("value", ["4", 4.5, [4], object(), {4}], ids=shown)
async def test_p_118_a_value_from_elsewhere_that_breaks_the_schema_is_invalid(value: Any) -> None:
    async with standing(count) as (host, board):
        host.hook(run_body=Elsewhere(value).hook)

        assert failed(await board.call("count", {"n": 3}), Code.INVALID_OUTPUT)


@pytest.mark.parametrize(
    ("hook", "code"),
    [
        (raising(RuntimeError("gate down")), Code.POLICY_FAILED),
        (raising(ToolError("gate down")), Code.POLICY_FAILED),
        (lambda: 3, Code.POLICY_FAILED),
        (lambda: lambda arguments, context: raising(RuntimeError("kettle"))(), Code.CRASHED),
        (lambda: lambda arguments, context: raising(ToolError("m"))(), Code.TOOL_ERROR),
    ],
    ids=["raises", "raises a ToolError", "gives a number", "crashes", "fails"],
)
async def test_p_118_what_the_hook_raises_is_a_policys_and_what_the_callable_raises_a_bodys(
    hook: Callable[..., Any], code: Code
) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(run_body=hook)

        assert failed(await board.call("work"), code)

    assert work.ran == []


@pytest.mark.parametrize("is_sync", [False, True], ids=["async", "sync"])
async def test_p_366_time_inside_call_next_is_not_the_hooks(is_sync: bool) -> None:
    async def around(call_next: Next) -> Outcome:
        await asyncio.sleep(0)
        outcome: Outcome = await call_next()
        await asyncio.sleep(0)
        return outcome

    async def slow(arguments: JSON, context: RunContext) -> str:
        await asyncio.sleep(0.2)
        return "done"

    def slow_in_a_thread(arguments: JSON, context: RunContext) -> str:
        time.sleep(0.2)
        return "done"

    config = Config(hook_timeout=0.05)
    async with standing(raw(slow_in_a_thread if is_sync else slow), config=config) as (host, board):
        host.hook(around_call=around)
        board.hook(around_call=around)

        assert kind(await board.call("raw")) == "ok"


async def test_p_366_a_before_hook_inside_has_a_limit_of_its_own() -> None:
    async def wrap(call_next: Next) -> None:
        await call_next()

    async def slow() -> None:
        await asyncio.sleep(0.12)

    async with standing(Work().tool(), config=Config(hook_timeout=0.3)) as (host, board):
        host.hook(before_call=wrap, after_call=wrap)
        for _ in range(3):
            board.hook(before_call=slow, after_call=slow)

        assert kind(await board.call("work")) == "ok"


async def test_p_367_each_attempt_has_the_whole_limit() -> None:
    attempts: list[int] = []

    async def body(arguments: JSON, context: RunContext) -> int:
        attempts.append(1)
        await asyncio.sleep(0.2)
        return len(attempts)

    async def around(call_next: Next) -> Outcome:
        for _ in range(2):
            await call_next()
        outcome: Outcome = await call_next()
        return outcome

    async with standing(raw(body, timeout=0.5)) as (host, board):
        host.hook(around_call=around)

        assert succeeded(await board.call("raw")).value == 3


async def test_p_367_an_attempt_that_timed_out_may_be_tried_again() -> None:
    attempts: list[str] = []

    async def body(arguments: JSON, context: RunContext) -> int:
        attempts.append(context.call_id)
        while len(attempts) == 1:
            await asyncio.sleep(5)
        return len(attempts)

    async def around(call_next: Next) -> Outcome:
        first = await call_next()
        assert failed(first, Code.TIMED_OUT)
        outcome: Outcome = await call_next()
        return outcome

    async with standing(raw(body, timeout=0.05)) as (host, board):
        host.hook(around_call=around)

        assert succeeded(await board.call("raw")).value == 2


async def test_p_367_the_deadline_is_no_part_of_the_chain_of_a_tool_without_a_limit() -> None:
    async with standing(Work().tool(), count) as (_, board):
        scope = board._scope
        chains = {
            name: scope.chains().of(scope.find(name), epoch=scope.epoch.number)
            for name in ("work", "count")
        }

    assert chains["work"].around == ()
    assert [each.kind for each in chains["count"].around] == ["pegboard_around_call"]

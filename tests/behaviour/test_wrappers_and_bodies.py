"""What a body may still do once its outcome is final, and what its surroundings can't do to it."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import (
    JSON,
    Ask,
    Code,
    Config,
    Outcome,
    PegboardError,
    RunContext,
    Signal,
    Tool,
    ToolError,
)
from pegboard_cases import raw
from pegboard_policies import (
    PATIENCE,
    Held,
    Work,
    failed,
    gate,
    plugin_with,
    standing,
    succeeded,
    until,
)
from pegboard_wrappers import CHAINS, passing_on, wrapping

MARK: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="untouched")


def blocking(started: list[str], let_go: threading.Event) -> Tool:
    """A sync tool `stuck` that stays in its thread until it is let go."""

    def run(arguments: JSON, context: RunContext) -> str:
        started.append(context.call_id)
        let_go.wait(PATIENCE)
        return "late"

    return raw(run, name="stuck", concurrency_safe=True)


def quick(name: str = "quick") -> Tool:
    """A sync tool that ends at once."""
    return raw(lambda arguments, context: "quick", name=name, concurrency_safe=True)


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_queued_calls_are_busy_once_every_thread_of_their_plugin_is_held(most: int) -> None:
    started: list[str] = []
    config = Config(max_threads=most, stop_grace=0.02)
    with gate() as let_go:
        async with standing(quick("elsewhere"), config=config) as (host, board):
            await host.load(plugin_with(blocking(started, let_go), quick()), name="stuck")
            signals = [Signal() for _ in range(most)]
            stuck = [asyncio.create_task(board.call("stuck", signal=each)) for each in signals]
            await until(lambda: len(started) == most)
            queued = [asyncio.create_task(board.call("quick")) for _ in range(3)]
            for signal, task in zip(signals, stuck, strict=True):
                assert not any(each.done() for each in queued)
                signal.cancel("enough")
                assert failed(await task, Code.ABORTED).details == {"still_running": True}
            outcomes = await asyncio.wait_for(asyncio.gather(*queued), PATIENCE)
            succeeded(await asyncio.wait_for(board.call("elsewhere"), PATIENCE))
            let_go.set()
            await until(lambda: not host.running)
            succeeded(await board.call("quick"))

    assert [failed(each, Code.BUSY).code for each in outcomes] == [Code.BUSY] * 3


def raising(arguments: JSON, outcome: Outcome) -> Any:
    """A projection that expects a success."""
    raise LookupError("no value")


def domain(arguments: JSON, context: RunContext) -> Any:
    """Fail as a tool does."""
    raise ToolError("not found", code="E_GONE", details={"n": 1})


def crashing(arguments: JSON, context: RunContext) -> Any:
    """Fail as no tool should."""
    raise ZeroDivisionError("by zero")


ALIKE: dict[str, tuple[Callable[..., Any], Code, JSON]] = {
    "a tool error": (domain, Code.TOOL_ERROR, {"n": 1, "code": "E_GONE"}),
    "a crash": (crashing, Code.CRASHED, None),
    "a wrong output": (lambda arguments, context: object(), Code.INVALID_OUTPUT, None),
}


@pytest.mark.parametrize("wrapped", [0, 2])
@pytest.mark.parametrize("failure", ALIKE)
async def test_a_projection_that_raises_leaves_a_failure_as_it_is(
    failure: str, wrapped: int
) -> None:
    run, code, details = ALIKE[failure]
    async with standing(raw(run, name="plain"), raw(run, name="own", project=raising)) as (
        host,
        board,
    ):
        for _ in range(wrapped):
            host.hook(around_call=wrapping("around", passing_on))

        plain = failed(await board.call("plain"), code)
        own = failed(await board.call("own"), code)

    assert (own.details, own.message) == (details, plain.message.replace("'plain'", "'own'"))


async def test_a_projection_that_raises_leaves_an_aborted_call_as_it_is() -> None:
    held, signal = Held(), Signal()
    async with standing(held.tool(project=raising)) as (_, board):
        task = asyncio.create_task(board.call("held", signal=signal))
        await held.started.wait()
        signal.cancel("enough")

        outcome = await asyncio.wait_for(task, PATIENCE)

    assert failed(outcome, Code.ABORTED).message == "enough"


@pytest.mark.parametrize("wrapped", [0, 2])
async def test_a_projection_that_raises_on_a_success_is_an_invalid_output(wrapped: int) -> None:
    async with standing(Work().tool(project=raising)) as (host, board):
        for _ in range(wrapped):
            host.hook(around_call=wrapping("around", passing_on))

        outcome = await board.call("work")

    assert failed(outcome, Code.INVALID_OUTPUT).message


@pytest.mark.parametrize("wrapped", [0, 2])
@pytest.mark.parametrize("hooks", [{}, {"call_finished": lambda: None}], ids=["alone", "observed"])
async def test_a_body_makes_no_call_once_its_outcome_is_final(
    hooks: dict[str, Any], wrapped: int
) -> None:
    kept: list[RunContext] = []
    work = Work()

    async def keep(arguments: JSON, context: RunContext) -> None:
        kept.append(context)

    async with standing(raw(keep, name="keep"), work.tool()) as (host, board):
        for _ in range(wrapped):
            host.hook(around_call=wrapping("around", passing_on))
        if hooks:
            host.hook(**hooks)
        await board.call("keep", id="c1")

        with pytest.raises(PegboardError, match="'c1' is final"):
            await kept[0].call("work")
        with pytest.raises(PegboardError, match="'c1' is final"):
            kept[0].defer("late")

        assert (host.running, work.ran) == ((), [])


async def test_an_attempt_that_was_given_up_makes_no_call_either() -> None:
    kept: list[RunContext] = []

    async def keep(arguments: JSON, context: RunContext) -> None:
        kept.append(context)
        if len(kept) > 1:
            await kept[0].call("work")

    async def again(call_next: Callable[..., Any]) -> Any:
        await call_next()
        return await call_next()

    work = Work()
    async with standing(raw(keep, name="keep"), work.tool()) as (host, board):
        host.hook(around_call=wrapping("around", again))

        outcome = await board.call("keep")

    assert (failed(outcome, Code.CRASHED).call_id, work.ran) == (outcome.call_id, [])


async def test_a_sync_body_that_makes_a_call_on_a_loop_of_its_own_is_told_why_it_cannot() -> None:
    errors: list[BaseException] = []

    def run(arguments: JSON, context: RunContext) -> str:
        try:
            asyncio.run(context.call("work"))
        except PegboardError as error:
            errors.append(error)
        return "told"

    work = Work()
    async with standing(raw(run, name="sync"), work.tool()) as (host, board):
        succeeded(await asyncio.wait_for(board.call("sync", id="c1"), PATIENCE))

        assert (host.running, work.ran) == ((), [])
    assert "'c1' can make calls on the loop of its host only" in str(errors[0])


def marking(log: list[str]) -> Callable[[], None]:
    """A sync hook that sets a context variable, and notes what it was."""

    def mark() -> None:
        log.append(MARK.get())
        MARK.set("touched")

    return mark


@pytest.mark.parametrize(
    "hook", ["before_call", "after_call", "call_finished", "guard", "run_body", "approve"]
)
async def test_a_variable_that_a_sync_hook_sets_does_not_reach_the_caller(hook: str) -> None:
    log: list[str] = []
    mark = marking(log)
    async with standing(Work().tool()) as (host, board):
        if hook == "guard":
            host.guard(lambda execution: mark())
        else:
            host.hook(**{hook: mark})
        if hook == "approve":
            host.hook(before_call=lambda: Ask("sure?"))
        for _ in range(2):
            await board.call("work")

    assert (MARK.get(), log) == ("untouched", ["untouched"] * 2)


@pytest.mark.parametrize("chain", CHAINS)
async def test_nor_one_that_a_wrapper_sets(chain: str) -> None:
    async def wrap(call_next: Callable[..., Any]) -> Any:
        MARK.set("touched")
        return await call_next()

    async with standing(Work().tool()) as (host, board):
        host.hook(**{f"{chain}_call": wrapping(chain, wrap)})
        succeeded(await board.call("work"))

    assert MARK.get() == "untouched"

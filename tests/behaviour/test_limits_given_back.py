"""What a call was counted as is given back where its body never ran, and its place exactly once."""

import asyncio
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from pegboard import Code, Outcome, RunContext, Signal, Success, ToolError, tool
from pegboard_cases import raw
from pegboard_limits import denied, limited, limiting, passes
from pegboard_policies import (
    Held,
    failed,
    gate,
    made,
    plugin_with,
    standing,
    succeeded,
    until,
)

ONE: dict[str, Any] = {"calls": 1, "per_minute": 1, "running": 1}


async def test_a_call_that_a_later_guard_refuses_doesn_t_count() -> None:
    async with limiting(ONE) as calls:
        calls.gated.is_open = True
        refusing = calls.board.guard(lambda execution: "no")
        for _ in range(3):
            assert await denied(calls.board) == "no"
        refusing.close()

        await passes(calls.board)


async def test_a_call_that_a_wrapper_answers_itself_doesn_t_count() -> None:
    async def answer(execution: Any, call_next: Any) -> Outcome:
        return made(execution, "mine")

    async with limiting(ONE) as calls:
        calls.gated.is_open = True
        answering = calls.board.hook(around_call=answer)
        for _ in range(3):
            await passes(calls.board)
        answering.close()

        await passes(calls.board)
        await denied(calls.board)


def even(_even: object, _field: object, value: int) -> None:
    if value % 2:
        raise ValueError("odd")


@attrs.frozen
class Even:
    """A number with a half."""

    number: int = attrs.field(validator=even)


@tool
async def half(of: Even) -> int:
    """Give the half."""
    return of.number // 2


async def test_a_call_whose_arguments_a_type_refuses_doesn_t_count() -> None:
    async with standing(half, config=limited(ONE)) as (_, board):
        for _ in range(3):
            failed(await board.call("half", {"of": {"number": 3}}), Code.INVALID_ARGUMENTS)

        await passes(board, "half", {"of": {"number": 4}})


async def test_a_call_that_is_cancelled_while_it_waits_for_a_thread_doesn_t_count() -> None:
    signal, ran = Signal(), []
    with gate() as let:

        def stay(arguments: Any, context: RunContext) -> str:
            ran.append(context.call_id)
            let.wait(30)
            return "done"

        config = limited({"calls": 2, "running": 2}, max_threads=1)
        async with standing(raw(stay, name="free"), config=config) as (_, board):
            first = asyncio.ensure_future(board.call("free", id="1"))
            await until(lambda: ran)
            second = asyncio.ensure_future(board.call("free", id="2", signal=signal))
            await asyncio.sleep(0.01)
            await denied(board)
            signal.cancel()
            failed(await second, Code.ABORTED_BEFORE_START)
            third = asyncio.ensure_future(board.call("free", id="3"))
            await asyncio.sleep(0.01)
            let.set()
            succeeded(await first)
            succeeded(await third)
            await denied(board)

    assert ran == ["1", "3"]


async def test_a_call_that_finds_every_thread_stuck_doesn_t_count() -> None:
    signal = Signal()
    with gate() as let:

        def stay(arguments: Any, context: RunContext) -> None:
            let.wait(30)

        config = limited({"calls": 2}, max_threads=1)
        async with standing(raw(stay, name="free"), config=config) as (_, board):
            first = asyncio.ensure_future(board.call("free", signal=signal))
            await asyncio.sleep(0.02)
            signal.cancel()
            failed(await first, Code.ABORTED)
            for _ in range(3):
                failed(await board.call("free"), Code.BUSY)
            let.set()
            await asyncio.sleep(0.05)

            await passes(board)
            await denied(board)


async def crash(arguments: Any, context: RunContext) -> None:
    raise ValueError


async def refuse(arguments: Any, context: RunContext) -> None:
    raise ToolError("no")


async def leave(arguments: Any, context: RunContext) -> None:
    raise SystemExit


async def lie(arguments: Any, context: RunContext) -> object:
    return object()


@pytest.mark.parametrize("body", [crash, refuse, leave, lie])
async def test_a_call_whose_body_fails_has_counted_and_gives_its_place_back(
    body: Callable[..., Any],
) -> None:
    config = limited({"calls": 3, "running": 1})
    async with standing(raw(body, name="free"), config=config) as (_, board):
        codes = [getattr(await board.call("free"), "code", None) for _ in range(4)]

    assert Code.DENIED not in codes[:3]
    assert codes[3] is Code.DENIED


async def test_a_caller_that_is_cancelled_gives_its_place_back() -> None:
    async with limiting({"running": 1}) as calls:
        await calls.start("1")
        calls.tasks[0].cancel()
        await asyncio.gather(*calls.tasks, return_exceptions=True)
        calls.gated.is_open = True

        await passes(calls.board)


async def test_a_body_that_doesn_t_stop_keeps_its_place_until_it_ends() -> None:
    held, signal = Held("goes on"), Signal()
    async with standing(held.tool(), config=limited({"running": 1}, stop_grace=0.02)) as (_, board):
        first = asyncio.ensure_future(board.call("held", signal=signal))
        await held.started.wait()
        signal.cancel()
        assert failed(await first, Code.ABORTED).details == {"still_running": True}

        await denied(board, "held")
        held.released.set()
        await until(lambda: "ended" in held.left)
        await passes(board, "held")


async def flaky(call_next: Any) -> Outcome:
    """Try three times."""
    for _ in range(2):
        outcome: Outcome = await call_next()
        if isinstance(outcome, Success):
            return outcome
        await asyncio.sleep(0)
    last: Outcome = await call_next()
    return last


async def test_a_retry_is_part_of_its_call_and_keeps_its_place() -> None:
    tries: list[str] = []

    async def third(arguments: Any, context: RunContext) -> str:
        tries.append(context.call_id)
        if tries.count(context.call_id) < 3:
            raise ToolError("not yet")
        return "done"

    async with standing(raw(third, name="free"), config=limited(ONE)) as (host, board):
        host.hook(around_call=flaky)
        outcomes = await asyncio.gather(board.call("free", id="1"), board.call("free", id="2"))

    assert [each.is_error for each in outcomes] == [False, True]
    assert tries == ["1"] * 3


async def test_a_retry_needs_a_place_of_its_own_while_the_body_before_goes_on() -> None:
    held = Held("goes on")

    async def retry(call_next: Any) -> Outcome:
        front = Signal()
        asyncio.get_running_loop().call_later(0.01, front.cancel)
        await call_next(signal=front)
        outcome: Outcome = await call_next()
        return outcome

    async with standing(held.tool(), config=limited({"running": 1})) as (host, board):
        retrying = host.hook(around_call=retry)
        refused = failed(await board.call("held"), Code.DENIED)
        retrying.close()
        held.released.set()
        await until(lambda: "ended" in held.left)
        await passes(board, "held")

    assert "once one of them has ended" in refused.message


async def test_a_retry_beside_a_body_that_goes_on_takes_one_place_more() -> None:
    held, once = Held("goes on"), [0.01, 9.0]

    async def retry(call_next: Any) -> Outcome:
        front = Signal()
        timer = asyncio.get_running_loop().call_later(once.pop(0), front.cancel)
        outcome: Outcome = await call_next(signal=front)
        timer.cancel()
        return await call_next() if outcome.is_error else outcome

    async with standing(held.tool(), config=limited({"running": 2})) as (host, board):
        host.hook(around_call=retry)
        first = asyncio.ensure_future(board.call("held"))
        await asyncio.sleep(0.1)
        await denied(board, "held")
        held.released.set()
        succeeded(await first)
        await until(lambda: held.left.count("ended") == 2)
        once.append(9.0)
        await passes(board, "held")


async def test_unloading_a_tool_meanwhile_leaves_its_count_and_gives_its_place_back() -> None:
    async with limiting({"calls": 2, "running": 1}) as calls:
        await calls.host.load(plugin_with(calls.gated.free("brought")), name="it")
        running = asyncio.ensure_future(calls.board.call("brought", id="1"))
        await calls.gated.started("1")
        calls.gated.is_open = True
        await calls.host.unload("it", grace=0)
        failed(await running, Code.ABORTED)
        await calls.host.load(plugin_with(calls.gated.free("brought")), name="it")

        await passes(calls.board, "brought")
        await denied(calls.board, "brought")

"""Programs inside tools and tools inside programs, beside others and without a trace."""

import asyncio
import gc
import weakref
from typing import Any

from pegboard import (
    JSON,
    RunContext,
    ToolCallError,
    tool,
)
from pegboard_batches import Gated
from pegboard_cases import raw, says
from pegboard_policies import Held, Work, kind, succeeded, until
from pegboard_programs import Inside, Seen, coded, running


async def test_a_tool_that_a_program_calls_may_call_others_itself() -> None:
    seen = Seen()

    async def calling(arguments: JSON, context: RunContext) -> JSON:
        return (await context.call("free", {})).unwrap()

    async def body(it: Inside) -> JSON:
        return await it.make("raw")

    async with coded(body, raw(calling), Gated(is_open=True).free()) as (host, board):
        seen.on(host)
        assert succeeded(await running(board)).value["result"] == "p:code:1:1"

    assert seen.ids == ["p:code:1:1", "p:code:1", "p"]
    assert {each.root_call_id for each, _ in seen.finished} == {"p"}


async def test_a_tool_may_run_a_program() -> None:
    async def calling(arguments: JSON, context: RunContext) -> JSON:
        return (await context.call("run_code", {"description": "d", "code": "c"})).unwrap()

    async def body(it: Inside) -> JSON:
        return await it.make("free")

    both = (raw(calling), Gated(is_open=True).free())
    async with coded(body, *both, presentation="both") as (_, board):
        outcome = succeeded(await board.call("raw", {}, id="t"))

    assert outcome.value == {"result": "t:1:code:1", "logs": ""}


async def test_programs_inside_programs_go_only_so_deep() -> None:
    async def calling(arguments: JSON, context: RunContext) -> JSON:
        return (await context.call("run_code", {"description": "d", "code": "c"})).unwrap()

    async def body(it: Inside) -> JSON:
        try:
            return await it.make("raw")
        except ToolCallError as error:
            return str(error)

    async with coded(body, raw(calling)) as (host, board):
        outcome = succeeded(await running(board))
        assert host.running == ()

    assert says(str(outcome.value["result"]), "at most 64 levels deep")


async def test_sync_tools_run_in_threads_and_overlap() -> None:
    @tool(concurrency_safe=True)
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    async def body(it: Inside) -> JSON:
        return await asyncio.gather(*(it.make("add", a=each, b=1) for each in range(5)))

    async with coded(body, add) as (_, board):
        assert succeeded(await running(board)).value["result"] == [1, 2, 3, 4, 5]


async def test_nothing_of_a_program_waits_for_a_collector_once_it_has_ended() -> None:
    kept: list[weakref.ref[Any]] = []

    async def body(it: Inside) -> None:
        kept.append(weakref.ref(it.dispatch.__self__))
        await it.make("free")

    async with coded(body, Gated(is_open=True).free()) as (_, board):
        gc.collect()
        gc.disable()
        try:
            await running(board)
            assert kept[0]() is None
        finally:
            gc.enable()


async def test_a_call_that_is_made_after_the_end_fails_and_never_begins() -> None:
    work, later = Work(), asyncio.Event()
    errors: list[ToolCallError] = []

    async def straggle(it: Inside) -> None:
        await later.wait()
        try:
            await it.make("work")
        except ToolCallError as error:
            errors.append(error)
        it.output("nobody hears this")

    async def body(it: Inside) -> None:
        strays.append(asyncio.create_task(straggle(it)))

    strays: list[asyncio.Task[None]] = []
    async with coded(body, work.tool()) as (_, board):
        outcome = succeeded(await running(board))
        later.set()
        await until(lambda: errors)

    assert (str(errors[0]), work.ran) == ("the program has ended", [])
    assert outcome.value["logs"] == ""


async def test_a_call_that_nobody_awaits_is_stopped_before_the_program_has_its_outcome() -> None:
    held, seen = Held(), Seen()

    async def body(it: Inside) -> str:
        it.make("held")
        it.make("held")
        await held.started.wait()
        return "done"

    async with coded(body, held.tool()) as (host, board):
        seen.on(host)
        outcome = succeeded(await running(board))

    assert outcome.value["result"] == "done"
    assert [(each.call_id, kind(each)) for _, each in seen.finished] == [
        ("p:code:1", "aborted"),
        ("p:code:2", "aborted_before_start"),
        ("p", "ok"),
    ]


async def test_a_failure_that_nobody_awaits_is_not_the_programs() -> None:
    async def body(it: Inside) -> str:
        it.make("nope")
        return "done"

    async with coded(body) as (_, board):
        assert succeeded(await running(board)).value["result"] == "done"

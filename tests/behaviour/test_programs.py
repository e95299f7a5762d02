"""Programs of `run_code`: the calls that they make, and what of those is on the outer outcome."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    JSON,
    Output,
    ProgramResult,
    Progress,
    RunContext,
    Text,
    ToolCall,
    ToolCallError,
    ToolError,
)
from pegboard.blocking import Host as BlockingHost
from pegboard_batches import Gated
from pegboard_cases import raw, says
from pegboard_policies import Work, failed, kind, succeeded
from pegboard_programs import Inside, Runtime, Seen, asked, coded, running


async def three(it: Inside) -> list[JSON]:
    """Make three calls at once."""
    made = [it.make("free") for _ in range(3)]
    return [await each for each in made]


def opened(**options: Any) -> Gated:
    """Tools whose bodies wait for nobody."""
    return Gated(is_open=True, **options)


async def test_the_calls_of_a_program_are_numbered_in_the_order_in_which_they_are_made() -> None:
    async with coded(three, opened().free()) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.value == {"result": ["p:code:1", "p:code:2", "p:code:3"], "logs": ""}


async def test_a_call_that_is_refused_at_once_takes_no_number() -> None:
    async def body(it: Inside) -> JSON:
        for name in ("nope", "run_code"):
            with pytest.raises(ToolCallError, match="unknown tool"):
                await it.make(name)
        return await it.make("free")

    async with coded(body, opened().free()) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.value["result"] == "p:code:1"


async def test_the_executions_of_its_calls_name_the_program_that_makes_them() -> None:
    seen = Seen()
    async with coded(three, opened().free()) as (host, board):
        seen.on(host)
        await running(board)

    *inner, (outer, _) = seen.finished
    assert [each.call_id for each, _ in inner] == ["p:code:1", "p:code:2", "p:code:3"]
    assert {each.root_call_id for each, _ in inner} == {"p"}
    assert {each.parent_call_id for each, _ in inner} == {"p"}
    assert all(each.parent is outer.token for each, _ in inner)
    assert (outer.root_call_id, outer.parent_call_id, outer.parent) == ("p", None, None)


async def test_its_calls_have_the_deps_and_labels_of_the_outer_call() -> None:
    seen, deps = Seen(), object()
    async with coded(three, opened().free()) as (host, board):
        seen.on(host)
        await running(board, deps=deps, labels={"user": "u1"})

    assert all(each.deps is deps for each, _ in seen.finished)
    assert all(each.labels == {"user": "u1"} for each, _ in seen.finished)


async def test_a_program_gets_values_and_not_what_models_read_of_them() -> None:
    shout = raw(
        lambda arguments, context: {"n": 1}, output=Output(render=lambda a, v: [Text("loud")])
    )

    async def body(it: Inside) -> JSON:
        return await it.make("raw")

    async with coded(body, shout) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.value["result"] == {"n": 1}


async def test_a_call_that_fails_raises_what_the_model_would_read_and_the_program_goes_on() -> None:
    def fail(arguments: JSON, context: RunContext) -> None:
        raise ToolError("no such page", code="missing")

    async def body(it: Inside) -> JSON:
        with pytest.raises(ToolCallError, match=r"^no such page$"):
            await it.make("raw")
        return "went on"

    async with coded(body, raw(fail)) as (_, board):
        assert succeeded(await running(board)).value["result"] == "went on"


async def test_arguments_that_are_not_json_fail_that_call_alone() -> None:
    work = Work()

    async def body(it: Inside) -> JSON:
        bad = it.make("work", x=object())
        good = it.make("work", x=1)
        with pytest.raises(ToolCallError, match="arguments"):
            await bad
        return await good

    async with coded(body, work.tool()) as (_, board):
        assert succeeded(await running(board)).value["result"] == "done"
    assert work.ran == ["p:code:2"]


@pytest.mark.parametrize("arguments", [[1], 5, "ab", None])
async def test_a_runtime_that_gives_no_mapping_hears_so_and_mixes_up_no_calls(
    arguments: Any,
) -> None:
    async def body(it: Inside) -> JSON:
        with pytest.raises((TypeError, ValueError)):
            it.dispatch("free", arguments)
        return [await it.make("free"), await it.make("free")]

    async with coded(body, opened().free()) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.value["result"] == ["p:code:1", "p:code:2"]


async def test_a_value_may_be_awaited_twice() -> None:
    async def body(it: Inside) -> JSON:
        made = it.make("free")
        return [await made, await made]

    async with coded(body, opened().free()) as (_, board):
        assert succeeded(await running(board)).value["result"] == ["p:code:1"] * 2


async def test_a_thousand_calls_made_at_once_all_have_their_values_in_order() -> None:
    async def body(it: Inside) -> JSON:
        return [await each for each in [it.make("free") for _ in range(1000)]]

    async with coded(body, opened().free()) as (host, board):
        outcome = succeeded(await running(board))
        assert host.running == ()

    assert outcome.value["result"] == [f"p:code:{number}" for number in range(1, 1001)]


async def deferring(arguments: JSON, context: RunContext) -> str:
    """Leave a context, and fail where that is wanted."""
    context.defer(context.call_id)
    if arguments.get("fails"):
        raise ToolError("no")
    await asyncio.sleep(0)
    return "done"


DEFERRING = raw(deferring, name="defer", concurrency_safe=True)


async def test_contexts_come_in_the_order_of_the_calls_and_those_of_failed_calls_too() -> None:
    async def body(it: Inside) -> None:
        made = [it.make("defer", fails=each) for each in (False, True, False)]
        await asyncio.gather(*made, return_exceptions=True)

    async with coded(body, DEFERRING) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.contexts == ("p:code:1", "p:code:2", "p:code:3")


async def test_contexts_of_calls_that_were_cancelled_at_the_end_are_kept() -> None:
    started = asyncio.Event()

    async def forever(arguments: JSON, context: RunContext) -> None:
        context.defer("kept")
        started.set()
        await asyncio.Event().wait()

    async def body(it: Inside) -> None:
        it.make("raw")
        it.make("defer")
        await started.wait()

    async with coded(body, raw(forever, concurrency_safe=True), DEFERRING) as (_, board):
        outcome = succeeded(await running(board))

    assert outcome.contexts == ("kept", "p:code:2")


@pytest.mark.parametrize("succeeds", [True, False])
async def test_a_call_that_concludes_counts_only_if_the_program_succeeds(succeeds: bool) -> None:
    def conclude(arguments: JSON, context: RunContext) -> None:
        context.conclude()

    async def body(it: Inside) -> None:
        await it.make("raw")
        if not succeeds:
            raise RuntimeError("late")

    async with coded(body, raw(conclude)) as (_, board):
        assert (await running(board)).concludes is succeeds


async def test_progress_of_its_calls_reaches_the_caller_under_their_own_ids() -> None:
    heard: list[Progress] = []

    def report(arguments: JSON, context: RunContext) -> None:
        context.report(1, 2, "half")

    async def body(it: Inside) -> None:
        await it.make("raw")

    async with coded(body, raw(report)) as (_, board):
        await running(board, on_progress=heard.append)

    assert [(each.call_id, each.tool, each.message) for each in heard] == [
        ("p:code:1", "raw", "half")
    ]


async def test_events_tell_of_the_program_and_of_each_of_its_calls() -> None:
    async with coded(three, opened().free()) as (_, board):
        told = [each async for each in board.events([asked()])]

    *started, outcome = told
    assert [each.call_id for each in started] == ["p", "p:code:1", "p:code:2", "p:code:3"]
    assert outcome.call_id == "p"


async def test_its_calls_are_listed_while_they_run() -> None:
    gated = Gated()
    async with coded(three, gated.free()) as (host, board):
        program = asyncio.create_task(running(board))
        await gated.started("p:code:3")
        listed = [(each.call_id, each.tool, each.plugin) for each in host.running]
        gated.let("p:code:1", "p:code:2", "p:code:3")
        await program

    assert listed[0] == ("p", "run_code", "runtime")
    assert [each[0] for each in listed[1:]] == ["p:code:1", "p:code:2", "p:code:3"]


async def test_the_blocking_twin_runs_programs_too() -> None:
    def run() -> Any:
        with BlockingHost(discover=False) as host:
            host.load(Runtime(three), name="runtime")
            host.register(opened().free())
            board = host.board("case", presentation="code")
            shown = [each.name for each in board.definitions()]
            return shown, board.presentation, board.sdk, board.call(asked())

    shown, presentation, sdk, outcome = await asyncio.to_thread(run)

    assert (shown, presentation) == (["run_code"], "code")
    assert "async def free(" in sdk
    assert succeeded(outcome).value["result"] == ["p:code:1", "p:code:2", "p:code:3"]


async def test_a_program_gets_its_code_and_the_sdk_that_the_board_shows() -> None:
    got: list[Inside] = []

    async def body(it: Inside) -> ProgramResult:
        got.append(it)
        return ProgramResult()

    async with coded(body, opened().free()) as (_, board):
        await board.call(asked(code="1 + 1"))
        assert (got[0].code, got[0].sdk.text) == ("1 + 1", board.sdk)


async def test_programs_of_two_boards_at_once_see_their_own_tools() -> None:
    async def body(it: Inside) -> JSON:
        await asyncio.sleep(0)
        return list(it.sdk.names)

    async with coded(body, opened().free()) as (host, board):
        other = await host.board("other", presentation="code")
        other.register(opened().free("own"))
        outcomes = await asyncio.gather(running(board), running(other))

    assert [succeeded(each).value["result"] for each in outcomes] == [["free"], ["free", "own"]]


async def test_wrong_arguments_of_run_code_are_refused_before_anything_runs() -> None:
    runtime = Runtime(three)
    async with coded(three) as (host, board):
        await host.load(runtime, name="nearer", board=board)
        outcome = await board.call(ToolCall("p", "run_code", {"code": 5}))

    assert kind(outcome) == "invalid_arguments"
    assert says(failed(outcome, outcome.code).message, "description", "code")
    assert runtime.ran == []

"""Batches: who overlaps whom, in which order, and what each call gets."""

import asyncio
import weakref
from typing import Any

import pytest
from pegboard import (
    Ask,
    BoardError,
    Code,
    Config,
    Deny,
    Execution,
    Host,
    Rejected,
    RunContext,
    Signal,
    ToolAnnotations,
    ToolCall,
)
from pegboard.testing import RecordingPlugin, host_with
from pegboard_batches import Gated, ask, calls, ids, keyed
from pegboard_cases import board_with, raw
from pegboard_policies import gate, kind, plugin_with, standing, turns, until


async def test_calls_that_may_overlap_all_start_before_any_ends() -> None:
    gated = Gated()
    async with board_with(gated.free()) as board:
        batch = asyncio.create_task(board.run(calls("123")))
        await gated.started("1", "2", "3")
        gated.let("3", "2", "1")

        outcomes = await batch

    assert gated.log[:3] == ["+1", "+2", "+3"]
    assert ids(outcomes) == "123"


async def test_an_exclusive_call_starts_once_all_before_it_have_ended_and_holds_back_the_rest() -> (
    None
):
    gated = Gated()
    async with board_with(gated.free(), gated.tool("alone")) as board:
        batch = asyncio.create_task(board.run([*calls("12"), ToolCall("3", "alone"), *calls("4")]))
        await gated.started("1", "2")
        gated.let("1", "3", "4")
        await turns(20)
        before = list(gated.log)
        gated.let("2")

        await batch

    assert before == ["+1", "+2", "-1"]
    assert gated.log == ["+1", "+2", "-1", "-2", "+3", "-3", "+4", "-4"]


async def test_calls_with_one_key_come_one_after_the_other_and_hold_back_no_other_key() -> None:
    gated = Gated()
    async with board_with(gated.keyed()) as board:
        batch = asyncio.create_task(board.run(keyed("1a", "2a", "3a", "4b")))
        await gated.started("1", "4")
        first = list(gated.log)
        gated.let("1", "2", "3", "4")

        outcomes = await batch

    assert first == ["+1", "+4"]
    assert [each for each in gated.log if each[1] != "4"] == ["+1", "-1", "+2", "-2", "+3", "-3"]
    assert ids(outcomes) == "1234"


@pytest.mark.parametrize("said", [1, 0, None, 1.5, ["a"], b"a", {"a"}, object()])
async def test_any_other_answer_about_overlapping_makes_a_call_exclusive(said: object) -> None:
    gated = Gated(is_open=True)
    async with board_with(gated.tool(concurrency_safe=lambda _: said)) as board:
        await board.run(calls("12", tool="body"))

    assert gated.log == ["+1", "-1", "+2", "-2"]


@pytest.mark.parametrize("error", [ValueError(), SystemExit(), KeyboardInterrupt()])
async def test_a_tool_that_raises_when_it_is_asked_makes_its_call_exclusive(
    error: BaseException,
) -> None:
    def asked(_: Any) -> bool:
        raise error

    gated = Gated(is_open=True)
    async with board_with(gated.tool(concurrency_safe=asked), gated.free()) as board:
        outcomes = await board.run([*calls("1"), *calls("2", tool="body")])

    assert [kind(each) for each in outcomes] == ["ok", "ok"]


async def test_an_async_answer_about_overlapping_is_none_and_never_runs() -> None:
    ran: list[int] = []

    async def asked(_: Any) -> bool:
        ran.append(1)
        return True

    gated = Gated(is_open=True)
    async with board_with(gated.tool(concurrency_safe=asked)) as board:
        await board.run(calls("12", tool="body"))

    assert (gated.log, ran) == (["+1", "-1", "+2", "-2"], [])


@pytest.mark.parametrize(
    ("options", "overlaps"),
    [
        ({}, False),
        ({"annotations": ToolAnnotations(read_only=True)}, True),
        ({"annotations": ToolAnnotations(read_only=False)}, False),
        ({"annotations": ToolAnnotations(idempotent=True)}, False),
        ({"annotations": ToolAnnotations(read_only=True), "concurrency_safe": False}, False),
    ],
)
async def test_a_tool_that_declares_nothing_overlaps_only_where_it_only_reads(
    options: dict[str, Any], overlaps: bool
) -> None:
    gated = Gated()
    async with board_with(gated.tool(**options)) as board:
        batch = asyncio.create_task(board.run(calls("12", tool="body")))
        await gated.started("1")
        await turns(10)
        seen = list(gated.log)
        gated.let("1", "2")
        await batch

    assert seen == (["+1", "+2"] if overlaps else ["+1"])


async def test_never_more_bodies_run_than_the_caller_allows_and_an_ended_one_makes_room() -> None:
    gated = Gated()
    async with board_with(gated.free()) as board:
        batch = asyncio.create_task(board.run(calls("1234"), max_parallel=2))
        await gated.started("1", "2")
        gated.let("2")
        await gated.started("3")
        seen = list(gated.log)
        gated.let("1", "3", "4")
        await batch

    assert seen == ["+1", "+2", "-2", "+3"]


@pytest.mark.parametrize("count", [1, 3])
async def test_sync_bodies_overlap_as_the_caller_allows_and_no_more(count: int) -> None:
    running, most, threads = [0], [0], asyncio.Event()
    loop = asyncio.get_running_loop()
    with gate() as go:

        def body(arguments: Any, context: RunContext) -> None:
            running[0] += 1
            most[0] = max(most[0], running[0])
            if most[0] == count:
                loop.call_soon_threadsafe(threads.set)
            go.wait(5)
            running[0] -= 1

        async with board_with(raw(body, concurrency_safe=True)) as board:
            batch = asyncio.create_task(
                board.run(calls("12345678", tool="raw"), max_parallel=count)
            )
            await threads.wait()
            go.set()
            outcomes = await batch

    assert {kind(each) for each in outcomes} == {"ok"}
    assert most[0] == count


async def test_outcomes_come_in_the_order_of_the_calls_whatever_ends_first() -> None:
    gated = Gated()
    gated.let("1", "3", "5")
    mixed = [*calls("12"), ToolCall("3", "none"), ToolCall("4", "free", "{bad"), *calls("5")]
    async with board_with(gated.free()) as board:
        batch = asyncio.create_task(board.run(mixed))
        await gated.started("5")
        gated.let("2")
        outcomes = await batch

    assert ids(outcomes) == "12345"
    codes = ["ok", "ok", "unknown_tool", "invalid_arguments", "ok"]
    assert [kind(each) for each in outcomes] == codes


async def test_observers_see_each_call_once_and_in_the_order_of_the_calls() -> None:
    gated, recorder = Gated(), RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(gated.free())
        board = await host.board("a")
        batch = asyncio.create_task(board.run([*calls("1221"), ToolCall("3", "none")]))
        await gated.started("1", "2")
        gated.let("2")
        await turns(10)
        early = len(recorder.finished)
        gated.let("1")
        outcomes = await batch

    assert early == 0
    assert [outcome for _, outcome, _ in recorder.finished] == outcomes
    assert [kind(each) for each in outcomes[2:]] == ["invalid_call", "invalid_call", "unknown_tool"]


async def test_a_call_before_a_barrier_has_its_outcome_before_later_policies_are_asked() -> None:
    log: list[str] = []

    def before(execution: Execution) -> None:
        log.append(f"before {execution.call_id}")

    def finished(execution: Execution) -> None:
        log.append(f"finished {execution.call_id}")

    gated = Gated(is_open=True)
    async with standing(gated.tool("alone"), gated.free()) as (host, board):
        host.hook(before_call=before, call_finished=finished)
        await board.run([*calls("1"), ToolCall("2", "alone"), *calls("3")])

    steps = ["before 1", "finished 1", "before 2", "finished 2", "before 3", "finished 3"]
    assert log == steps


async def test_policies_of_calls_never_overlap_each_other() -> None:
    log: list[str] = []

    async def before(execution: Execution) -> None:
        log.append(f"in {execution.call_id}")
        await asyncio.sleep(0)
        log.append(f"out {execution.call_id}")

    async def after(execution: Execution) -> None:
        await before(execution)

    gated = Gated(is_open=True)
    async with standing(gated.free()) as (host, board):
        host.hook(before_call=before, after_call=after, call_finished=after)
        await board.run(calls("123"))

    assert len(log) == 18
    assert all(log[at + 1] == log[at].replace("in", "out") for at in range(0, 18, 2))


async def test_a_call_that_became_exclusive_while_it_waited_waits_for_all_before_it() -> None:
    gated, safe = Gated(), [True]

    def finished(execution: Execution) -> None:
        safe[0] = False

    async with standing(gated.tool(concurrency_safe=lambda _: safe[0])) as (host, board):
        host.hook(call_finished=finished)
        batch = asyncio.create_task(board.run(calls("123", tool="body"), max_parallel=2))
        await gated.started("1", "2")
        gated.let("1", "3")
        await turns(20)
        seen = list(gated.log)
        gated.let("2")
        await batch

    assert seen == ["+1", "+2", "-1"]
    assert gated.log == ["+1", "+2", "-1", "-2", "+3", "-3"]


async def test_a_keyed_call_whose_tool_is_exchanged_while_it_waits_overlaps_nobody() -> None:
    gated = Gated()
    async with standing(gated.free()) as (host, board):
        registration = host.register(gated.keyed())
        batch = asyncio.create_task(board.run([*keyed("1a", "2a"), *calls("34")]))
        await gated.started("1", "3", "4")
        registration.close()
        host.register(gated.tool("keyed"))
        gated.let("1", "2", "3")
        await turns(20)
        seen = list(gated.log)
        gated.let("4")
        outcomes = await batch

    assert "+2" not in seen
    assert gated.log[-2:] == ["+2", "-2"]
    assert [kind(each) for each in outcomes] == ["ok"] * 4


async def test_a_call_is_resolved_when_its_turn_has_come() -> None:
    async def unload(arguments: Any, context: RunContext) -> None:
        await context.deps.unload("guest")

    guest = plugin_with(raw(lambda arguments, context: "here", name="guest"))
    async with standing(raw(unload)) as (host, board):
        await host.load(guest, name="guest")
        names = ["guest", "raw", "guest"]
        batch = [ToolCall(str(number), name) for number, name in enumerate(names)]
        outcomes = await board.run(batch, deps=host)

    assert [kind(each) for each in outcomes] == ["ok", "ok", "unknown_tool"]


async def test_an_exclusive_call_that_waits_for_its_turn_holds_its_plugin_no_longer() -> None:
    async def unload(arguments: Any, context: RunContext) -> None:
        await context.deps.unload("guest")

    guest = plugin_with(raw(lambda arguments, context: "here", name="guest"))
    async with standing(raw(unload, concurrency_safe=True)) as (host, board):
        await host.load(guest, name="guest")
        outcomes = await board.run([ToolCall("1", "raw"), ToolCall("2", "guest")], deps=host)

    assert [kind(each) for each in outcomes] == ["ok", "unknown_tool"]


async def test_a_pending_approval_holds_back_only_what_may_not_overlap_it() -> None:
    gated, answer = Gated(is_open=True), asyncio.get_running_loop().create_future()

    def before(execution: Execution) -> Ask | None:
        return Ask() if execution.call_id == "1" else None

    async def approve() -> Any:
        return await answer

    async with standing(gated.keyed(), gated.tool("alone")) as (host, board):
        host.hook(before_call=before, approve=approve)
        batch = [*keyed("1a", "2b", "3a"), ToolCall("4", "alone")]
        running = asyncio.create_task(board.run(batch))
        await gated.started("2")
        await turns(20)
        seen = list(gated.log)
        answer.set_result("once")
        outcomes = await running

    assert seen == ["+2", "-2"]
    assert gated.log == ["+2", "-2", "+1", "-1", "+3", "-3", "+4", "-4"]
    assert ids(outcomes) == "1234"


async def test_two_approvals_may_be_pending_at_once_and_a_refusal_touches_no_other_call() -> None:
    gated, asked = Gated(is_open=True), asyncio.Event()
    seen: list[str] = []

    async def approve(request: Any) -> Any:
        seen.append(request.call_id)
        if len(seen) == 2:
            asked.set()
        await asked.wait()
        return "once" if request.call_id == "2" else Rejected("not today")

    async with standing(gated.free()) as (host, board):
        host.hook(before_call=ask, approve=approve)
        outcomes = await board.run(calls("12"))

    assert [kind(each) for each in outcomes] == ["denied", "ok"]
    assert (seen, gated.log) == (["1", "2"], ["+2", "-2"])


async def test_a_pending_approval_takes_no_place_of_a_body() -> None:
    gated, answer = Gated(is_open=True), asyncio.get_running_loop().create_future()

    def before(execution: Execution) -> Ask | None:
        return Ask() if execution.call_id == "1" else None

    async def approve() -> Any:
        return await answer

    async with standing(gated.free()) as (host, board):
        host.hook(before_call=before, approve=approve)
        running = asyncio.create_task(board.run(calls("12"), max_parallel=1))
        await gated.started("2")
        answer.set_result("once")
        await running

    assert gated.log == ["+2", "-2", "+1", "-1"]


async def test_guards_of_an_approved_call_are_asked_after_the_approval() -> None:
    log: list[str] = []

    async def approve() -> str:
        log.append("approve")
        await asyncio.sleep(0)
        return "once"

    gated = Gated(is_open=True)
    async with standing(gated.free()) as (host, board):
        host.hook(before_call=ask, approve=approve)
        host.guard(lambda execution: log.append("guard") or "no")
        (outcome,) = await board.run(calls("1"))

    assert (log, gated.log, kind(outcome)) == (["approve", "guard"], [], "denied")


async def test_one_calls_failure_never_touches_its_neighbours() -> None:
    async def fail(arguments: Any, context: RunContext) -> None:
        await asyncio.sleep(0)
        raise SystemExit(3)

    def before(execution: Execution) -> Deny | None:
        return Deny("no") if execution.call_id == "2" else None

    gated = Gated(is_open=True)
    async with standing(gated.free(), raw(fail, concurrency_safe=True)) as (host, board):
        host.hook(before_call=before)
        outcomes = await board.run([*calls("1"), ToolCall("3", "raw"), *calls("24")])

    assert [kind(each) for each in outcomes] == ["ok", "crashed", "denied", "ok"]


async def test_the_second_call_with_an_id_is_invalid_and_does_not_run() -> None:
    gated = Gated(is_open=True)
    async with board_with(gated.free()) as board:
        outcomes = await board.run(calls("1121"))
        again = await board.run(calls("1"))

    assert [kind(each) for each in outcomes] == ["ok", "invalid_call", "ok", "invalid_call"]
    assert ids(outcomes) == "1121"
    assert [kind(each) for each in again] == ["ok"]
    assert gated.log.count("+1") == 2


async def test_an_empty_batch_has_no_outcomes() -> None:
    async with board_with() as board:
        assert await board.run([]) == []
        assert [each async for each in board.stream(())] == []
        assert [each async for each in board.events(iter([]))] == []


@pytest.mark.parametrize("wrong", [ToolCall("1", "free"), 3, None, [{"id": "1"}], ["free"]])
async def test_what_is_no_list_of_calls_is_refused_before_anything_starts(wrong: Any) -> None:
    gated = Gated(is_open=True)
    batch = [*calls("1"), *wrong] if isinstance(wrong, list) else wrong
    async with board_with(gated.free()) as board:
        with pytest.raises(BoardError, match="batch"):
            await board.run(batch)
        with pytest.raises(BoardError, match="batch"):
            board.stream(batch)

    assert gated.log == []


async def test_calls_are_taken_as_they_are_when_the_batch_is_made() -> None:
    gated = Gated()
    batch = calls("1")
    async with board_with(gated.free()) as board:
        running = asyncio.create_task(board.run(batch))
        await gated.started("1")
        batch.extend(calls("2"))
        gated.let("1", "2")
        outcomes = await running

    assert ids(outcomes) == "1"


async def test_contexts_and_conclusions_stay_on_the_outcomes_of_their_calls() -> None:
    async def body(arguments: Any, context: RunContext) -> None:
        context.defer(context.call_id)
        if context.call_id == "1":
            context.conclude()

    async with board_with(raw(body)) as board:
        outcomes = await board.run(calls("12", tool="raw"))

    assert [each.contexts for each in outcomes] == [("1",), ("2",)]
    assert [each.concludes for each in outcomes] == [True, False]


async def test_around_hooks_and_fronted_signals_work_in_a_batch() -> None:
    async def around(execution: Execution, call_next: Any) -> Any:
        front = Signal()
        if execution.call_id == "2":
            asyncio.get_running_loop().call_soon(front.cancel, "too long")
        return await call_next(signal=front)

    gated = Gated()
    gated.let("1", "3")
    async with standing(gated.free()) as (host, board):
        host.hook(around_call=around)
        outcomes = await board.run(calls("123"))

    assert [kind(each) for each in outcomes] == ["ok", "aborted", "ok"]


async def test_a_sync_tool_that_gives_something_to_await_is_awaited_in_a_batch() -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "late"

    tool = raw(lambda arguments, context: later(), concurrency_safe=True)
    async with board_with(tool) as board:
        outcomes = await board.run(calls("12", tool="raw"))

    assert [each.unwrap() for each in outcomes] == ["late", "late"]


async def test_a_project_of_a_tool_sees_outcomes_that_come_late() -> None:
    async def body(arguments: Any, context: RunContext) -> str:
        await asyncio.sleep(0)
        return "value"

    def project(arguments: Any, outcome: Any) -> list[Any]:
        from pegboard import Text

        return [Text(f"<{outcome.value}>")]

    async with board_with(raw(body, concurrency_safe=True, project=project)) as board:
        outcomes = await board.run(calls("12", tool="raw"))

    assert [each.content[0].text for each in outcomes] == ["<value>"] * 2


async def test_a_closed_board_takes_no_batch() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        stream = board.stream([])
        await board.close()

        with pytest.raises(BoardError, match="closed"):
            await board.run([])
        with pytest.raises(BoardError, match="closed"):
            board.events([])
        with pytest.raises(BoardError, match="closed"):
            await anext(stream)


async def test_a_board_that_closes_cancels_what_is_left_of_a_batch() -> None:
    gated = Gated()
    async with board_with(gated.free(), config=Config(stop_grace=1.0)) as board:
        batch = asyncio.create_task(board.run(calls("123"), max_parallel=1))
        await gated.started("1")
        await board.close(grace=0.0)
        outcomes = await batch

    assert [kind(each) for each in outcomes] == ["aborted", *["aborted_before_start"] * 2]
    assert gated.log == ["+1", "-1"]


async def test_a_tool_of_a_batch_may_close_its_board() -> None:
    gated = Gated(is_open=True)

    async def close(arguments: Any, context: RunContext) -> str:
        await until(lambda: "-2" in gated.log)
        await context.deps.close(grace=0.1)
        return "closed"

    closing = raw(close, concurrency_safe=True)
    async with board_with(gated.free(), closing) as board:
        batch = [ToolCall("1", "raw"), *calls("2")]
        async with asyncio.timeout(4):
            outcomes = await board.run(batch, deps=board)

    assert [kind(each) for each in outcomes] == ["ok", "ok"]
    assert outcomes[0].unwrap() == "closed"


async def test_a_batch_in_a_body_is_a_batch_of_its_own() -> None:
    gated = Gated(is_open=True)

    async def outer(arguments: Any, context: RunContext) -> list[Any]:
        inner = await context.deps.run(calls("12"))
        return [each.unwrap() for each in inner]

    async with board_with(gated.free(), raw(outer)) as board:
        (outcome,) = await board.run([ToolCall("1", "raw")], deps=board)

    assert outcome.unwrap() == ["1", "2"]


async def test_labels_deps_and_approvals_reach_every_call_of_a_batch() -> None:
    seen: list[Any] = []

    async def body(arguments: Any, context: RunContext) -> None:
        seen.append((context.labels, context.deps))

    async with standing(raw(body)) as (host, board):
        host.hook(before_call=ask, approve=lambda: "later")
        batch = calls("12", tool="raw")
        first = await board.run(batch)
        digests = {each.details["request"]["digest"]: "once" for each in first}
        again = await board.run(batch, labels={"a": 1}, deps=7, approvals=digests)

    assert [kind(each) for each in first] == [str(Code.APPROVAL_REQUIRED)] * 2
    assert [kind(each) for each in again] == ["ok", "ok"]
    assert seen == [({"a": 1}, 7)] * 2


async def test_a_batch_that_has_ended_keeps_nothing_alive() -> None:
    class Deps:
        pass

    async def body(arguments: Any, context: RunContext) -> None:
        await asyncio.sleep(0)

    async with board_with(raw(body, concurrency_safe=True)) as board:
        deps = Deps()
        kept = weakref.ref(deps)
        await board.run(calls("12345678", tool="raw"), deps=deps, max_parallel=3)
        del deps
        await turns(3)

        assert kept() is None

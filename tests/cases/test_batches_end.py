"""The cases of section Batches: how they end, and what is told of them meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest
from pegboard import (
    JSON,
    Ask,
    BoardError,
    Code,
    Outcome,
    Progress,
    RunContext,
    Signal,
    ToolCall,
    ToolError,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw, says
from pegboard_policies import PATIENCE, Held, Work, failed, kind, noting, standing, until


def calls(*ids: str, name: str = "work") -> list[ToolCall]:
    """Calls of one tool."""
    return [ToolCall(each, name) for each in ids]


async def test_p_306_a_batch_that_is_cancelled_already_starts_nothing() -> None:
    work, signal, recorder = Work(), Signal(), RecordingPlugin()
    signal.cancel("enough")
    async with standing(work.tool(concurrency_safe=True)) as (host, board):
        await host.load(recorder)
        outcomes = await board.run(calls("1", "2", "3"), signal=signal)

    messages = [failed(each, Code.ABORTED_BEFORE_START).message for each in outcomes]
    assert (messages, work.ran) == (["enough"] * 3, [])
    assert [seen for _, seen, _ in recorder.finished] == outcomes


async def test_p_307_a_batch_that_is_cancelled_by_the_first_policy_starts_nothing() -> None:
    work, signal = Work(), Signal()
    async with standing(work.tool(concurrency_safe=True)) as (host, board):
        host.hook(before_call=lambda execution: signal.cancel("enough"))
        outcomes = await board.run(calls("1", "2"), signal=signal)

    assert [kind(each) for each in outcomes] == ["aborted_before_start"] * 2
    assert work.ran == []


@pytest.mark.parametrize("is_safe", [True, False])
async def test_p_307_a_batch_that_is_cancelled_stops_what_runs_and_starts_nothing_more(
    is_safe: bool,
) -> None:
    held, signal, recorder = Held(), Signal(), RecordingPlugin()
    async with standing(held.tool(concurrency_safe=is_safe)) as (host, board):
        await host.load(recorder)
        given = calls("1", "2", "3", name="held")
        batch = asyncio.create_task(board.run(given, signal=signal, max_parallel=2))
        await held.started.wait()
        signal.cancel("enough")
        outcomes = await asyncio.wait_for(batch, PATIENCE)
        assert host.running == ()

    codes = [kind(each) for each in outcomes]
    assert codes[0] == "aborted"
    assert codes[-1] == "aborted_before_start"
    assert [each.call_id for each in outcomes] == ["1", "2", "3"]
    assert sorted(seen.call_id for _, seen, _ in recorder.finished) == ["1", "2", "3"]


async def test_p_307_cancelling_who_awaits_a_batch_stops_it() -> None:
    held, recorder = Held(), RecordingPlugin()
    async with standing(held.tool(concurrency_safe=True)) as (host, board):
        await host.load(recorder)
        batch = asyncio.create_task(board.run(calls("1", "2", name="held"), max_parallel=1))
        await held.started.wait()
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(batch, PATIENCE)
        assert host.running == ()

    seen = {outcome.call_id: kind(outcome) for _, outcome, _ in recorder.finished}
    assert seen == {"1": "aborted", "2": "aborted_before_start"}
    assert held.left == ["cancelled"]


async def concluding(arguments: JSON, context: RunContext) -> str:
    """Conclude, and leave a context."""
    context.defer("n1")
    context.conclude()
    return "done"


CONCLUDING = raw(concluding, name="conclude", concurrency_safe=True)


@pytest.mark.parametrize("is_safe", [True, False])
async def test_p_308_a_call_that_concludes_stops_no_other(is_safe: bool) -> None:
    work = Work()
    async with standing(CONCLUDING, work.tool(concurrency_safe=is_safe)) as (_, board):
        outcomes = await board.run([ToolCall("1", "conclude"), ToolCall("2", "work")])

    assert [each.concludes for each in outcomes] == [True, False]
    assert work.ran == ["2"]


async def test_p_309_a_failure_takes_no_conclusion_back() -> None:
    def fail(arguments: JSON, context: RunContext) -> None:
        raise ToolError("m")

    async with standing(CONCLUDING, raw(fail)) as (_, board):
        outcomes = await board.run([ToolCall("1", "conclude"), ToolCall("2", "raw")])

    assert [kind(each) for each in outcomes] == ["ok", "tool_error"]
    assert [each.concludes for each in outcomes] == [True, False]


async def test_p_310_a_conclusion_and_a_context_are_both_on_the_outcome() -> None:
    async with standing(CONCLUDING) as (_, board):
        (outcome,) = await board.run([ToolCall("1", "conclude")])

    assert (outcome.concludes, outcome.contexts) == (True, ("n1",))


TEXTS = ["", "{bad", "-0", '{"x": 1e999}', '{"x": 1, "x": 2}', "[1]"]


async def test_p_311_bad_texts_in_a_batch_are_failures_of_their_own() -> None:
    work = Work()
    async with standing(work.tool(concurrency_safe=True)) as (_, board):
        given = [ToolCall(f"i{each}", "work", text) for each, text in enumerate(TEXTS)]
        outcomes = await board.run(given)

    assert [each.call_id for each in outcomes] == [f"i{each}" for each in range(6)]
    assert [kind(each) for each in outcomes] == ["ok", *["invalid_arguments"] * 5]
    assert work.ran == ["i0"]


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "2", None])
async def test_p_312_an_impossible_number_at_once_is_the_callers_error(most: Any) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        with pytest.raises(BoardError, match="max_parallel"):
            await board.run(calls("1"), max_parallel=most)
        for door in (board.stream, board.events):
            with pytest.raises(BoardError, match="max_parallel"):
                async for _ in door(calls("1"), max_parallel=most):
                    pass
        assert host.running == ()

    assert work.ran == []


@pytest.mark.parametrize("is_safe", [True, False])
async def test_p_313_a_repeated_id_is_refused_and_does_not_run(is_safe: bool) -> None:
    work, recorder = Work(), RecordingPlugin()
    async with standing(work.tool(concurrency_safe=is_safe)) as (host, board):
        await host.load(recorder)
        outcomes = await board.run([*calls("1", "2"), *calls("1"), *calls("3")])
        again = await board.run(calls("1"))

    assert [kind(each) for each in outcomes] == ["ok", "ok", "invalid_call", "ok"]
    refused = failed(outcomes[2], Code.INVALID_CALL)
    assert (refused.call_id, refused.tool) == ("1", "work")
    assert says(refused.message, "'1'")
    assert sorted(work.ran) == ["1", "1", "2", "3"]
    assert [kind(each) for each in again] == ["ok"]
    assert sum(seen == refused for _, seen, _ in recorder.finished) == 1


async def test_p_314_an_empty_batch_is_over_at_once() -> None:
    async with standing(Work().tool()) as (_, board):
        assert await board.run([]) == []
        assert [each async for each in board.stream([])] == []
        assert [each async for each in board.events([])] == []


async def heard_by_breaking(stream: AsyncIterator[Outcome], started: asyncio.Event) -> Outcome:
    """The first outcome; then listen no more."""
    heard: list[Outcome] = []
    async for outcome in stream:
        heard.append(outcome)
        await started.wait()
        break
    return heard[0]


async def heard_by_closing(stream: Any, started: asyncio.Event) -> Outcome:
    """The first outcome; then close the stream."""
    async with aclosing(stream):
        outcome: Outcome = await anext(stream)
        await started.wait()
    return outcome


@pytest.mark.parametrize("listen", [heard_by_breaking, heard_by_closing])
async def test_p_315_who_stops_listening_stops_what_runs(listen: Callable[..., Any]) -> None:
    held, work, recorder = Held(), Work(), RecordingPlugin()
    tools = (work.tool(concurrency_safe=True), held.tool(concurrency_safe=True))
    async with standing(*tools) as (host, board):
        await host.load(recorder)
        given = [*calls("1"), *calls("2", "3", name="held")]
        first = await listen(board.stream(given, max_parallel=2), held.started)
        await until(lambda: not host.running and len(recorder.finished) == 3)

    codes = [kind(outcome) for _, outcome, _ in recorder.finished]
    assert (kind(first), held.left[:1]) == ("ok", ["cancelled"])
    assert codes[:2] == ["ok", "aborted"]
    assert codes[2] in {"aborted", "aborted_before_start"}


async def test_p_315_a_stream_that_is_closed_has_drained_what_ran() -> None:
    held = Held()
    tools = (Work().tool(concurrency_safe=True), held.tool(concurrency_safe=True))
    async with standing(*tools) as (host, board):
        given = [*calls("1"), *calls("2", name="held")]
        await heard_by_closing(board.stream(given), held.started)
        assert host.running == ()

    assert held.left == ["cancelled"]


async def test_p_315_a_stream_that_nobody_listens_to_runs_nothing() -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        stream = board.stream(calls("1"))
        await asyncio.sleep(0)
        del stream
        assert host.running == ()

    assert work.ran == []


def shown(event: Any) -> tuple[str, str]:
    """An event by its kind and its call."""
    if isinstance(event, Progress):
        return (f"Progress {event.progress:g}", event.call_id)
    is_outcome = hasattr(event, "is_error")
    return ("Outcome" if is_outcome else type(event).__name__, event_id(event))


def event_id(event: Any) -> str:
    """The call that an event is about."""
    about = getattr(event, "request", event)
    return str(about.call_id)


async def test_p_398_what_happens_to_every_call_is_told_as_it_happens() -> None:
    heard = {each: asyncio.Event() for each in "12"}

    async def body(arguments: JSON, context: RunContext) -> str:
        context.report(0.5)
        await heard[context.call_id].wait()
        return context.call_id

    events: list[tuple[str, str]] = []
    outcomes: list[Outcome] = []
    async with standing(raw(body)) as (_, board), asyncio.timeout(PATIENCE):
        async for event in board.events(calls("1", "2", name="raw")):
            events.append(shown(event))
            if isinstance(event, Progress):
                heard[event.call_id].set()
            if events[-1][0] == "Outcome":
                outcomes.append(event)

    told = ["Started", "Progress 0.5", "Outcome"]
    assert events == [(word, each) for each in "12" for word in told]
    assert [each.unwrap() for each in outcomes] == ["1", "2"]


async def test_p_398_a_question_and_a_call_that_never_starts_are_told_too() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", Ask("sure?")), approve=lambda: "once")
        given = [ToolCall("1", "work"), ToolCall("2", "wrok")]
        events = [shown(event) async for event in board.events(given)]

    told = [word for word, each in events if each == "1"]
    assert (sorted(told[:-1]), told[-1]) == (["ApprovalAsked", "Started"], "Outcome")
    assert events[-1] == ("Outcome", "2")


async def test_p_398_who_stops_listening_stops_what_runs() -> None:
    held = Held()
    async with standing(held.tool()) as (host, board):
        async with aclosing(board.events(calls("1", name="held"))) as events:
            await anext(events)
            await held.started.wait()
        assert host.running == ()

    assert held.left == ["cancelled"]

"""People who are asked while a program runs: for it, for its calls, and in them."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    JSON,
    ApprovalAsked,
    ApprovalRequest,
    Ask,
    Code,
    CodeConfig,
    Config,
    Execution,
    ProgramError,
    Rejected,
    RunContext,
    Signal,
    ToolCallError,
    ToolConfig,
)
from pegboard_cases import raw, says
from pegboard_policies import Held, Work, failed, kind, succeeded, until
from pegboard_programs import LATE, Inside, Seen, asked, coded, running


def ask_about_calls(execution: Execution) -> Ask | None:
    """Ask about each call that a program makes."""
    return Ask("sure?") if execution.parent_call_id == "p" else None


async def one(it: Inside) -> JSON:
    """Give the value of one call."""
    return await it.make("work", x=1)


async def caught(it: Inside) -> JSON:
    """Give the value of one call, or the text of its failure."""
    try:
        return await it.make("work", x=1)
    except ToolCallError as error:
        return f"failed: {error}"


async def test_an_approver_is_asked_about_a_call_of_a_program_with_its_own_id() -> None:
    requests: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> str:
        requests.append(request)
        return "once"

    work = Work()
    async with coded(one, work.tool()) as (host, board):
        host.hook(before_call=ask_about_calls, approve=approve)
        assert succeeded(await running(board)).value["result"] == "done"

    assert [(each.call_id, each.tool, each.arguments) for each in requests] == [
        ("p:code:1", "work", {"x": 1})
    ]


async def test_what_an_approver_rejects_raises_in_the_program_with_the_words_for_the_model() -> (
    None
):
    work = Work()
    async with coded(caught, work.tool()) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: Rejected("do it by hand"))
        result = succeeded(await running(board)).value["result"]

    assert says(result, "failed: ", "do it by hand")
    assert work.ran == []


async def test_without_an_approver_the_call_of_a_program_is_denied() -> None:
    async with coded(caught, Work().tool()) as (host, board):
        host.hook(before_call=ask_about_calls)
        assert says(succeeded(await running(board)).value["result"], "failed: ", "approver")


async def test_an_approval_of_a_program_itself_comes_before_it_runs() -> None:
    log: list[str] = []

    async def body(it: Inside) -> None:
        log.append("ran")

    def approve(request: ApprovalRequest) -> str:
        log.append(f"{request.tool} {request.arguments['code']}")
        return "once"

    async with coded(body) as (host, board):
        host.hook(before_call=lambda: Ask("a program"), approve=approve)
        await running(board)

    assert log == ["run_code program", "ran"]


async def test_events_tell_who_is_asked_about_the_calls_of_a_program() -> None:
    async with coded(one, Work().tool()) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: "once")
        told = [each async for each in board.events([asked()])]

    (event,) = (each for each in told if isinstance(each, ApprovalAsked))
    assert event.request.call_id == "p:code:1"
    names = [type(each).__name__ for each in told]
    assert names == ["Started", "ApprovalAsked", "Started", "Success"]


async def runtime_like(it: Inside) -> JSON:
    """Make two calls at once, and end as a program does in which nothing is caught."""
    try:
        return [await each for each in [it.make("work", x=each) for each in (1, 2)]]
    except ToolCallError as error:
        raise ProgramError("exception", str(error)) from error


async def test_calls_whose_approval_comes_later_are_in_the_details_of_the_program() -> None:
    work = Work()
    async with coded(runtime_like, work.tool(concurrency_safe=True)) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: "later")
        failure = failed(await running(board), Code.CODE_FAILED)

    requests = failure.details["approval_required"]
    assert requests[0]["request"]["call_id"] == "p:code:1"
    assert requests[0]["request"]["arguments"] == {"x": 1}
    assert work.ran == []


async def test_a_program_that_is_run_again_with_its_approvals_gets_its_values() -> None:
    work = Work()
    async with coded(runtime_like, work.tool(concurrency_safe=True)) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: "later")
        first = failed(await running(board), Code.CODE_FAILED)
        digests = [each["request"]["digest"] for each in first.details["approval_required"]]
        outcome = await running(board, approvals=dict.fromkeys(digests, "once"))

    assert succeeded(outcome).value["result"] == ["done", "done"]
    assert work.ran == ["p:code:1", "p:code:2"]


async def test_a_program_that_is_run_again_needs_new_approvals_for_what_has_run() -> None:
    async def body(it: Inside) -> JSON:
        return [await it.make("work", x=each) for each in (1, 2)]

    async with coded(body, Work().tool()) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: "later")
        approvals: dict[str, str] = {}
        needed = []
        for _ in range(3):
            outcome = await running(board, approvals=approvals)
            (request,) = (each["request"] for each in outcome.details["approval_required"])
            needed.append(request["call_id"])
            approvals[request["digest"]] = "once"

    assert needed == ["p:code:1", "p:code:2", "p:code:1"]


async def test_an_approval_that_came_later_lets_the_same_call_run_once() -> None:
    work = Work()
    async with coded(one, work.tool()) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: "later")
        first = await running(board)
        digests = [each["request"]["digest"] for each in first.details["approval_required"]]
        again = [await running(board, approvals=dict.fromkeys(digests, "once")) for _ in range(2)]

    assert succeeded(again[0]).value["result"] == "done"
    assert kind(again[1]) != "ok"
    assert work.ran == ["p:code:1"]


async def test_the_time_of_a_program_stands_still_while_people_are_asked() -> None:
    async def approve(request: ApprovalRequest) -> str:
        await asyncio.sleep(4 * LATE)
        return "once"

    config = Config(code=CodeConfig(wall_time=2 * LATE))
    async with coded(one, Work().tool(), config=config) as (host, board):
        host.hook(before_call=ask_about_calls, approve=approve)
        assert succeeded(await running(board)).value["result"] == "done"


async def test_so_does_the_time_limit_of_run_code() -> None:
    async def approve(request: ApprovalRequest) -> str:
        await asyncio.sleep(4 * LATE)
        return "once"

    config = Config(tools={"run_code": ToolConfig(timeout=2 * LATE, max_running=1)})
    async with coded(one, Work().tool(), config=config) as (host, board):
        host.hook(before_call=ask_about_calls, approve=approve)
        assert succeeded(await running(board)).value["result"] == "done"


async def test_and_both_while_a_tool_that_a_program_calls_asks_by_itself() -> None:
    async def body(arguments: JSON, context: RunContext) -> str:
        return await context.ask("go on?")

    async def approve(request: ApprovalRequest) -> str:
        await asyncio.sleep(4 * LATE)
        return "once"

    limits: dict[str, Any] = {"tools": {"run_code": ToolConfig(timeout=2 * LATE)}}
    config = Config(code=CodeConfig(wall_time=2 * LATE), **limits)
    async with coded(one, raw(body, name="work"), config=config) as (host, board):
        host.hook(approve=approve)
        assert succeeded(await running(board)).value["result"] == "once"


async def test_the_time_goes_on_once_they_have_answered() -> None:
    held = Held()

    async def body(it: Inside) -> JSON:
        await it.make("work")
        return await it.make("held")

    config = Config(code=CodeConfig(wall_time=2 * LATE))
    async with coded(body, Work().tool(), held.tool(), config=config) as (host, board):
        host.hook(before_call=ask_about_calls, approve=lambda request: "once")
        assert failed(await running(board), Code.CODE_FAILED).details["kind"] == "timeout"


async def test_people_who_answer_after_the_time_was_up_change_nothing() -> None:
    begun, answers = asyncio.Event(), asyncio.Event()

    async def body(it: Inside) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            it.make("work")
            await begun.wait()
            answers.set()
            await asyncio.sleep(0.01)

    async def approve(request: ApprovalRequest) -> str:
        begun.set()
        await answers.wait()
        return "once"

    config = Config(code=CodeConfig(wall_time=LATE))
    async with coded(body, Work().tool(), config=config) as (host, board):
        host.hook(before_call=ask_about_calls, approve=approve)
        assert failed(await running(board), Code.CODE_FAILED).details["kind"] == "timeout"


@pytest.mark.parametrize("how", ["cancel", "end"])
async def test_a_pending_approval_ends_with_the_program(how: str) -> None:
    asking, seen, signal = asyncio.Event(), Seen(), Signal()

    async def body(it: Inside) -> None:
        made = it.make("work")
        await asking.wait()
        if how == "cancel":
            signal.cancel("enough")
            await made

    async def approve(request: ApprovalRequest) -> str:
        asking.set()
        await asyncio.Event().wait()
        return "once"

    async with coded(body, Work().tool()) as (host, board):
        seen.on(host)
        host.hook(before_call=ask_about_calls, approve=approve)
        outcome = await running(board, signal=signal)

    assert kind(outcome) == ("aborted" if how == "cancel" else "ok")
    assert kind(seen.finished[0][1]) == "aborted_before_start"


async def test_a_pending_approval_holds_back_no_later_call_that_may_overlap_it() -> None:
    answers, ran = asyncio.Event(), Work()

    async def body(it: Inside) -> JSON:
        made = [it.make("work") for _ in range(3)]
        await until(lambda: len(ran.ran) == 2)
        answers.set()
        return [await each for each in made]

    async def approve(request: ApprovalRequest) -> str:
        await answers.wait()
        return "once"

    def ask_about_the_first(execution: Execution) -> Ask | None:
        return Ask() if execution.call_id == "p:code:1" else None

    async with coded(body, ran.tool(concurrency_safe=True)) as (host, board):
        host.hook(before_call=ask_about_the_first, approve=approve)
        succeeded(await running(board))

    assert ran.ran == ["p:code:2", "p:code:3", "p:code:1"]

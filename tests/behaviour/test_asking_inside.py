"""A body asks the board's approvers in the middle of its call."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pegboard import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalRequest,
    Board,
    Config,
    Failure,
    Host,
    PegboardError,
    Rejected,
    RunContext,
    Signal,
    Success,
    Timing,
    ToolCall,
    ToolConfig,
    tool,
)


@asynccontextmanager
async def asking(**hooks: Any) -> AsyncIterator[Board]:
    """A board with a tool that asks for each of its reasons, and approvers."""

    @tool
    async def ask(reasons: list[str], context: RunContext) -> list[str]:
        """Ask.

        Args:
            reasons: What for.
            context: The call.
        """
        return [await context.ask(each) for each in reasons]

    async with Host(discover=False) as host:
        host.register(ask)
        board = await host.board("x")
        if hooks:
            board.hook(**hooks)
        yield board


@pytest.mark.parametrize(
    ("given", "heard"),
    [
        ("once", "once"),
        ("board", "board"),
        ("always", "always"),
        ("rejected", "rejected"),
        (Rejected("no"), "rejected"),
        ("cancelled", "cancelled"),
        ("later", "cancelled"),
        (17, "rejected"),
        (None, "cancelled"),
    ],
    ids=str,
)
async def test_the_tool_hears_the_answer_and_goes_on(given: object, heard: str) -> None:
    async with asking(approve=lambda request: given) as board:
        outcome = await board.call("ask", {"reasons": ["really?"]})

    assert outcome.unwrap() == [heard]


async def test_without_an_approver_there_is_no_answer() -> None:
    async with asking() as board:
        outcome = await board.call("ask", {"reasons": ["really?"]})

    assert outcome.unwrap() == ["cancelled"]


async def test_an_approver_that_raises_agrees_to_nothing() -> None:
    def broken(request: ApprovalRequest) -> str:
        raise RuntimeError(request.tool)

    async with asking(approve=broken) as board:
        outcome = await board.call("ask", {"reasons": ["really?"]})

    assert outcome.unwrap() == ["cancelled"]


async def test_each_question_says_why_and_has_a_digest_of_its_own() -> None:
    seen: list[ApprovalRequest] = []

    async with asking(approve=lambda request: seen.append(request) or "once") as board:
        await board.call("ask", {"reasons": ["a", "b", "a"]}, id="c")

    assert [each.reason for each in seen] == ["a", "b", "a"]
    assert {(each.tool, each.board, each.call_id) for each in seen} == {("ask", "x", "c")}
    assert len({each.digest for each in seen}) == 3


async def test_whoever_follows_the_call_sees_the_question_and_observers_the_answer() -> None:
    told: list[object] = []
    calls = [ToolCall("c", "ask", {"reasons": ["really?"]})]

    def told_of(event: object) -> None:
        told.append(event)

    async with asking(approve=lambda request: "once", event=told_of) as board:
        events = [each async for each in board.events(calls)]

    asked = [each.request.reason for each in events if isinstance(each, ApprovalAsked)]
    answers = [each.answer for each in told if isinstance(each, ApprovalAnswered)]
    assert (asked, answers) == (["really?"], ["once"])


async def test_a_cancelled_call_stops_asking_at_once() -> None:
    asked, signal = asyncio.Event(), Signal()

    async def silent(request: ApprovalRequest) -> str:
        asked.set()
        await asyncio.sleep(3600)
        return "once"

    async with asking(approve=silent) as board:
        calling = asyncio.ensure_future(board.call("ask", {"reasons": ["really?"]}, signal=signal))
        await asked.wait()
        stage = board.running[0].stage
        signal.cancel("enough")
        outcome = await calling
        running = board.running

    assert isinstance(outcome, Failure)
    assert (stage, outcome.code, outcome.message, running) == ("approve", "aborted", "enough", ())


async def test_a_cancelled_caller_leaves_nobody_asking() -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def silent(request: ApprovalRequest) -> str:
        asked.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return "once"

    async with asking(approve=silent) as board:
        calling = asyncio.ensure_future(board.call("ask", {"reasons": ["really?"]}))
        await asked.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await asyncio.wait_for(ended.wait(), 5)


async def test_questions_asked_at_once_are_answered_one_after_the_other() -> None:
    going: list[int] = []
    most: list[int] = []

    async def slow(request: ApprovalRequest) -> str:
        going.append(1)
        most.append(len(going))
        await asyncio.sleep(0.01)
        going.pop()
        return "once"

    @tool
    async def many(context: RunContext) -> list[str]:
        """Ask many."""
        return list(await asyncio.gather(*(context.ask(str(at)) for at in range(5))))

    async with asking(approve=slow) as board:
        board.register(many)
        outcome = await board.call("many", {})

    assert isinstance(outcome, Success)
    assert (outcome.value, max(most)) == (["once"] * 5, 1)


async def test_after_the_outcome_nobody_can_be_asked() -> None:
    kept: list[RunContext] = []

    @tool
    async def leaky(context: RunContext) -> None:
        """Leak."""
        kept.append(context)

    async with asking(approve=lambda request: "once") as board:
        board.register(leaky)
        await board.call("leaky", {}, id="c")

        with pytest.raises(PegboardError, match="call 'c' is final"):
            await kept[0].ask("late?")


async def test_the_time_that_an_answer_takes_is_none_of_the_tools() -> None:
    timings: list[Timing] = []

    async def slow(request: ApprovalRequest) -> str:
        await asyncio.sleep(0.2)
        return "once"

    def finished(timing: Timing) -> None:
        timings.append(timing)

    @tool(timeout=0.1)
    async def patient(context: RunContext) -> str:
        """Ask, and go on."""
        return await context.ask("really?")

    async with asking(approve=slow, call_finished=finished) as board:
        board.register(patient)
        outcome = await board.call("patient", {})

    assert outcome.unwrap() == "once"
    assert timings[0].waited >= 0.2 > timings[0].body


async def test_nor_is_it_where_the_operator_says_how_many_calls_may_run() -> None:
    async def slow(request: ApprovalRequest) -> str:
        await asyncio.sleep(0.2)
        return "once"

    @tool(timeout=0.1)
    async def patient(context: RunContext) -> str:
        """Ask, and go on."""
        return await context.ask("really?")

    config = Config(tools={"patient": ToolConfig(max_running=1)})
    async with Host(config, discover=False) as host:
        host.register(patient)
        host.hook(approve=slow)
        outcome = await (await host.board("x")).call("patient", {})

    assert outcome.unwrap() == "once"


async def test_after_an_answer_the_tool_has_the_time_that_was_left() -> None:
    @tool(timeout=0.1)
    async def dawdling(context: RunContext) -> str:
        """Ask, and hang."""
        answer = await context.ask("really?")
        await asyncio.sleep(3600)
        return answer

    async with asking(approve=lambda request: "once") as board:
        board.register(dawdling)
        outcome = await board.call("dawdling", {})

    assert isinstance(outcome, Failure)
    assert outcome.code == "timed_out"


@pytest.mark.parametrize("reason", [None, 5, True, {"a": 1}, b"x"], ids=str)
async def test_a_reason_is_text(reason: Any) -> None:
    @tool
    async def odd(context: RunContext) -> str:
        """Ask oddly."""
        return await context.ask(reason)

    async with asking(approve=lambda request: "once") as board:
        board.register(odd)
        outcome = await board.call("odd", {})

    assert isinstance(outcome, Failure)
    assert outcome.message == f"a reason is text, not {type(reason).__name__}"


async def test_odd_characters_of_a_reason_are_shown_as_something_else() -> None:
    seen: list[str] = []
    async with asking(approve=lambda request: seen.append(request.reason) or "once") as board:
        await board.call("ask", {"reasons": ["a\x1b[2Jb"]})

    assert seen == ["a\ufffd[2Jb"]


async def test_a_question_after_one_that_was_given_up_waits_for_its_approver_to_stop() -> None:
    going: list[str] = []
    stages: list[str] = []

    async def stubborn(request: ApprovalRequest) -> str:
        going.append(request.reason)
        try:
            await asyncio.sleep(0.05 if request.reason == "b" else 3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
            raise
        finally:
            stages.append(board.running[0].stage)
            going.remove(request.reason)
        return "once"

    @tool
    async def impatient(context: RunContext) -> str:
        """Give up, and ask again."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(context.ask("a"), 0.01)
        return await context.ask("b")

    async with asking(approve=stubborn) as board:
        board.register(impatient)
        outcome = await board.call("impatient", {})

    assert (outcome.unwrap(), stages) == ("once", ["approve", "approve"])

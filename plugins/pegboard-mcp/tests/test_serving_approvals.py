"""Approvals that the client's user gives, in both eras of the protocol."""

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, ErrorData
from pegboard import Ask, RunContext, tool
from pegboard_mcp import BoardServer
from pegboard_serving import Person, board_with, echo, eras, texts
from pegboard_serving_asked import RAN, asking


@pytest.mark.parametrize("answer", ["once", "board"])
@eras
async def test_a_call_runs_once_the_user_says_so(era: str, answer: str) -> None:
    person = Person(content={"answer": answer})
    heard: list[Any] = []

    async with board_with(echo) as (host, board):
        ask = Ask("it costs money", answered=lambda request, given: heard.append(given))
        host.hook(before_call=lambda execution: ask)
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("echo", RAN)

    assert (texts(result), len(person.asked)) == ("Pi", 1)
    assert heard[-1] == answer


@eras
async def test_the_question_says_what_would_run_and_why(era: str) -> None:
    person = Person(content={"answer": "once"})

    async with (
        asking() as (_, board),
        Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client,
    ):
        await client.call_tool("echo", {"value": "Pi\u202e\x1b[2J"})

    [question] = person.asked
    assert question.splitlines() == [
        "echo of the program, on board 'desk', needs an approval.",
        "Reason: it costs money",
        "Arguments: {",
        '  "value": "Pi\\u202e\\u001b[2J"',
        "}",
    ]


@pytest.mark.parametrize(
    ("person", "said"),
    [
        (Person("decline"), "the approval was rejected"),
        (Person("accept", {"answer": "rejected"}), "the approval was rejected"),
        (Person("cancel"), "the question for an approval was cancelled"),
        (Person("accept", {"answer": "always"}), "the question for an approval was cancelled"),
        (Person("accept", {}), "the question for an approval was cancelled"),
    ],
    ids=["declined", "no", "cancelled", "unknown", "empty"],
)
@eras
async def test_nothing_runs_without_a_clear_yes(era: str, person: Person, said: str) -> None:
    async with asking() as (host, board):
        codes: list[Any] = []
        host.hook(call_finished=lambda outcome: codes.append(outcome.code))
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("echo", RAN)

    assert (result.is_error, texts(result)) == (True, f"Error: {said}")
    assert codes[-1] == "denied"


@eras
async def test_a_client_that_can_ask_nobody_is_denied(era: str) -> None:
    async with asking() as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("echo", RAN)

    assert result.is_error
    assert texts(result) == "Error: it needs an approval, and no approver has answered"


@eras
async def test_calls_of_the_program_are_not_asked_of_a_client(era: str) -> None:
    person = Person(content={"answer": "once"})

    async with (
        asking() as (_, board),
        Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client,
    ):
        await client.call_tool("echo", RAN)
        outcome = await board.call("echo", RAN)

    assert (outcome.is_error, len(person.asked)) == (True, 1)


@eras
async def test_calls_inside_a_call_are_asked_of_its_client(era: str) -> None:
    person = Person(content={"answer": "once"})

    @tool
    async def outer(context: RunContext) -> str:
        """Call another tool."""
        return str((await context.call("echo", RAN)).unwrap())

    async with board_with(outer, echo) as (host, board):
        host.hook(before_call=lambda execution: Ask() if execution.tool == "echo" else None)
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("outer", {})

    assert (texts(result), len(person.asked)) == ("Pi", 1)


@eras
async def test_what_a_tool_asks_in_the_middle_is_asked_of_its_client(era: str) -> None:
    person = Person(content={"answer": "once"})

    @tool
    async def careful(context: RunContext) -> str:
        """Ask twice."""
        answers = [await context.ask("first"), await context.ask("second")]
        if "cancelled" in answers:
            raise RuntimeError("nobody answers now")
        return " ".join(answers)

    async with (
        board_with(careful) as (_, board),
        Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client,
    ):
        result = await client.call_tool("careful", {})

    assert (texts(result), len(person.asked)) == ("once once", 2)


async def test_a_client_that_refuses_to_ask_is_denied(caplog: pytest.LogCaptureFixture) -> None:
    async def refuse(_: object, params: Any) -> ErrorData:
        return ErrorData(code=-32000, message="nobody is here")

    async with (
        asking() as (_, board),
        Client(BoardServer(board), mode="legacy", elicitation_callback=refuse) as client,
    ):
        result = await client.call_tool("echo", RAN)

    assert result.is_error
    assert "the approval is unavailable" in texts(result)
    assert "nobody is here" in caplog.text


@tool
async def pay(euros: int) -> str:
    """Pay."""
    return f"paid {euros}"


@eras
async def test_a_body_goes_on_after_each_approval_inside_it(era: str) -> None:
    person, paid = Person(content={"answer": "once"}), []

    @tool
    async def pay_all(context: RunContext) -> str:
        """Pay three times, and let a failure pass."""
        for euros in (1, 1, 2):
            outcome = await context.call("pay", {"euros": euros})
            paid.append(outcome.content[0].text)
        return f"{await context.ask('the end')} {await context.ask('the end')}"

    async with board_with(pay, pay_all) as (host, board):
        host.hook(before_call=lambda execution: Ask() if execution.tool == "pay" else None)
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("pay_all", {})

    assert (texts(result), len(person.asked)) == ("once once", 5)
    assert paid == ["paid 1", "paid 1", "paid 2"]


@eras
async def test_calls_that_need_approvals_at_the_same_time_all_get_theirs(era: str) -> None:
    person = Person(content={"answer": "once"})

    @tool
    async def both(context: RunContext) -> str:
        """Pay twice at once."""
        paid = await asyncio.gather(*(context.call("pay", {"euros": n}) for n in (1, 2)))
        return " ".join(each.unwrap() for each in paid)

    async with board_with(pay, both) as (host, board):
        host.hook(before_call=lambda execution: Ask() if execution.tool == "pay" else None)
        async with Client(BoardServer(board), mode=era, elicitation_callback=person.fill) as client:
            result = await client.call_tool("both", {})

    assert (texts(result), len(person.asked)) == ("paid 1 paid 2", 2)


async def test_a_question_ends_with_the_call_that_it_is_about() -> None:
    asked, withdrawn = asyncio.Event(), asyncio.Event()

    async def ponder(_: object, params: Any) -> ElicitResult:
        asked.set()
        try:
            await asyncio.sleep(60)
        finally:
            withdrawn.set()
        return ElicitResult(action="accept", content={"answer": "once"})

    async with (
        asking() as (host, board),
        Client(BoardServer(board), mode="legacy", elicitation_callback=ponder) as client,
    ):
        codes: list[Any] = []
        host.hook(call_finished=lambda outcome: codes.append(outcome.code))
        with pytest.raises(MCPError):
            await client.call_tool("echo", RAN, read_timeout_seconds=0.2)
        async with asyncio.timeout(10):
            await withdrawn.wait()

    assert asked.is_set()
    assert codes == ["aborted_before_start"]

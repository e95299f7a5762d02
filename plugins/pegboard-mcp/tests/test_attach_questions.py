"""What an attached server asks of its client: people answer some of it, the rest is refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pegboard import ApprovalRequest, Board, Rejected, Signal, ToolCall
from pegboard_attached import OVER_STDIO, attached, until
from pegboard_scripted import Scripted, named
from pegboard_sdk_server import SdkServer

FORM = {
    "type": "object",
    "properties": {
        "sure": {"type": "boolean"},
        "size": {"type": "integer", "default": 3},
        "note": {"type": "string"},
    },
    "required": ["sure"],
}
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def asking(schema: dict[str, Any], message: str = "Really?") -> dict[str, Any]:
    """The arguments that have a scripted server ask."""
    params = {"message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def approving(board: Board, answer: Any) -> list[ApprovalRequest]:
    """Have everything on the board answered so; what is asked."""
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> Any:
        asked.append(request)
        return answer

    board.hook(approve=approve)
    return asked


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("once", "accept {'sure': True, 'size': 3}"),
        ("board", "accept {'sure': True, 'size': 3}"),
        ("always", "accept {'sure': True, 'size': 3}"),
        ("rejected", "decline None"),
        (Rejected("no"), "decline None"),
        ("cancelled", "cancel None"),
        (None, "cancel None"),
    ],
)
@pytest.mark.parametrize("place", ["memory", "stdio"])
async def test_people_answer_a_question_of_the_new_era(
    place: str, answer: Any, action: str
) -> None:
    async with attached(SdkServer() if place == "memory" else OVER_STDIO) as (_, board):
        asked = approving(board, answer)

        outcome = await board.call("s_ask", {"schema": FORM})

    assert outcome.unwrap() == action
    assert [(each.reason, each.tool) for each in asked] == [("Really?", "s_ask")]


async def test_people_answer_a_question_of_the_old_era(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, "question")) as (_, board):
        asked = approving(board, "once")

        outcome = await board.call("s_question", asking(FORM, "Sure?\u202e\x1b"), id="c1")

    answer = {"action": "accept", "content": {"sure": True, "size": 3}}
    assert json.loads(outcome.unwrap()) == answer
    assert [(each.call_id, each.reason) for each in asked] == [("c1", "Sure?")]


async def test_a_form_that_yes_does_not_fill_is_declined(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, "question")) as (_, board):
        approving(board, "once")

        outcome = await board.call("s_question", asking(NAME))

    assert json.loads(outcome.unwrap()) == {"action": "decline"}


async def test_an_address_to_open_is_shown_to_people(tmp_path: Path) -> None:
    params = {"mode": "url", "message": "Sign in", "url": "https://example.org/in"}
    async with attached(Scripted(tmp_path, "question")) as (_, board):
        asked = approving(board, "once")

        outcome = await board.call(
            "s_question",
            {"method": "elicitation/create", "params": {**params, "elicitationId": "1"}},
        )

    assert json.loads(outcome.unwrap()) == {"action": "accept"}
    assert [each.reason for each in asked] == ["Sign in (https://example.org/in)"]


async def test_a_question_that_may_belong_to_two_calls_is_declined(tmp_path: Path) -> None:
    server = Scripted(tmp_path, *named("question", "sleep", annotations={"readOnlyHint": True}))
    async with attached(server) as (_, board):
        asked = approving(board, "once")
        calls = [
            ToolCall("1", "s_sleep", {"seconds": 1}),
            ToolCall("2", "s_question", asking(FORM)),
        ]

        outcomes = await board.run(calls)

    assert json.loads(outcomes[1].unwrap()) == {"action": "decline"}
    assert asked == []


async def test_two_calls_of_the_new_era_are_asked_about_each_by_itself() -> None:
    async with attached(SdkServer()) as (_, board):
        asked = approving(board, "once")

        await asyncio.gather(*(board.call("s_ask", {"schema": FORM}, id=each) for each in "ab"))

    assert sorted(each.call_id for each in asked) == ["a", "b"]


async def test_a_question_of_a_cancelled_call_is_withdrawn(tmp_path: Path) -> None:
    signal, seen = Signal(), asyncio.Event()

    async def approve(request: ApprovalRequest) -> str:
        seen.set()
        await asyncio.sleep(30)
        return "once"

    async with attached(SdkServer()) as (_, board):
        board.hook(approve=approve)
        call = asyncio.create_task(board.call("s_ask", {"schema": FORM}, signal=signal))
        await seen.wait()
        signal.cancel("enough")

        async with asyncio.timeout(2):
            assert (await call).is_error


@pytest.mark.parametrize("method", ["roots/list", "sampling/createMessage", "unheard/of"])
async def test_what_is_not_offered_is_refused_with_an_error(tmp_path: Path, method: str) -> None:
    params = {} if method != "sampling/createMessage" else {"messages": [], "maxTokens": 1}
    async with attached(Scripted(tmp_path, "question")) as (_, board):
        outcome = await board.call("s_question", {"method": method, "params": params})

    assert json.loads(outcome.unwrap())["error"]["code"] in (-32600, -32601)


async def test_nothing_but_questions_is_offered(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t")
    async with attached(server):
        pass

    [offered] = [
        each["initialize"]["capabilities"] for each in server.heard if "initialize" in each
    ]
    assert set(offered) == {"elicitation"}


async def test_sampling_in_the_new_era_fails_that_call_only() -> None:
    async with attached(SdkServer()) as (_, board):
        assert (await board.call("s_sample")).is_error
        assert not (await board.call("s_echo")).is_error


async def test_a_ping_is_answered(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, "question")) as (_, board):
        outcome = await board.call("s_question", {"method": "ping"})

    assert json.loads(outcome.unwrap()) == {}


async def test_what_the_server_logs_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "pegboard.plugins.s")
    message = {"method": "notifications/message", "params": {"level": "info", "data": "hello"}}
    line = json.dumps({"jsonrpc": "2.0", **message})
    async with attached(Scripted(tmp_path, "t", stray=[line])) as (_, board):
        await board.call("s_t")
        await until(lambda: "hello" in caplog.text)

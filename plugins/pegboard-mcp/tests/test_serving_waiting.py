"""A call of a newer client waits where it is until its client has answered."""

import asyncio
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, InputRequiredResult
from pegboard import Ask, tool
from pegboard_mcp.serving import calls
from pegboard_serving import board_with, echo, texts
from pegboard_serving_asked import asked_client, asking, raw, yes


async def test_a_modern_client_is_asked_with_a_result_while_its_one_call_waits() -> None:
    async with asking() as (host, board), asked_client(board) as client:
        ended: list[Any] = []
        host.hook(call_finished=lambda outcome: ended.append(outcome.is_error))
        asked = await raw(client)
        waiting = [each.stage for each in host.running]
        result = await raw(client, input_responses=yes(), request_state=asked.request_state)

    assert isinstance(asked, InputRequiredResult)
    assert texts(result) == "Pi"
    assert (waiting, ended) == (["approve"], [False])


async def test_an_answer_is_good_once() -> None:
    async with asking() as (host, board), asked_client(board) as client:
        bodies: list[Any] = []
        host.hook(call_finished=lambda outcome: bodies.append(outcome.is_error))
        asked = await raw(client)
        again = {"input_responses": yes(), "request_state": asked.request_state}
        results = await asyncio.gather(raw(client, **again), raw(client, **again))
        late = await raw(client, **again)

    assert sorted(map(texts, results)) == ["Error: the call is gone; call again", "Pi"]
    assert (late.is_error, texts(late)) == (True, "Error: the call is gone; call again")
    assert bodies == [False]


async def test_a_call_whose_client_never_answers_ends_after_some_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "PATIENCE", 0.1)

    async with asking() as (host, board), asked_client(board) as client:
        ended: asyncio.Queue[Any] = asyncio.Queue()
        host.hook(call_finished=lambda outcome: ended.put_nowait(outcome.message))
        asked = await raw(client)
        said = await asyncio.wait_for(ended.get(), 10)
        late = await raw(client, input_responses=yes(), request_state=asked.request_state)

        assert (said, host.running) == ("the question for an approval was cancelled", ())
        assert texts(late) == "Error: the call is gone; call again"


async def test_only_so_many_calls_wait_and_the_oldest_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "MOST_WAITING", 2)

    async with asking() as (_, board), asked_client(board) as client:
        asked = [await raw(client) for _ in range(3)]
        results = [
            await raw(client, input_responses=yes(), request_state=each.request_state)
            for each in asked
        ]

    assert [texts(each) for each in results] == ["Error: the call is gone; call again", "Pi", "Pi"]


async def test_a_call_that_waits_is_cancelled_when_nobody_is_served_any_more() -> None:
    async with asking() as (host, board):
        codes: list[Any] = []
        host.hook(call_finished=lambda outcome: codes.append(outcome.code))
        async with asked_client(board) as client:
            await raw(client)

        assert (codes, host.running) == (["aborted_before_start"], ())


async def test_a_call_that_waits_is_cancelled_with_its_board() -> None:
    async with asking() as (host, board), asked_client(board) as client:
        asked = await raw(client)
        await board.close(grace=0)
        late = await raw(client, input_responses=yes(), request_state=asked.request_state)

        assert (late.is_error, host.running) == (True, ())


async def test_an_answer_that_is_missing_is_asked_for_again() -> None:
    async with asking() as (_, board), asked_client(board) as client:
        asked = await raw(client)
        again = await raw(client, input_responses={}, request_state=asked.request_state)
        result = await raw(client, input_responses=yes(), request_state=again.request_state)

    assert isinstance(again, InputRequiredResult)
    assert texts(result) == "Pi"


@pytest.mark.parametrize("other", [{"value": "Tau"}, {}, None])
async def test_an_approval_is_for_the_arguments_that_were_shown(other: Any) -> None:
    async with asking() as (_, board), asked_client(board) as client:
        asked = await raw(client)
        with pytest.raises(MCPError) as error:
            await client.session.call_tool(
                "echo",
                other,
                allow_input_required=True,
                input_responses=yes(),
                request_state=asked.request_state,
            )

    assert error.value.code == INVALID_PARAMS


async def test_a_state_that_another_server_has_sealed_is_refused() -> None:
    async with (
        asking() as (_, board),
        asked_client(board) as client,
        asked_client(board) as other,
    ):
        asked = await raw(client)
        for state in (asked.request_state, f"{asked.request_state}x", "{}", ""):
            with pytest.raises(MCPError) as error:
                await raw(other, input_responses=yes(), request_state=state)
            assert error.value.code == INVALID_PARAMS
            assert error.value.message.endswith("the call is gone; call again")


async def test_an_approval_is_void_once_the_tool_is_another() -> None:
    async with board_with() as (host, board), asked_client(board) as client:
        host.hook(before_call=lambda execution: Ask())
        first = host.register(echo)
        asked = await raw(client)
        first.close()

        @tool(name="echo")
        async def shout(value: str) -> str:
            """Shout."""
            return value.upper()

        host.register(shout)
        again = await raw(client, input_responses=yes(), request_state=asked.request_state)

    assert texts(again) == "Error: the approval was for a tool that has changed since"

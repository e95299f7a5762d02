"""What is told of calls that a program cut off, of results that are too large, and of ways in."""

import asyncio
from typing import Any

import pytest
from pegboard import JSON, BoardError, Code, Config, Host, ProgramResult, Tool, ToolCallError
from pegboard.board.run_code import _fenced
from pegboard_policies import failed, succeeded
from pegboard_programs import Inside, asked, coded, running


async def test_a_call_that_a_program_has_not_awaited_is_named_in_the_notes() -> None:
    began = asyncio.Event()

    async def hold(*_: Any) -> None:
        began.set()
        await asyncio.Event().wait()

    async def body(it: Inside) -> int:
        it.make("held")
        it.make("held")
        await began.wait()
        return 1

    held = Tool(name="held", parameters={"type": "object"}, run=hold)
    async with coded(body, held) as (_, board):
        outcome = succeeded(await running(board, call_id="p"))

    assert outcome.notes == (
        "call 'p:code:1' of 'held' was stopped: the program ended before it had its outcome",
        "call 'p:code:2' of 'held' was never made: the program ended before it had its outcome",
    )


async def test_calls_that_were_awaited_leave_no_notes() -> None:
    async def body(it: Inside) -> JSON:
        return await it.make("one")

    one = Tool(name="one", parameters={"type": "object"}, run=lambda *_: 1)
    async with coded(body, one) as (_, board):
        assert succeeded(await running(board)).notes == ()


@pytest.mark.parametrize(
    ("limits", "value"),
    [({"max_bytes": 100}, "x" * 200), ({"max_nodes": 10}, [1] * 20), ({"max_depth": 3}, [[[[1]]]])],
    ids=["bytes", "nodes", "depth"],
)
async def test_a_result_that_is_too_large_ends_the_program_with_what_it_printed(
    limits: dict[str, int], value: JSON
) -> None:
    async def body(it: Inside) -> JSON:
        it.output("kept")
        return value

    async with coded(body, config=Config(**limits)) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details == {"kind": "output", "line": None, "logs": "kept"}
    assert "give back less of it" in failure.message


async def test_what_a_runtime_gives_that_is_no_json_keeps_what_was_printed() -> None:
    async def body(it: Inside) -> Any:
        it.output("kept")
        return ProgramResult({1, 2}, is_given=True)

    async with coded(body) as (_, board):
        failure = failed(await running(board), Code.INVALID_OUTPUT)

    assert failure.details == {"logs": "kept"}


async def test_a_failed_call_that_a_runtime_lets_through_is_the_program_s_fault() -> None:
    async def body(it: Inside) -> JSON:
        return await it.make("broken")

    def broken(*_: Any) -> JSON:
        raise ToolCallError("it is broken")

    tool = Tool(name="broken", parameters={"type": "object"}, run=broken)
    async with coded(body, tool) as (_, board):
        failure = failed(await running(board), Code.CODE_FAILED)

    assert failure.details["kind"] == "exception"
    assert "it is broken" in failure.message


@pytest.mark.parametrize("config", [{"only": ["echo"]}, {"block": ["code"]}])
async def test_a_plugin_that_the_configuration_keeps_out_is_named_where_it_is_missed(
    config: dict[str, list[str]],
) -> None:
    async with Host(Config(**config), discover=False) as host:
        with pytest.raises(BoardError, match="block or only keeps plugin 'code' out"):
            await host.board("desk", presentation="code")


@pytest.mark.parametrize("text", ["x = 1\n", "# ```\n", "# ````` and ```\n"])
def test_no_declaration_ends_the_fence_around_all_of_them(text: str) -> None:
    first, *rest, last = _fenced(text).splitlines()

    assert first == f"{last}python"
    assert set(last) == {"`"}
    assert not any(last in line for line in rest)


async def test_the_notes_of_one_program_are_not_those_of_the_next() -> None:
    async def body(it: Inside) -> int:
        if it.code == "leave":
            it.make("one")
        await asyncio.sleep(0)
        return 1

    one = Tool(name="one", parameters={"type": "object"}, run=lambda *_: asyncio.sleep(9))
    async with coded(body, one) as (_, board):
        left = succeeded(await board.call(asked("p", "leave")))
        clean = succeeded(await running(board))

    assert len(left.notes) == 1
    assert clean.notes == ()

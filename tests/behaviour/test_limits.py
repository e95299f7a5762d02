"""Boards and tools are held to so many calls: which ones count, and what is said of too many."""

from typing import Any

import pytest
from pegboard import Board, Code, Host, RunContext, ToolAnnotations, ToolCall
from pegboard_batches import ask, keyed
from pegboard_cases import named, raw
from pegboard_limits import clock, denied, limited, limiting, passes
from pegboard_policies import failed, noting, standing, succeeded


async def test_a_board_makes_so_many_calls_and_no_more() -> None:
    async with standing(named("free"), config=limited({"calls": 2})) as (_, board):
        await passes(board)
        await passes(board)

        assert await denied(board) == (
            "at most 2 calls may be made on this board; don't try again, not on this board any more"
        )


async def test_each_board_has_a_count_of_its_own_and_a_child_board_too() -> None:
    async with standing(named("free"), config=limited({"calls": 1})) as (host, board):
        child = await host.board("child", parent=board)

        await passes(board)
        await passes(child)

        assert "at most 1 call may" in await denied(child)


async def test_a_board_that_is_made_again_begins_anew() -> None:
    async with Host(limited({"calls": 1}), discover=False) as host:
        host.register(named("free"))
        for _ in range(2):
            async with host.board("case") as board:
                await passes(board)
                await denied(board)


async def test_so_many_calls_begin_within_any_minute() -> None:
    async with standing(named("free"), config=limited({"per_minute": 2})) as (_, board):
        with clock() as now:
            await passes(board)
            now.now += 47.5
            await passes(board)
            message = await denied(board)
            now.now += 12.5
            await passes(board)
            later = await denied(board)

    what = "at most 2 calls may be made in a minute on this board; try again in"
    assert (message, later) == (f"{what} 13 s", f"{what} 48 s")


async def test_after_the_time_that_is_said_a_call_passes() -> None:
    async with standing(named("free"), config=limited({"per_minute": 1})) as (_, board):
        with clock() as now:
            await passes(board)
            now.now += 0.1
            message = await denied(board)
            now.now += float(message.split()[-2])

            await passes(board)


async def test_so_many_calls_run_at_once() -> None:
    async with limiting({"running": 2}) as calls:
        await calls.start("1", "2")

        assert await denied(calls.board) == (
            "at most 2 calls may run at once on this board; try again once one of them has ended"
        )
        calls.gated.is_open = True
        calls.gated.let("1")
        await calls.tasks[0]
        await passes(calls.board)


async def test_of_several_reasons_the_most_lasting_one_is_said() -> None:
    rules = [{"calls": 1, "running": 1, "per_minute": 1}]
    async with limiting(*rules) as calls:
        await calls.start("1")

        assert "any more" in await denied(calls.board)


PER: list[tuple[list[str], str, int]] = [
    (["board"], "at most 1 call may be made on this board", 2),
    (["tool"], "at most 1 call of 'free' may be made on all boards together", 2),
    (["board", "tool"], "at most 1 call of 'free' may be made on this board", 4),
    ([], "at most 1 call may be made on all boards together", 1),
]


@pytest.mark.parametrize(("per", "words", "passing"), PER, ids=str)
async def test_an_operator_says_what_has_a_count_of_its_own(
    per: list[str], words: str, passing: int
) -> None:
    config = limited({"calls": 1, "per": per})
    async with standing(named("free"), named("other"), config=config) as (host, board):
        boards = [board, await host.board("second")]
        outcomes = [await each.call(tool) for each in boards for tool in ("free", "other")]

        assert len([each for each in outcomes if not each.is_error]) == passing
        assert words in await denied(board)


SELECTORS: dict[str, list[Any]] = {
    "a name": ["wipe"],
    "a pattern": ["wi*"],
    "a table": [{"destructive": True}],
    "several": ["nothing", {"destructive": True, "tags": ["x"]}, "w?pe"],
}


@pytest.mark.parametrize("tools", SELECTORS.values(), ids=SELECTORS.keys())
async def test_a_rule_is_for_the_tools_that_its_selectors_name(tools: list[Any]) -> None:
    effects = ToolAnnotations(destructive=False)
    harmless = raw(lambda arguments, context: 1, name="look", annotations=effects)
    config = limited({"tools": tools, "calls": 1})
    async with standing(named("wipe"), harmless, config=config) as (_, board):
        await passes(board, "wipe")
        await denied(board, "wipe")

        for _ in range(3):
            await passes(board, "look")


async def test_the_message_says_which_tools_count_together() -> None:
    tools = ["wipe", "rm_*", {"destructive": True, "tags": ["a", "b"]}]
    config = limited({"tools": tools, "calls": 1})
    async with standing(named("wipe"), config=config) as (_, board):
        await passes(board, "wipe")

        message = await denied(board, "wipe")

    assert message.startswith(
        "at most 1 call of 'wipe', 'rm_*' or tools with tags = a, b, destructive = true may be made"
    )


async def test_a_rule_is_for_the_boards_that_it_names() -> None:
    config = limited({"boards": ["agent-*", "case"], "calls": 1, "per": []})
    async with standing(named("free"), config=config) as (host, board):
        agent, other = await host.board("agent-1"), await host.board("other")

        await passes(agent)
        message = await denied(board)
        for _ in range(3):
            await passes(other)

    assert "on the boards 'agent-*' or 'case' together" in message


async def test_every_rule_that_means_a_call_must_let_it_pass() -> None:
    rules = [{"tools": ["free"], "calls": 1}, {"calls": 2}]
    async with standing(named("free"), named("other"), config=limited(*rules)) as (_, board):
        await passes(board)
        assert "'free'" in await denied(board)
        await passes(board, "other")

        assert "'free'" not in await denied(board, "other")


async def test_a_refused_call_counts_for_no_rule() -> None:
    rules = [{"tools": ["free"], "calls": 1}, {"calls": 2}]
    async with standing(named("free"), named("other"), config=limited(*rules)) as (_, board):
        await passes(board)
        for _ in range(5):
            await denied(board)

        await passes(board, "other")


async def test_calls_inside_calls_count_too() -> None:
    async def walk(arguments: Any, context: RunContext) -> list[str]:
        outcomes = [await context.call("free", {}) for _ in range(3)]
        return [str(getattr(each, "code", "ok")) for each in outcomes]

    config = limited({"calls": 3})
    async with standing(named("free"), raw(walk, name="walk"), config=config) as (_, board):
        said = succeeded(await board.call("walk")).value

    assert said == ["ok", "ok", "denied"]


async def test_a_tool_that_calls_itself_is_refused_where_only_one_may_run() -> None:
    async def again(arguments: Any, context: RunContext) -> str:
        return str(getattr(await context.call("again", {}), "code", "ok"))

    config = limited({"running": 1})
    async with standing(raw(again, name="again"), config=config) as (_, board):
        assert succeeded(await board.call("again")).value == "denied"


async def test_nobody_is_asked_to_approve_what_is_over() -> None:
    asked: list[str] = []

    async with limiting({"calls": 1}) as calls:
        calls.gated.is_open = True
        calls.host.hook(before_call=ask, approve=noting(asked, "asked", "once"))
        await passes(calls.board)
        await denied(calls.board)

    assert asked == ["asked"]


async def test_calls_of_a_batch_that_wait_for_one_another_don_t_count_as_running() -> None:
    async with limiting({"running": 1}) as calls:
        calls.gated.is_open = True
        calls.host.register(calls.gated.keyed())
        calls.host.register(calls.gated.tool("alone"))
        outcomes = await calls.board.run([*keyed("1a", "2a"), ToolCall("3", "alone")])

    assert [each.is_error for each in outcomes] == [False] * 3


async def test_a_call_that_waits_for_its_turn_has_no_place() -> None:
    async with limiting({"running": 2, "per": []}, tools={}) as calls:
        await calls.start("1")
        message = failed(await calls.board.call("free", "no JSON"), Code.INVALID_ARGUMENTS)
        await calls.start("2")

        assert message.message
        await denied(calls.board)


async def test_a_tool_that_no_rule_means_has_nothing_of_it_in_its_chains() -> None:
    async with limiting({"tools": ["free"], "calls": 1}) as calls:
        calls.host.register(calls.gated.free("other"))

        assert _hooks(calls.board, "free") == [1, 1, 1]
        assert _hooks(calls.board, "other") == [0, 0, 0]


def _hooks(board: Board, name: str) -> list[int]:
    scope = board._scope
    entry = scope.find(name)
    assert entry is not None
    chains = scope.chains().of(entry, epoch=scope.epoch.number)
    return [len(each) for each in (chains.before, chains.around, chains.finished)]

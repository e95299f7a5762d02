"""An agent that repeats the same call is reminded of it."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import (
    Block,
    Board,
    Code,
    Config,
    Deny,
    Host,
    PluginConfig,
    RunContext,
    Text,
    ToolError,
    tool,
)
from pegboard_policies import failed, standing


def on(**said: Any) -> Config:
    """A configuration with a table for the plugin."""
    return Config(plugins={"repeats": PluginConfig(settings={"message": "{tool} {times}", **said})})


@tool
async def look(at: str, closely: bool = False) -> str:
    """Look at something."""
    if at == "nowhere":
        raise ToolError("there is no such place")
    return at


@tool
async def walk(context: RunContext) -> int:
    """Look at the same thing often."""
    for _ in range(5):
        await context.call("look", {"at": "here"})
    return 5


async def reminders(board: Board, *calls: Any, name: str = "look") -> list[Any]:
    """What the model is reminded of by calls, one after the other."""
    return [list((await board.call(name, each)).contexts) for each in calls]


HERE = {"at": "here"}


async def test_every_so_many_equal_calls_in_a_row_there_is_a_reminder() -> None:
    async with standing(look, config=on()) as (_, board):
        said = await reminders(board, *[HERE] * 7)

    assert said == [[], [], ["look 3"], [], [], ["look 6"], []]


async def test_the_operator_says_how_many_and_what_is_said() -> None:
    config = on(after=2, message="Stop. {times} is enough; {braces} and {tool}")
    async with standing(look, config=config) as (_, board):
        said = await reminders(board, HERE, HERE)

    assert said[1] == ["Stop. 2 is enough; {braces} and look"]


async def test_without_a_message_of_the_operator_the_model_is_told_what_it_can_do() -> None:
    config = Config(plugins={"repeats": PluginConfig()})
    async with standing(look, config=config) as (_, board):
        (*_, (said,)) = await reminders(board, HERE, HERE, HERE)

    assert said.startswith("look was called 3 times in a row with the same arguments.")


async def test_arguments_are_the_same_however_they_are_written() -> None:
    spellings = ['{"at": "here", "closely": true}', {"closely": True, "at": "here"}]
    async with standing(look, config=on(after=2)) as (_, board):
        said = await reminders(board, *spellings)

    assert said == [[], ["look 2"]]


async def test_another_call_begins_a_new_row() -> None:
    there = {"at": "there"}
    async with standing(look, config=on(after=2)) as (_, board):
        said = await reminders(board, HERE, there, HERE, there, there)

    assert said == [[], [], [], [], ["look 2"]]


async def test_a_call_that_no_verdict_is_asked_for_ends_a_row_too() -> None:
    async with standing(look, config=on(after=2)) as (_, board):
        await board.call("look", HERE)
        await board.call("loook", HERE)
        unknown = await reminders(board, HERE)
        await board.call("look", {"at": 3})
        invalid = await reminders(board, HERE, HERE)

    assert (unknown, invalid) == ([[]], [[], ["look 2"]])


async def test_failures_count_like_successes() -> None:
    async with standing(look, config=on(after=2)) as (_, board):
        said = await reminders(board, *[{"at": "nowhere"}] * 2)

    assert said == [[], ["look 2"]]


async def test_refused_calls_count_too() -> None:
    async with standing(look, config=on(after=2)) as (host, board):
        host.hook(before_call=lambda: Deny("no"))
        said = await reminders(board, HERE, HERE)

    assert said == [[], ["look 2"]]


async def test_a_blocked_outcome_says_what_who_blocked_it_says_and_no_more() -> None:
    async with standing(look, config=on(after=2)) as (host, board):
        host.hook(after_call=lambda outcome: Block([Text(outcome.tool)]))
        await board.call("look", HERE)
        blocked = failed(await board.call("look", HERE), Code.BLOCKED)

    assert blocked.contexts == ()


async def test_each_board_has_a_row_of_its_own() -> None:
    async with standing(look, config=on(after=2)) as (host, board):
        child = await host.board("child", parent=board)
        said = [await reminders(each, HERE) for each in (board, child, board, child)]

    assert said == [[[]], [[]], [["look 2"]], [["look 2"]]]


async def test_a_board_that_is_made_again_begins_anew() -> None:
    async with Host(on(after=2), discover=False) as host:
        host.register(look)
        for _ in range(2):
            async with host.board("case") as board:
                assert await reminders(board, HERE) == [[]]


async def test_a_row_goes_on_over_a_change_of_its_figure() -> None:
    async with standing(look, config=on(after=4)) as (host, board):
        before = await reminders(board, HERE, HERE)
        await host.sync(on(after=3))
        await host.reload("repeats")

        assert (before, await reminders(board, HERE)) == ([[], []], [["look 3"]])


async def test_a_board_that_was_there_before_the_plugin_is_reminded_as_well() -> None:
    async with standing(look) as (host, board):
        await host.load("repeats", settings={"after": 2, "message": "again"})
        said = await reminders(board, HERE, HERE)

    assert said == [[], ["again"]]


async def test_calls_inside_calls_neither_count_nor_end_a_row() -> None:
    async with standing(look, walk, config=on(after=2)) as (_, board):
        first = await reminders(board, HERE)
        said = await reminders(board, {}, {}, name="walk")

    assert [*first, *said] == [[], [], ["walk 2"]]


@settings(max_examples=50)
@given(st.lists(st.sampled_from("ab"), max_size=20), st.integers(2, 4))
async def test_a_reminder_comes_exactly_where_the_row_is_a_multiple(
    places: list[str], after: int
) -> None:
    async with standing(look, config=on(after=after)) as (_, board):
        said = await reminders(board, *[{"at": each} for each in places])

    for number, given_ in enumerate(said):
        back = places[number::-1]
        row = next((i for i, each in enumerate(back) if each != back[0]), len(back))
        assert given_ == ([] if row % after else [f"look {row}"])

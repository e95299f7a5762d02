"""What an answer is good for, and for how long."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard import Rejected

Desk = Callable[..., Any]
NARROW = {"ask": [{"tool": "write", "arguments": {"path": "/etc/*"}}]}


async def test_once_is_for_one_call(desk: Desk) -> None:
    async with desk(default="ask") as it:
        ends = [await it.ends("write") for _ in range(2)]

    assert ends == ["ok", "ok"]
    assert len(it.people.asked) == 2


async def test_board_is_for_all_calls_of_the_tool_on_that_board(desk: Desk) -> None:
    async with desk(default="ask") as it:
        it.people.answer = "board"
        for tool, board in (("write", "one"), ("write", "one"), ("read", "one"), ("write", "two")):
            await it.ends(tool, board, path="x")

    asked = [(each.tool, each.board) for each in it.people.asked]
    assert asked == [("write", "one"), ("read", "one"), ("write", "two")]


async def test_an_answer_for_a_board_goes_with_the_board(desk: Desk) -> None:
    async with desk(default="ask") as it:
        it.people.answer = "board"
        for _ in range(2):
            async with it.host.board("one") as board:
                await it.ends("write", board)

    assert len(it.people.asked) == 2


async def test_an_answer_is_for_the_tools_of_one_owner(desk: Desk, store: Path) -> None:
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "always"
        await it.ends("write")
        kept = store.read_text()
        store.write_text(kept.replace('plugin = "files"', 'plugin = "rival"'))
        async with desk(default="ask", store=str(store)) as other:
            await other.ends("write")

    assert len(other.people.asked) == 1


async def test_always_is_for_every_board_and_the_next_host(desk: Desk, store: Path) -> None:
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "always"
        ends = [await it.ends("write", board) for board in ("one", "two")]
    async with desk(default="ask", store=str(store)) as later:
        ends.append(await later.ends("write"))

    assert ends == ["ok", "ok", "ok"]
    assert (len(it.people.asked), len(later.people.asked)) == (1, 0)


async def test_always_without_a_file_is_for_the_board(desk: Desk) -> None:
    async with desk(default="ask") as it:
        it.people.answer = "always"
        for board in ("one", "one", "two"):
            await it.ends("write", board)

    assert [each.board for each in it.people.asked] == ["one", "two"]


async def test_a_rule_about_arguments_is_not_answered_by_a_yes_to_the_tool(
    desk: Desk, store: Path
) -> None:
    async with desk(rules=[NARROW], store=str(store)) as it:
        it.people.answer = "always"
        for path in ("/tmp/a", "/tmp/b", "/etc/a", "/etc/b"):
            assert await it.ends("write", path=path) == "ok"

    assert [each.arguments["path"] for each in it.people.asked] == ["/tmp/a", "/etc/a"]


async def test_a_yes_to_some_arguments_is_no_yes_to_the_tool(desk: Desk, store: Path) -> None:
    async with desk(rules=[NARROW], store=str(store)) as it:
        it.people.answer = "always"
        for path in ("/etc/a", "/tmp/a"):
            assert await it.ends("write", path=path) == "ok"

    assert [each.arguments["path"] for each in it.people.asked] == ["/etc/a", "/tmp/a"]


async def test_a_rule_that_denies_wins_over_every_answer(desk: Desk, store: Path) -> None:
    store.write_text('[[allow]]\nplugin = "files"\ntool = "write"\n')
    rules = [{"boards": ["strict"], "deny": ["write"]}]
    async with desk(rules=rules, store=str(store)) as it:
        assert await it.ends("write", "strict") == "denied"
        assert await it.ends("write", "other") == "ok"
    assert it.people.asked == []


@pytest.mark.parametrize("answer", ["rejected", "cancelled", "later", Rejected("no"), "perhaps"])
async def test_what_is_no_yes_is_not_remembered(desk: Desk, store: Path, answer: Any) -> None:
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = answer
        ends = [await it.ends("write") for _ in range(2)]

    assert "ok" not in ends
    assert len(it.people.asked) == 2
    assert not store.exists()


async def test_the_question_says_how_far_each_answer_goes(desk: Desk, store: Path) -> None:
    async with desk(rules=[NARROW], store=str(store)) as it:
        await it.ends("write", path="/etc/a")

    (asked,) = it.people.asked
    assert asked.reason == (
        "a rule asks; the answer \"board\" is for all calls of 'write' of plugin 'files' whose "
        'arguments fit {"path": "/etc/*"}, on this board while it lives; "always" is for every '
        "board, kept in permissions.toml"
    )


async def test_an_answer_that_comes_with_the_call_counts_as_well(desk: Desk) -> None:
    async with desk(default="ask") as it:
        it.people.answer = "later"
        board = await it.host.board("one")
        asked = await board.call("write", {}, id="call-1")
        digest = asked.details["request"]["digest"]

        again = await board.call("write", {}, id="call-1", approvals={digest: "board"})

        assert not again.is_error
        assert await it.ends("write") == "ok"

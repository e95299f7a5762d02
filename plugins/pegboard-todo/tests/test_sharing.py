"""Boards, hosts and processes that share one file."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from pegboard import Host, Outcome, ToolCall

Call = Callable[..., Outcome]
Hosted = Callable[..., AbstractAsyncContextManager[Host]]


async def added(host: Host, board: str, text: str) -> None:
    """Put one item on the list of a board."""
    (await (await host.board(board)).call("todo_add", {"texts": [text]})).unwrap()


async def listed(host: Host, board: str) -> list[tuple[int, str]]:
    """What is on the list of a board."""
    value = (await (await host.board(board)).call("todo_list")).unwrap()
    return [(each["id"], each["text"]) for each in value["items"]]


async def test_each_board_has_a_list_of_its_own(hosted: Hosted) -> None:
    async with hosted() as host:
        await added(host, "one", "for one")
        await added(host, "two", "for two")

        assert await listed(host, "one") == [(1, "for one")]
        assert await listed(host, "two") == [(1, "for two")]
        assert await listed(host, "three") == []


async def test_a_child_board_has_another_list_than_its_parent(hosted: Hosted) -> None:
    async with hosted() as host:
        parent = await host.board("parent")
        await added(host, "parent", "for the parent")
        async with host.board("child", parent=parent):
            await added(host, "child", "for the child")

            assert await listed(host, "child") == [(1, "for the child")]
        assert await listed(host, "parent") == [(1, "for the parent")]


async def test_a_board_that_was_closed_finds_its_list_again(hosted: Hosted) -> None:
    async with hosted() as host:
        async with host.board("agent"):
            await added(host, "agent", "one")
        async with host.board("agent"):
            assert await listed(host, "agent") == [(1, "one")]


@pytest.mark.parametrize("name", ["a" * 128, "0", "_", "a.b@c:d-e", "main", "sqlite_x"])
async def test_an_odd_name_of_a_board_is_only_a_name(hosted: Hosted, name: str) -> None:
    async with hosted() as host:
        await added(host, name, "one")

        assert await listed(host, name) == [(1, "one")]
        assert await listed(host, "other") == []


async def test_a_plugin_that_is_loaded_for_one_board_serves_only_that(path: Path) -> None:
    async with Host(discover=False) as host:
        one, two = await host.board("one"), await host.board("two")
        await host.load("todo", board=one, settings={"path": str(path)})

        assert not (await one.call("todo_add", {"texts": ["x"]})).is_error
        assert (await two.call("todo_list")).is_error


async def test_two_hosts_see_what_the_other_has_written(hosted: Hosted) -> None:
    async with hosted() as first, hosted() as second:
        await added(first, "agent", "one")
        await added(second, "agent", "two")

        assert await listed(first, "agent") == [(1, "one"), (2, "two")]


async def test_four_hosts_that_write_at_once_lose_nothing(hosted: Hosted) -> None:
    async def write(name: str) -> None:
        async with hosted(max_seconds=60) as host:
            for number in range(5):
                await added(host, "agent", f"{name} {number}")

    await asyncio.gather(*map(write, "abcd"))

    async with hosted() as host:
        found = await listed(host, "agent")
    assert [number for number, _ in found] == list(range(1, 21))
    assert len({text for _, text in found}) == 20


PROGRAM = """
import asyncio, sys
import pegboard_todo
from pegboard import Host

async def main():
    async with Host(discover=False) as host:
        settings = {"path": sys.argv[1], "max_seconds": 60}
        await host.load(pegboard_todo, settings=settings)
        board = await host.board("agent")
        for number in range(10):
            (await board.call("todo_add", {"texts": [f"{sys.argv[2]} {number}"]})).unwrap()

asyncio.run(main())
"""


async def test_processes_that_write_at_once_lose_nothing(path: Path, hosted: Hosted) -> None:
    command = [sys.executable, "-c", PROGRAM, str(path)]
    processes = [subprocess.Popen([*command, name]) for name in "abc"]

    assert [process.wait(timeout=100) for process in processes] == [0, 0, 0]

    async with hosted() as host:
        found = await listed(host, "agent")
    assert [number for number, _ in found] == list(range(1, 31))
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_only_one_of_many_that_begin_at_once_begins(hosted: Hosted) -> None:
    async with hosted() as first, hosted() as second:
        for _ in range(6):
            await added(first, "agent", "x")
        boards = [await host.board("agent") for host in (first, second)] * 3
        asked = [
            board.call("todo_update", {"id": number, "status": "doing"})
            for number, board in enumerate(boards, 1)
        ]
        outcomes = await asyncio.gather(*asked)

    assert [each.is_error for each in outcomes].count(False) == 1


async def test_calls_of_one_batch_see_each_other_in_order(hosted: Hosted) -> None:
    async with hosted() as host:
        board = await host.board("agent")
        outcomes = await board.run(
            [
                ToolCall("1", "todo_add", {"texts": ["one", "two"]}),
                ToolCall("2", "todo_update", {"id": 1, "status": "done"}),
                ToolCall("3", "todo_list"),
                ToolCall("4", "todo_clear"),
                ToolCall("5", "todo_list"),
            ]
        )

    assert [len(each.unwrap()["items"]) for each in outcomes] == [2, 2, 2, 1, 1]

"""Hooks learn that what a board shows has changed: soon, once, and only where somebody looked."""

import asyncio
from typing import Any

import pytest
from pegboard import Board, Host, Tool


def named(name: str) -> Tool:
    """A tool of that name."""
    return Tool(name=name, description=name, parameters={"type": "object"}, run=lambda *_: None)


async def settled() -> None:
    """Let what is due happen."""
    for _ in range(3):
        await asyncio.sleep(0)


async def test_many_changes_are_told_once_and_soon() -> None:
    told: list[str] = []
    async with Host(discover=False) as host:
        host.hook(tools_changed=lambda board: told.append(board.name))
        board = await host.board("a")
        board.definitions()
        for name in ("x", "y", "z"):
            host.register(named(name))
        at_once = list(told)
        await settled()

    assert (at_once, told) == ([], ["a"])


async def test_boards_that_nobody_looked_at_since_are_not_told() -> None:
    told: list[str] = []
    async with Host(discover=False) as host:
        host.hook(tools_changed=lambda board: told.append(board.name))
        read, unread = await host.board("read"), await host.board("unread")
        assert read.revision == 0
        host.register(named("x"))
        await settled()
        host.register(named("y"))
        await settled()
        read.definitions()
        unread.definitions()
        host.register(named("z"))
        await settled()

    assert told == ["read", "read", "unread"]


async def test_a_change_that_a_board_does_not_show_is_not_told_to_it() -> None:
    told: list[str] = []
    async with Host(discover=False) as host:
        host.hook(tools_changed=lambda board: told.append(board.name))
        for name, deny in (("all", None), ("few", ["x*"])):
            (await host.board(name, deny=deny)).definitions()
        host.register(named("x1"))
        await settled()

    assert told == ["all"]


@pytest.mark.parametrize("is_async", [False, True])
async def test_what_a_hook_raises_stops_neither_the_change_nor_another_hook(
    is_async: bool,
) -> None:
    told: list[str] = []

    def broken(board: Board) -> Any:
        async def later() -> None:
            raise OSError("later")

        if is_async:
            return later()
        raise SystemExit(1)

    async with Host(discover=False) as host:
        host.hook(tools_changed=broken)
        host.hook(tools_changed=lambda board: told.append(board.name))
        board = await host.board("a")
        board.definitions()
        host.register(named("x"))
        await settled()

        assert (told, list(board.tools)) == (["a"], ["x"])


async def test_a_hook_of_one_board_hears_of_that_board_and_its_children() -> None:
    told: list[str] = []
    async with Host(discover=False) as host:
        parent, other = await host.board("parent"), await host.board("other")
        child = await host.board("child", parent=parent)
        parent.hook(tools_changed=lambda board: told.append(board.name))
        for board in (parent, child, other):
            board.definitions()
        host.register(named("x"))
        await settled()

    assert sorted(told) == ["child", "parent"]

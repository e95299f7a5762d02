"""Boards get the parents that a configuration gives them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pegboard import Board, BoardConfig, Config, Host, hookimpl
from pegboard.errors import BoardError


class Slow:
    """A plugin that takes a moment for every board."""

    @hookimpl
    @asynccontextmanager
    async def pegboard_board(self) -> AsyncIterator[None]:
        """Let others go on before the board is made."""
        await asyncio.sleep(0.01)
        yield


OTHERS = {"*": BoardConfig(parent="base"), "base": BoardConfig(parent="root")}


def lineage(host: Host, name: str) -> list[str]:
    """The names of a board and of those above it."""
    parent = host.boards[name].parent
    return [name, *(lineage(host, parent) if parent is not None else [])]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("any", ["any", "base", "root"]),
        ("base", ["base", "root"]),
        ("root", ["root"]),
        (None, ["board-1", "base", "root"]),
    ],
)
async def test_the_parent_of_all_others_is_theirs_and_not_its_own(
    name: str | None, expected: list[str]
) -> None:
    async with Host(Config(boards=OTHERS), discover=False) as host:
        board = await host.board(name)

        assert lineage(host, board.name) == expected


async def test_thousands_of_boards_above_each_other_are_made() -> None:
    boards = {f"b{n}": BoardConfig(parent=f"b{n + 1}") for n in range(1500)}

    async with Host(Config(boards=boards), discover=False) as host:
        await host.board("b0")

        assert len(host.boards) == 1501


async def test_boards_asked_for_at_once_share_their_parent() -> None:
    boards: dict[str, Any] = dict.fromkeys("abc", BoardConfig(parent="base"))

    async with Host(Config(boards=boards), discover=False) as host:
        await host.load(Slow())
        await asyncio.gather(*(_made(host, name) for name in boards))

        for name in boards:
            await host.boards[name].close()
        await host.boards["base"].close()
        assert not host.boards


async def _made(host: Host, name: str) -> Board:
    return await host.board(name)


async def test_parents_in_a_circle_are_refused_with_their_chain() -> None:
    boards = {"a": BoardConfig(parent="b"), "b": BoardConfig(parent="a")}

    async with Host(Config(boards=boards), discover=False) as host:
        with pytest.raises(BoardError, match="'a' -> 'b' -> 'a'"):
            await host.board("a")

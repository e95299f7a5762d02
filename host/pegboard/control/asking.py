"""The methods that change nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, TypeAlias, TypeVar

import attrs
from annotated_types import MaxLen

from pegboard.board import Board
from pegboard.board.shapes import board_tools, global_tools, plain, problem_json, running_json
from pegboard.control.controlled import Controlled
from pegboard.control.traffic import Traffic
from pegboard.errors import UnknownNameError
from pegboard.values import JSON

T = TypeVar("T")

Name: TypeAlias = Annotated[str, MaxLen(256)]

_AT_ONCE = 20


@attrs.frozen
class Served:
    """What requests are answered from.

    Attributes:
        host: the host.
        traffic: what was counted of its calls.
    """

    host: Controlled
    traffic: Traffic

    def board(self, name: str) -> Board:
        """An open board.

        Raises:
            UnknownNameError: there is none of that name.
        """
        board = self.host.boards.get(name)
        if board is None:
            raise UnknownNameError("board", name, self.host.boards)
        return board


@attrs.frozen
class Status:
    """How the host is, in figures, and what was called on it."""

    is_changing = False

    async def answer(self, served: Served) -> JSON:
        """The status, and the counters of calls."""
        return {**plain(served.host.status()), "calls": served.traffic.read()}


@attrs.frozen
class Running:
    """What runs, on one board and its children or on all."""

    board: Name | None = None

    is_changing = False

    async def answer(self, served: Served) -> JSON:
        """A list of calls."""
        calls = served.host.running
        if self.board is not None:
            names = self._named(served, {each.board for each in calls})
            calls = tuple(each for each in calls if each.board in names)
        return await listed(calls, running_json)

    def _named(self, served: Served, busy: set[str]) -> set[str]:
        """The board and its children, which `cancel` reaches too; one that closes is busy."""
        boards, name = served.host.boards, self.board or ""
        if name not in boards and name not in busy:
            raise UnknownNameError("board", name, {*boards, *busy})
        named = {name}
        for each in boards.values():  # parents come before their children
            if each.parent in named:
                named.add(each.name)
        return named


@attrs.frozen
class Plugins:
    """Every plugin, and what discovery couldn't read."""

    is_changing = False

    async def answer(self, served: Served) -> JSON:
        """A list of plugins, as `pegboard plugins --json` prints it."""
        infos = await listed(tuple(served.host.plugins.values()), plain)
        return [*infos, *map(problem_json, served.host.problems)]


@attrs.frozen
class Boards:
    """Every open board."""

    is_changing = False

    async def answer(self, served: Served) -> JSON:
        """A list of boards, in figures."""
        running = Counter(each.board for each in served.host.running)

        def shape(board: Board) -> JSON:
            return {
                "name": board.name,
                "parent": board.parent,
                "presentation": board.presentation,
                "tools": len(board.tools),
                "revision": board.revision,
                "running": running[board.name],
            }

        return await listed(tuple(served.host.boards.values()), shape, at_once=5)


@attrs.frozen
class Tools:
    """The tools that a board shows, or those of the global layer."""

    board: Name | None = None

    is_changing = False

    async def answer(self, served: Served) -> JSON:
        """A list of tools, as `pegboard tools --json` prints it."""
        if self.board is None:
            return await listed(global_tools(served.host.tools), dict)
        return await listed(board_tools(served.board(self.board)), dict)


@attrs.frozen
class Explain:
    """Why a board shows a name, or doesn't."""

    name: Name
    board: Name

    is_changing = False

    async def answer(self, served: Served) -> JSON:
        """The explanation, and the same as text."""
        explanation = served.board(self.board).explain(self.name)
        return {**plain(explanation), "text": str(explanation)}


async def listed(
    items: Iterable[T], shape: Callable[[T], JSON], *, at_once: int = _AT_ONCE
) -> list[JSON]:
    """Each item in its shape; calls go on meanwhile, however many there are."""
    found: list[JSON] = []
    for each in items:
        found.append(shape(each))
        if len(found) % at_once == 0:
            await asyncio.sleep(0)
    return found

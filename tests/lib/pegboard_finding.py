"""A plugin that keeps deferred tools back, and has them found when the test says so."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs
from pegboard import Board, Config, Deferral, Host, PluginBoard, Tool, hookimpl
from pegboard_cases import named

RARE = attrs.evolve(named("rare"), defer_loading=True)
SCARCE = attrs.evolve(named("scarce"), defer_loading=True)
USUAL = named("usual")
FINDER = named("finder")


@attrs.define(eq=False)
class Finding:
    """The plugin.

    Attributes:
        finder: the tool by which models find others, or None.
        names: what gives the names in its values, or None.
        deferrals: what it keeps back, by the names of boards; of boards that are closed too.
        boards: the boards, by name.
    """

    finder: Tool | None = None
    names: Callable[[Any], Iterable[str]] | None = None
    deferrals: dict[str, Deferral] = attrs.field(factory=dict)
    boards: dict[str, PluginBoard] = attrs.field(factory=dict)

    @hookimpl
    @contextmanager
    def pegboard_board(self, board: PluginBoard) -> Iterator[None]:
        """Keep tools back."""
        self.boards[board.name] = board
        self.deferrals[board.name] = board.defer(self.finder, names=self.names)
        yield


@asynccontextmanager
async def finding(
    *tools: Tool,
    finder: Tool | None = None,
    names: Callable[[Any], Iterable[str]] | None = None,
    config: Config | None = None,
    **options: Any,
) -> AsyncIterator[tuple[Host, Board, Deferral]]:
    """A host with these tools, a board of it, and what is kept back there."""
    plugin = Finding(finder, names)
    async with Host(config, discover=False) as host:
        await host.load(plugin, name="finding")
        for each in tools:
            host.register(each)
        board = await host.board("case", **options)
        yield host, board, plugin.deferrals["case"]


def said(board: Board) -> list[str]:
    """The names of what a model is shown."""
    return [each.name for each in board.definitions()]


def waiting(board: Board) -> list[str]:
    """The names of what it could find."""
    return [each.name for each in board.deferred]

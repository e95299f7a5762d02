"""What the tests of boards share: tools that give their own name, and a plugin that offers them."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
from pegboard import (
    Board,
    Failure,
    Host,
    NameTable,
    Outcome,
    PluginContext,
    RunContext,
    Tool,
    ToolAnnotations,
    hookimpl,
)


def named(name: str, *, gives: Any = None, **hints: bool) -> Tool:
    """A tool of that name; hints such as `read_only` become its annotations."""

    async def run(arguments: Any, context: RunContext) -> Any:
        return name if gives is None else gives

    return Tool(
        name=name,
        description=f"Do {name}.",
        parameters={"type": "object"},
        run=run,
        annotations=ToolAnnotations(**hints) if hints else None,
    )


@attrs.define(eq=False)
class Offering:
    """A plugin with tools, guards and reserved names, and tools for each board.

    Attributes:
        tools: tools, or their names.
        per_board: the same for each board; whatever the board yields is its name.
        left: the boards whose contexts were left, in order.
    """

    tools: tuple[Any, ...] = ()
    per_board: tuple[Any, ...] = ()
    guards: tuple[Callable[..., Any], ...] = ()
    reserved: Mapping[str, str] = attrs.field(factory=dict)
    left: list[str] = attrs.field(factory=list)

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tools."""
        return list(map(as_tool, self.tools))

    @hookimpl
    def pegboard_guards(self) -> list[Callable[..., Any]]:
        """Give the guards."""
        return list(self.guards)

    @hookimpl
    def pegboard_reserved_names(self) -> Mapping[str, str]:
        """Give the names."""
        return self.reserved

    @hookimpl
    @contextlib.contextmanager
    def pegboard_board(self, plugin: PluginContext, board: Any) -> Iterator[str]:
        """Put the other tools on every board."""
        for each in self.per_board:
            board.register(as_tool(each))
        yield board.name
        self.left.append(board.name)


def as_tool(given: Tool | str) -> Tool:
    """The tool, or one of that name."""
    return named(given) if isinstance(given, str) else given


def offer(*names: str) -> Offering:
    """A plugin with tools of these names."""
    return Offering(names)


def register(side: Host | Board, *names: str) -> None:
    """Put tools of these names on a layer."""
    for name in names:
        side.register(named(name))


async def code_of(board: Board, name: str) -> str | None:
    """The code of the failure of a call, or None for a success."""
    outcome: Outcome = await board.call(name)
    return outcome.code if isinstance(outcome, Failure) else None


def attach(side: Host | Board, table: NameTable) -> None:
    """Put a source's tools on a layer; each gives the source's own name."""
    for name, theirs in table.theirs.items():
        side.register(named(name, gives=theirs))

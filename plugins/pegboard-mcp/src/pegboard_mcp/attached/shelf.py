"""The tools that a server's definitions become."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from pegboard import JSON, InvalidToolError, RunContext, Tool, ToolResult
from pegboard.formats.mcp import tool_fields

from pegboard_mcp.attached.listing import Definition

Body = Callable[[Definition, JSON, RunContext], Awaitable[ToolResult]]


class Shelf:
    """Makes tools; one whose definition stays the same stays the same tool."""

    def __init__(self, body: Body, *, timeout: float | None) -> None:
        self._body = body
        self._timeout = timeout
        self._made: dict[str, tuple[Definition, Tool]] = {}

    def tools(self, named: Iterable[tuple[str, Definition]]) -> list[Tool]:
        """The tools for some definitions; those that can't be offered too, for the host to refuse.

        Args:
            named: names of ours, each with a definition.
        """
        before, self._made = self._made, {}
        made = []
        for name, definition in named:
            known = before.get(name)
            is_same = known is not None and known[0] is definition
            tool = known[1] if known is not None and is_same else self._tool(name, definition)
            self._made.setdefault(name, (definition, tool))
            made.append(tool)
        return made

    def _tool(self, name: str, definition: Definition) -> Tool:
        try:
            fields = tool_fields({**definition, "name": name})
        except InvalidToolError:
            fields = {"name": name, "parameters": definition.get("inputSchema")}
        run = partial(self._body, definition)
        return Tool(**fields, run=run, timeout=self._timeout, extra="keep")

"""The tools that a server's definitions become."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from pegboard import JSON, EachTool, InvalidToolError, RunContext, Tool, ToolResult
from pegboard.formats.mcp import tool_fields

from pegboard_mcp.attached.definitions import Definition

Body = Callable[[Definition, JSON, RunContext], Awaitable[ToolResult]]


class Shelf:
    """Makes tools; one whose definition stays the same stays the same tool."""

    def __init__(self, body: Body, *, timeout: float | None) -> None:
        self._body = body
        self._timeout = timeout
        self._made: dict[str, tuple[Definition, Tool]] = {}

    def tools(self, named: Iterable[tuple[str, Definition]]) -> EachTool:
        """The tools for some definitions, and why there is none for others.

        Args:
            named: names of ours, each with a definition.
        """
        before, self._made = self._made, {}
        made, refused = [], {}
        for name, definition in named:
            known = before.get(name)
            try:
                is_same = known is not None and known[0] is definition
                tool = known[1] if known is not None and is_same else self._tool(name, definition)
            except InvalidToolError as error:
                refused[name] = str(error)
                continue
            self._made.setdefault(name, (definition, tool))
            made.append(tool)
        return EachTool(made, refused=refused)

    def _tool(self, name: str, definition: Definition) -> Tool:
        fields = tool_fields({**definition, "name": name})
        run = partial(self._body, definition)
        return Tool(**fields, run=run, timeout=self._timeout, extra="keep")

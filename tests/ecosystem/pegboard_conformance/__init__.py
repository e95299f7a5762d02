"""The tools that MCP's conformance suite asks of a server, by the names that it knows."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
from pegboard import PluginContext, RunContext, Tool, hookimpl, tool

from pegboard_conformance import contents, forms, rounds, schemas, telling

MODULES = (contents, telling, forms, rounds, schemas)


@tool
async def test_trigger_tool_change(context: RunContext) -> str:
    """Add a tool, or take it away again."""
    context.plugin.resource.flip()
    await context.plugin.refresh()
    return "The tools have changed."


@tool
async def test_now_and_then() -> str:
    """Be there at every other time."""
    return "here"


@attrs.define
class Switch:
    """Whether the tool that comes and goes is there."""

    is_on: bool = False

    def flip(self) -> None:
        """Have it otherwise."""
        self.is_on = not self.is_on


@hookimpl
@contextmanager
def pegboard_lifespan() -> Iterator[Switch]:
    """The switch of this load."""
    yield Switch()


@hookimpl
def pegboard_tools(plugin: PluginContext) -> list[Tool]:
    """All of them, and the one that comes and goes."""
    tools = [each for module in MODULES for each in vars(module).values()]
    always = [each for each in tools if isinstance(each, Tool)] + [test_trigger_tool_change]
    return [*always, test_now_and_then] if plugin.resource.is_on else always

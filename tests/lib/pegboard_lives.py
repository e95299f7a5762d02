"""Plugins with a life, for tests of loading and unloading."""

import asyncio
import contextlib
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any

import attrs
from pegboard import Host, NotReady, PluginContext, PluginInfo, RunContext, Tool, hookimpl

PATIENCE = 5.0
"""Seconds that a state may take to come."""


def named(name: str, answer: Any = None) -> Tool:
    """A tool of this name that answers with it, or with something else."""

    async def run(arguments: Any, context: RunContext) -> Any:
        return name if answer is None else answer

    return Tool(name=name, description=f"{name}.", parameters={"type": "object"}, run=run)


def plugin(**hooks: Callable[..., Any]) -> object:
    """A plugin with these hook implementations."""
    return type("Plugin", (), {name: hookimpl(each) for name, each in hooks.items()})()


def offering(*names: str) -> object:
    """A plugin that offers tools of these names."""
    return plugin(pegboard_tools=lambda self: [named(name) for name in names])


@attrs.define
class Database:
    """A plugin whose lifespan isn't ready the first times.

    Attributes:
        failures: how often it isn't.
        tried: how often its lifespan was asked for.
        left: how often it was left.
    """

    failures: int
    tried: int = 0
    left: int = 0

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_lifespan(self) -> AsyncIterator[str]:
        """Be ready at last."""
        self.tried += 1
        if self.tried <= self.failures:
            raise NotReady(f"no database, attempt {self.tried}")
        yield "connection"
        self.left += 1

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> list[Tool]:
        """Give one tool."""
        return [named("query", plugin.resource)]


async def until(host: Host, name: str, state: str) -> PluginInfo:
    """What is known of a plugin once it is in a state."""
    async with asyncio.timeout(PATIENCE):
        while host.plugins[name].state != state:
            await asyncio.sleep(0.005)
    return host.plugins[name]


async def is_collected(watched: "weakref.ref[object]") -> bool:
    """Whether an object goes, once the thread that has just used it lets go of it."""
    for _ in range(50):
        gc.collect()
        if watched() is None:
            return True
        await asyncio.sleep(0.01)
    return False

"""A plugin that runs the programs of `run_code` in sandboxed worker processes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pegboard import CodeRuntime, PluginContext, hookimpl

from pegboard_code.door import Door
from pegboard_code.settings import Settings

__all__ = ["Door", "Settings", "pegboard_code_runtime", "pegboard_lifespan", "pegboard_settings"]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
@asynccontextmanager
async def pegboard_lifespan(plugin: PluginContext) -> AsyncIterator[Door]:
    """The way to the workers; none is left when the plugin goes."""
    door = Door(plugin.settings, plugin.log)
    try:
        yield door
    finally:
        await door.close()


@hookimpl
def pegboard_code_runtime(plugin: PluginContext) -> CodeRuntime:
    """What runs programs."""
    door: Door = plugin.resource
    return door

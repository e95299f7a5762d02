"""A plugin that runs shell commands below one folder, and leaves no process of theirs behind."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from pegboard import PluginContext, Tool, hookimpl

from pegboard_shell.commands import Commands
from pegboard_shell.jobs import (
    JobLine,
    JobOutput,
    Started,
    shell_list,
    shell_read,
    shell_start,
    shell_stop,
)
from pegboard_shell.kept import Kept
from pegboard_shell.running import Ran, shell_run
from pegboard_shell.settings import Settings, check, root_of

__all__ = [
    "JobLine",
    "JobOutput",
    "Ran",
    "Settings",
    "Started",
    "pegboard_board",
    "pegboard_lifespan",
    "pegboard_settings",
    "pegboard_tools",
    "shell_list",
    "shell_read",
    "shell_run",
    "shell_start",
    "shell_stop",
]


@hookimpl
def pegboard_settings() -> type[Settings]:
    """What may stand in the plugin's table of the configuration."""
    return Settings


@hookimpl
@contextmanager
def pegboard_lifespan(plugin: PluginContext) -> Iterator[Kept]:
    """Where the output of all boards is kept.

    Raises:
        PegboardError: commands can't be run as the settings say.
    """
    check(plugin)
    settings: Settings = plugin.settings
    yield Kept(
        root=root_of(plugin),
        names=settings.kept_parts,
        most_files=settings.kept_files,
        most_bytes=settings.kept_bytes,
        largest=settings.output_bytes,
    )


@hookimpl
@asynccontextmanager
async def pegboard_board(plugin: PluginContext) -> AsyncIterator[Commands]:
    """The commands of one board; what runs is ended with it."""
    commands = Commands(plugin, plugin.resource)
    try:
        yield commands
    finally:
        await commands.close()


@hookimpl
def pegboard_tools(plugin: PluginContext) -> list[Tool]:
    """The tools of this plugin; those for jobs, unless the settings leave them out."""
    settings: Settings = plugin.settings
    jobs = [shell_start, shell_read, shell_stop, shell_list]
    return [shell_run, *jobs] if settings.jobs else [shell_run]

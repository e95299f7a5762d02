"""Hosts and plugins for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pegboard.calls import Execution, Timing
from pegboard.config import Config
from pegboard.hooks import hookimpl
from pegboard.host import Host
from pegboard.outcomes import Outcome


@asynccontextmanager
async def host_with(
    *plugins: object, config: Config | None = None, settings: Any = None
) -> AsyncIterator[Host]:
    """An open host on which nothing but these plugins is loaded.

    Args:
        plugins: modules or objects with hook implementations.
        config: the host's configuration.
        settings: the settings of the first plugin.
    """
    async with Host(config, discover=False) as host:
        for number, plugin in enumerate(plugins):
            await host.load(plugin, settings=None if number else settings)
        yield host


class RecordingPlugin:
    """A plugin that keeps what it observes.

    Attributes:
        finished: of every call that has ended: its execution, outcome and timing.
    """

    def __init__(self) -> None:
        self.finished: list[tuple[Execution, Outcome, Timing]] = []

    @hookimpl
    def pegboard_call_finished(
        self, execution: Execution, outcome: Outcome, timing: Timing
    ) -> None:
        """Keep what is observed."""
        self.finished.append((execution, outcome, timing))

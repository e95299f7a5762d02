"""What every command was asked with, and the host and board that come of it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

from pegboard import Board, Config, Host, PluginLoadError
from pegboard.cli.mistakes import (
    UsageError,
    absent_plugins,
    config_mistakes,
    missing_plugins,
    refuse,
)
from pegboard.cli.reading import DEFAULT, config_of
from pegboard.cli.streams import Streams
from pegboard.cli.waiting import waiting

_DEFAULT = "default"


@attrs.frozen
class Asked:
    """The options that commands share.

    Attributes:
        board: the name of a board, if one was given.
        config: the path of a configuration file, if one was given.
        is_json: whether results are printed as JSON.
        is_verbose: whether the log is shown.
    """

    board: str | None
    config: Path | None
    is_json: bool = attrs.field(kw_only=True)
    is_verbose: bool = attrs.field(kw_only=True)

    def read_config(self) -> Config:
        """The configuration that holds for this command."""
        return config_of(self.config)

    @property
    def config_file(self) -> Path:
        """Where the configuration is, or may come to be."""
        return DEFAULT if self.config is None else self.config

    @property
    def found_file(self) -> Path | None:
        """The same, if anything is there now."""
        return self.config_file if os.path.lexists(self.config_file) else None


def host_of(config: Config, *, file: Path | None = None) -> Host:
    """A host that isn't open yet.

    Args:
        config: the configuration.
        file: where it came from, for a host that lasts: operators reach no other one.
    """
    return Host(config if file else attrs.evolve(config, control=None), file=file)


@asynccontextmanager
async def opened_host(streams: Streams, config: Config) -> AsyncIterator[Host]:
    """A host with every installed plugin that the configuration lets in, for one command.

    Raises:
        ConfigError: the configuration requires a plugin that isn't installed.
        PluginLoadError: one that it requires could not be loaded.
    """
    async with entered(streams, host_of(config)) as host:
        yield host


@asynccontextmanager
async def entered(streams: Streams, host: Host) -> AsyncIterator[Host]:
    """The host itself, open while the block runs.

    Raises:
        ConfigError: the configuration requires a plugin that isn't installed.
        PluginLoadError: one that it requires could not be loaded.
    """
    try:
        async with waiting(streams, "loading plugins"):
            await host.open()
    except PluginLoadError:
        refuse(missing_plugins(host))
        raise
    try:
        for line in absent_plugins(host):
            streams.message(line)
        yield host
    finally:
        await host.close(grace=0)


@asynccontextmanager
async def opened_board(
    streams: Streams, config: Config, name: str | None
) -> AsyncIterator[tuple[Host, Board]]:
    """The same host, and the board that was asked for.

    Raises:
        ConfigError: the configuration speaks of what isn't there.
        UnknownNameError: the configuration doesn't know the board.
    """
    chosen = chosen_board(config, name)
    async with opened_host(streams, config) as host:
        refuse(config_mistakes(host))
        yield host, await host.board(chosen)


def chosen_board(config: Config, name: str | None) -> str:
    """The name that was given, or the one that stands for none.

    Raises:
        UsageError: none was given, and the configuration knows only others.
    """
    if name is not None:
        return name
    if config.unknown_boards == "refuse" and config.board(_DEFAULT) is None:
        names = ", ".join(map(repr, config.boards)) or "none"
        raise UsageError(f"say which board with --board; the configuration knows {names}")
    return _DEFAULT

"""`check`: what is wrong with a configuration, without importing any plugin."""

import asyncio
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import attrs

from pegboard import Config, ConfigError, Host, PegboardError
from pegboard.cli.asked import Asked
from pegboard.cli.jsons import print_json
from pegboard.cli.mistakes import UsageError, no_file
from pegboard.cli.streams import Streams, legible
from pegboard.configuration import read_config
from pegboard.errors import did_you_mean, near_names
from pegboard.plugins.builtin import ON_REQUEST, STANDING
from pegboard.plugins.discovery import discover
from pegboard.plugins.foreseeing import check_built_in
from pegboard.plugins.opening import check_attached
from pegboard.plugins.sources import ATTACHING


@attrs.frozen
class Checked:
    """What was found in one configuration.

    Attributes:
        file: where it is.
        mistakes: what no host would start with, or would have no use for.
        notes: what may be meant so.
    """

    file: str
    mistakes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def check(streams: Streams, *, asked: Asked) -> int:
    """Print what is wrong with the configuration.

    Returns:
        2 if anything is.

    Raises:
        UsageError: there is no such file.
    """
    path = asked.config_file
    if not path.exists():
        raise (
            no_file(path, kind="configuration file")
            if asked.config
            else UsageError(f"there is no {path} here; say which configuration with --config FILE")
        )
    checked = await asyncio.to_thread(_checked, path)
    _print(checked, streams, is_json=asked.is_json)
    return 2 if checked.mistakes else 0


def _print(checked: Checked, streams: Streams, *, is_json: bool) -> None:
    if is_json:
        print_json(attrs.asdict(checked), streams)
        return
    for mistake in checked.mistakes:
        streams.result(legible(mistake))
    for note in checked.notes:
        streams.message(note)
    if not checked.mistakes:
        streams.message(f"nothing is wrong with {checked.file}")


def _checked(path: Path) -> Checked:
    try:
        config = read_config(path)
        check_attached(config)
    except ConfigError as error:
        return Checked(str(path), error.mistakes)
    known = {*discover(prefer=config.prefer).found, *STANDING, *ON_REQUEST, *config.mcp}
    names = _Names(config, tuple(known))
    mistakes = (*_of_start(config), *names.mistakes(), *_of_built_in(config))
    return Checked(str(path), mistakes, (*names.notes(), *_of_lock(config)))


def _of_start(config: Config) -> Iterator[str]:
    """Why no host would start with it and with what operators have decided for good."""
    try:
        host = Host(config, discover=False)
    except ConfigError as error:
        yield from error.mistakes
    except PegboardError as error:
        yield str(error)
    else:
        for name in config.required:
            if host.config.keeps_out(name) and not config.keeps_out(name):
                yield (
                    f"{config.state}: an operator has blocked plugin {name!r} for good, and it is "
                    f"required; require it no more, or take it out of that file"
                )


def _of_built_in(config: Config) -> Iterator[str]:
    """What is wrong with the settings of plugins that come with the host."""
    for name in ON_REQUEST:
        if name not in config.plugins or config.keeps_out(name):
            continue
        try:
            check_built_in(name, config)
        except ConfigError as error:
            yield from error.mistakes
        except PegboardError as error:
            yield f"{config.place('plugins', name) or f'[plugins.{name}]'}: {error}"


@attrs.frozen
class _Names:
    """Names of plugins in a configuration, and those that there are."""

    config: Config
    known: Sequence[str]

    def mistakes(self) -> Iterator[str]:
        """What the configuration expects of plugins that aren't there."""
        for name in self.config.plugins:
            if name not in self.known:
                yield self._unknown(name, "plugins", name)
        for name in self.config.required:
            if name not in self.known:
                yield self._unknown(name, "required")
            elif self.config.keeps_out(name):
                yield f"{self._at('required')}plugin {name!r} is required, and kept out as well"
        for name in self.config.mcp:
            if find_spec("pegboard_mcp") is None and not self.config.keeps_out(name):
                yield (
                    f"{self._at('mcp', name)}[mcp.{name}] needs the package {ATTACHING}, which "
                    f"isn't installed: pip install {ATTACHING}"
                )

    def notes(self) -> Iterator[str]:
        """What it says of others that aren't there, which does no harm."""
        for key, names in (("block", self.config.block), ("only", self.config.only or ())):
            for name in dict.fromkeys(names):
                if name not in self.known:
                    yield self._unknown(name, key)
        for name in (*self.config.plugins, *self.config.mcp):
            if self.config.keeps_out(name) and name not in self.config.block:
                path = self.config.path_of(name)
                table = ".".join(path)
                yield f"{self._at(*path)}[{table}] means nothing, since `only` keeps it out"

    def _unknown(self, name: str, *path: str) -> str:
        near = did_you_mean(near_names(name, self.known))
        return f"{self._at(*path)}no plugin {name!r} is installed{near}"

    def _at(self, *path: str) -> str:
        place = self.config.place(*path)
        return "" if place is None else f"{place}: "


def _of_lock(config: Config) -> Iterator[str]:
    if config.lock is not None and not config.lock.exists():
        place = config.place("lock")
        where = "" if place is None else f"{place}: "
        yield f"{where}there is no lock file {config.lock} yet; `pegboard lock` writes it"

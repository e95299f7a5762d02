"""What a configuration requires, and could never be there under it."""

from collections.abc import Container, Iterable

import attrs

from pegboard.config import Config
from pegboard.errors import ConfigError, did_you_mean, near_names
from pegboard.plugins.builtin import ON_REQUEST, STANDING


@attrs.frozen
class Around:
    """What is there for a configuration to speak of.

    Attributes:
        installed: the plugins that are installed.
        loaded: those that are loaded.
        going: those of them that will not be under it.
        discovers: whether what is installed is loaded without being asked for.
    """

    installed: Iterable[str]
    loaded: Container[str]
    going: frozenset[str]
    discovers: bool


def check_required(config: Config, before: Config, around: Around) -> None:
    """Refuse what would let no call run for good, as a host refuses to start with it.

    Args:
        config: the configuration from now on.
        before: what holds so far; what it lacks already is not refused.
        around: what is there.

    Raises:
        ConfigError: each plugin that it requires and can't have, with its place.
    """
    place = config.place("required")
    where = "" if place is None else f"{place}: "
    mistakes = []
    for name in config.required:
        why = _lack(name, config, around)
        is_new = name not in before.required or _lack(name, before, around) is None
        if why is not None and is_new:
            mistakes.append(f"{where}required: plugin {name!r} {why}")
    if mistakes:
        raise ConfigError(mistakes)


def _lack(name: str, config: Config, around: Around) -> str | None:
    """Why a plugin can't be there, in words, or None."""
    if config.keeps_out(name):
        return f"is kept out by {'block' if name in config.block else 'only'}"
    if name in ON_REQUEST:
        return None if name in config.plugins else f"is built in, and has no table [plugins.{name}]"
    installed = tuple(around.installed)
    if name in STANDING or name in config.mcp or name in installed or not around.discovers:
        return None
    if name in around.loaded and name not in around.going:
        return None
    return f"isn't installed{did_you_mean(near_names(name, installed))}"

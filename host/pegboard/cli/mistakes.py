"""Mistakes of who typed the command, in one line each."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from pegboard import ConfigError, Host, PegboardError, PluginInfo
from pegboard.errors import did_you_mean, near_names

_MOST = 2_000


class UsageError(PegboardError):
    """Something that was asked for and can't be."""


def no_file(path: Path, *, kind: str) -> UsageError:
    """There is no such file; says which near it has nearly its name."""
    near = near_names(path.name, _neighbours(path))
    return UsageError(f"there is no {kind} {str(path)!r}{did_you_mean(near)}")


def refuse(mistakes: Iterable[str]) -> None:
    """Go on only if there are none.

    Raises:
        ConfigError: all of them.
    """
    found = tuple(mistakes)
    if found:
        raise ConfigError(found)


def config_mistakes(host: Host) -> Iterator[str]:
    """What the configuration says of plugins that aren't there, or that they don't take."""
    for name in (*host.config.plugins, *host.config.mcp):
        info = host.plugins.get(name)
        if info is None:
            yield _unknown_plugin(host, name, *host.config.path_of(name))
        elif _has_wrong_settings(info):
            yield str(info.error).removeprefix("ConfigError: ")


def missing_plugins(host: Host) -> Iterator[str]:
    """Which plugins the configuration requires that nobody has installed."""
    for name in host.config.required:
        if name not in host.plugins:
            yield _unknown_plugin(host, name, "required")


def absent_plugins(host: Host) -> Iterator[str]:
    """Which plugins the configuration blocks or lets in that nobody has installed."""
    for key, names in (("block", host.config.block), ("only", host.config.only or ())):
        for name in dict.fromkeys(names):
            if name not in host.plugins:
                yield _unknown_plugin(host, name, key)


def _unknown_plugin(host: Host, name: str, *path: str) -> str:
    place = host.config.place(*path)
    where = "" if place is None else f"{place}: "
    near = did_you_mean(near_names(name, host.plugins))
    return f"{where}no plugin {name!r} is installed{near}"


def _has_wrong_settings(info: PluginInfo) -> bool:
    words = (f"settings of plugin {info.name!r}:", f"plugin {info.name!r} takes no settings")
    return info.state == "failed" and any(each in str(info.error) for each in words)


def _neighbours(path: Path) -> list[str]:
    try:
        return [each.name for each in islice(path.parent.iterdir(), _MOST)]
    except OSError:
        return []

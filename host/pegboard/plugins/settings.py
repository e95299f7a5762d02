"""The settings of one plugin: its table of the configuration, as the class that it asks for."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pegboard.config import Config
from pegboard.errors import ConfigError, PluginLoadError
from pegboard.hooks import Implementation
from pegboard.plugins.offers import Threaded
from pegboard.plugins.secrets import SettingsSecrets
from pegboard.tools import Converter, StructureError, structure


async def made_settings(
    asked: Sequence[Implementation],
    given: Any,
    *,
    plugin: str,
    config: Config,
    converter: Converter,
    threaded: Threaded,
) -> object | None:
    """The plugin's settings; None where it takes none.

    Args:
        asked: its implementations of `pegboard_settings`.
        given: an instance, or a table; None for an empty one.
        plugin: the plugin's name.
        config: the configuration, for the places of what stands in it.
        converter: builds the class.
        threaded: runs code of the plugin.

    Raises:
        ConfigError: every mistake, each with file and line where it has one.
        PluginLoadError: the hook fails, or gives no class.
    """
    if not asked:
        check_none(given, plugin)
        return None
    cls = await threaded(asked[0].function, f"pegboard_settings of {plugin!r}")
    if not isinstance(cls, type):
        raise PluginLoadError(f"pegboard_settings of {plugin!r} gave no class")
    make = partial(structured, given, cls, plugin=plugin, config=config, converter=converter)
    made: object = await threaded(make, f"the settings of {plugin!r}")
    return made


def check_none(given: Any, plugin: str) -> None:
    """Refuse settings for a plugin that takes none.

    Raises:
        ConfigError: some were given.
    """
    if given:
        raise ConfigError([f"plugin {plugin!r} takes no settings, and some were given"])


def structured(
    given: Any,
    cls: type,
    *,
    plugin: str,
    config: Config,
    converter: Converter,
) -> object:
    """What is given, as an instance of the class; runs code of the plugin.

    Raises:
        ConfigError: every mistake, each with file and line where it has one.
    """
    table = {} if given is None else given
    if type(table) is cls:
        return table
    if not isinstance(table, Mapping):
        kind = type(table).__name__
        text = f"settings of plugin {plugin!r} are a table or a {cls.__name__}, not {kind}"
        raise ConfigError([text])
    is_configured = not table or table is config.plugin(plugin).settings
    source = config if is_configured else None
    secrets = SettingsSecrets(plugin, source)
    try:
        return structure(dict(table), cls, converter=converter, secrets=secrets)
    except StructureError as error:
        raise ConfigError(_mistakes(plugin, error, source)) from error


def settings_folder(plugin: str, given: Any, config: Config) -> Path:
    """Where relative paths in the settings of a plugin begin.

    Args:
        plugin: the plugin's name.
        given: an instance, or a table.
        config: the configuration, for the file whose table that may be.
    """
    place = config.places.get(config.path_of(plugin))
    is_configured = given is config.plugin(plugin).settings
    folder = place.path.parent if place is not None and is_configured else Path()
    try:
        return folder.absolute()
    except OSError:  # the working folder is gone, and most plugins don't care
        return folder


def _mistakes(plugin: str, error: StructureError, source: Config | None) -> list[str]:
    lines = []
    for fault in error.faults:
        keys = map(str, fault.keys)
        place = source and source.place(*source.path_of(plugin, *keys))
        where = f"{place}: " if place else ""
        others = map(str, fault.other)
        other = source and fault.other and source.place(*source.path_of(plugin, *others))
        also = f" ({other})" if other else ""
        lines.append(f"{where}settings of plugin {plugin!r}: {fault}{also}")
    return lines

"""What can be told of the settings of plugins before these are loaded, and without an import."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config
from pegboard.errors import ConfigError, PegboardError
from pegboard.plugins.builtin import ON_REQUEST
from pegboard.plugins.discovery import Discovery
from pegboard.plugins.hookbook import HookBook
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loadthread import in_load_thread
from pegboard.plugins.marks import Tried
from pegboard.plugins.settings import check_none, structured
from pegboard.plugins.sources import attached
from pegboard.plugins.upgrades import Upgrades, renewed
from pegboard.tools import Converter

_SETTINGS = "pegboard_settings"
_ATTACHED = "pegboard_mcp"


def check_built_in(name: str, config: Config) -> None:
    """Refuse what the configuration says of a built-in plugin that is loaded on request.

    Raises:
        PegboardError: its settings have mistakes, or something isn't there that it needs.
    """
    _check_made(name, ON_REQUEST[name](), config)


def _check_made(name: str, make: Callable[[], object], config: Config) -> None:
    asked = [each.function for each in HookBook().register(make(), name) if each.hook == _SETTINGS]
    _check(name, asked[0]() if asked else None, config, Converter())


def _check(name: str, cls: Any, config: Config, converter: Converter) -> None:
    given = config.plugin(name).settings
    if cls is None:
        check_none(given, name)
    else:
        structured(given, cls, plugin=name, config=config, converter=converter)


@attrs.frozen(eq=False)
class Foresight:
    """Tells which plugins of a host would refuse their settings.

    Attributes:
        upgrades: knows what is loaded.
        config: the configuration from now on.
        discovery: what is installed now.
    """

    upgrades: Upgrades
    config: Config
    discovery: Discovery

    async def mistakes(self, names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """What is wrong with the settings of plugins that would be loaded or reloaded, by name.

        Of one whose code isn't imported yet, or has changed, nothing is known.
        """
        checks = {name: check for name in names for check in self._checks(name)}
        found = {}
        for name, check in checks.items():
            try:
                what, limit = f"checking the settings of {name!r}", self.config.load_timeout
                await in_load_thread(check, what=what, limit=limit, leaks=Leaks())
            except ConfigError as error:
                found[name] = error.mistakes
            except PegboardError as error:
                found[name] = (str(error),)
        return found

    def _checks(self, name: str) -> Iterator[Callable[[], None]]:
        loaded = self.upgrades.loaded.get(name)
        if name in ON_REQUEST:
            yield partial(check_built_in, name, self.config)
        elif loaded is None and name in self.config.mcp and _ATTACHED in sys.modules:
            yield partial(_check_made, name, attached(name, lambda: False).get, self.config)
        elif loaded is not None and self._is_same_code(name):
            context = loaded.generation.context
            made = None if context is None else context.settings
            cls = None if made is None else type(made)
            yield partial(_check, name, cls, self.config, loaded.generation.converter)

    def _is_same_code(self, name: str) -> bool:
        """Whether a loaded plugin would be reloaded with its code as it is, and from its table."""
        plan, followed = self.upgrades.loaded[name].plan, self.upgrades.attempts.followed[name]
        if plan.settings is not plan.options.settings:
            return False
        source = renewed(plan.source, self.discovery)
        return source is not None and Tried.of(source, followed.options).mark == followed.mark

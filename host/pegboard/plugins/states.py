"""What is known of every plugin of one host, and who is told when that changes."""

from collections.abc import Mapping
from types import MappingProxyType

import attrs

from pegboard.calls import Pipeline, missing
from pegboard.config import Config
from pegboard.events import PluginChanged
from pegboard.plugins.observers import Observers
from pegboard.registry import Scope
from pegboard.reports import PluginInfo, QuarantinedTool, RefusedTool


def emptied(info: PluginInfo, state: str) -> PluginInfo:
    """A plugin in a state in which none of its tools is there, and nothing is wrong with it."""
    return attrs.evolve(
        info, state=state, error=None, tools=(), quarantined=(), refused=(), leaked=()
    )


class States:
    """The states of plugins, by name.

    Attributes:
        known: the plugins.
    """

    def __init__(self, config: Config, observers: Observers, pipeline: Pipeline) -> None:
        self._required = config.required
        self._observers = observers
        self._pipeline = pipeline
        self.known: dict[str, PluginInfo] = {}
        self._scopes: dict[str, Scope] = {}

    @property
    def infos(self) -> Mapping[str, PluginInfo]:
        """Every plugin that is known, by name."""
        return MappingProxyType({name: self.known[name] for name in sorted(self.known)})

    def note(self, info: PluginInfo, scope: Scope) -> None:
        """Note the state that a plugin is in, and tell observers of it."""
        self.known[info.name] = info
        self._scopes[info.name] = scope
        if info.name in self._required:
            self.note_required()
        told = PluginChanged(
            info.name,
            info.state,
            info.distribution,
            info.version,
            info.generation,
            scope.name,
            info.error,
        )
        self._observers.event(scope, told)

    def scope(self, name: str) -> Scope:
        """Where a plugin was last loaded."""
        return self._scopes[name]

    def on(self, scope: Scope) -> list[str]:
        """The plugins that were last loaded for one board."""
        return [name for name, each in self._scopes.items() if each is scope]

    def forget(self, name: str) -> None:
        """Know nothing of a plugin any more."""
        del self.known[name], self._scopes[name]

    def require(self, names: tuple[str, ...]) -> None:
        """Have other plugins be those that no call runs without."""
        self._required = names
        self.note_required()

    def note_required(self) -> None:
        """Stop all calls while a plugin that the configuration requires isn't there."""
        why = next(filter(None, map(self._missing, self._required)), None)
        self._pipeline.stops = missing(self._pipeline.stops, why)

    def _missing(self, name: str) -> str | None:
        info = self.known.get(name)
        if info is not None and info.state == "loaded":
            return None
        why = "it was never loaded" if info is None else info.error or f"it is {info.state}"
        return f"plugin {name!r} is required, and no call runs until it is there: {why}"

    def failures(self) -> dict[str, str]:
        """Why plugins could not be loaded, by name."""
        failed = {name: each for name, each in self.infos.items() if each.state != "loaded"}
        return {name: each.error for name, each in failed.items() if each.error is not None}

    def refused(self) -> tuple[RefusedTool, ...]:
        """The tools that are left out while the rest of their plugins is there."""
        return tuple(tool for each in self.infos.values() for tool in each.refused)

    def quarantined(self) -> tuple[QuarantinedTool, ...]:
        """The tools that plugins bring which are quarantined as a whole."""
        held = [each for each in self.infos.values() if each.state == "quarantined"]
        return tuple(tool for each in held for tool in each.quarantined)

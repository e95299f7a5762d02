"""Loads that were given up while their threads go on."""

from collections.abc import Iterator

import attrs

from pegboard.errors import PluginLoadError
from pegboard.plugins.holding import grounds_held
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.modules import purge
from pegboard.plugins.sources import Source


@attrs.frozen(eq=False)
class _Given:
    source: Source
    leaks: Leaks


class Stuck:
    """The given-up loads of one host, by the plugins' names."""

    def __init__(self) -> None:
        self._going: dict[str, _Given] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._going))

    def watch(self, name: str, source: Source, leaks: Leaks) -> None:
        """Remember a load that was given up, if something of it goes on.

        What it imports from here on is removed when it ends.
        """
        if leaks.alive:
            self._going[name] = given = _Given(source, leaks)
            leaks.clean = lambda: self._clean(name, given)

    def alive(self, name: str) -> tuple[str, ...]:
        """What goes on of a plugin's given-up load, in words."""
        return self._going[name].leaks.alive if name in self._going else ()

    def check(self, name: str, source: Source) -> None:
        """Refuse to load the same again while an earlier load goes on.

        Raises:
            PluginLoadError: says that a restart is needed, and for which thread.
        """
        if name in self._going and source.is_same(self._going[name].source) and self.alive(name):
            alive = ", ".join(self.alive(name))
            raise PluginLoadError(
                f"restart needed: {alive} still runs, of an earlier load of plugin {name!r}"
            )

    def _clean(self, name: str, given: _Given) -> None:
        purge(given.source.ground, others=grounds_held())
        if not given.leaks.alive and self._going.get(name) is given:
            del self._going[name]

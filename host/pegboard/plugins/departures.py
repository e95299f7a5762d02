"""The plugins of one host that are being unloaded, and the calls that have asked for it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import attrs

from pegboard.calls import Flight, Flights, enclosing
from pegboard.errors import PluginLoadError
from pegboard.plugins.states import States
from pegboard.registry import Scope


@attrs.define(eq=False)
class Departures:
    """What is on its way out of one host."""

    _known: States
    _flights: Flights
    _inside: dict[str, list[Flight]] = attrs.field(factory=dict)
    _gone: set[str] = attrs.field(factory=set)

    @contextmanager
    def of(self, name: str, inside: list[Flight]) -> Iterator[None]:
        """While this is entered, a plugin is being unloaded, for which these calls have asked."""
        self._inside[name] = inside
        try:
            yield
        finally:
            del self._inside[name]
            self._forget(name)

    def check_not_waiting(self, name: str) -> None:
        """Refuse to wait for an unloading that waits for the call that asks.

        Raises:
            PluginLoadError: the plugin is loaded after that call.
        """
        inside = enclosing()
        if any(each in inside for each in self._inside.get(name, ())):
            raise PluginLoadError(
                f"plugin {name!r} is being unloaded, which ends after this call; load it then"
            )

    async def hasten(self, name: str, inside: Sequence[Flight], *, grace: float) -> None:
        """Give the calls that have unloaded a plugin before no more time than this."""
        calls = self._inside.get(name, [])
        if not any(each in inside for each in calls):
            reason = f"plugin {name!r} is unloaded"
            await self._flights.end(calls, grace=grace, reason=reason)

    def board_closed(self, scope: Scope) -> None:
        """Know nothing more of what was loaded on a board, each once it has gone."""
        names = self._known.on(scope)
        self._gone.update(names)
        for name in names:
            self._forget(name)

    def _forget(self, name: str) -> None:
        if name in self._gone and name not in self._inside:
            self._gone.remove(name)
            self._known.forget(name)

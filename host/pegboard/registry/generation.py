"""One load of a plugin: who owns a contribution, and who still uses it."""

import asyncio
from collections.abc import Callable
from typing import Any

import attrs

from pegboard.registry.pins import Pins
from pegboard.tools import Converter
from pegboard.values import DEFAULT_LIMITS, Limits


@attrs.frozen
class Owner:
    """Who a contribution belongs to.

    Attributes:
        plugin: the plugin's name; None for the program itself.
        distribution: what pip installed it from; None for objects and files.
        version: the version of the code that runs.
        generation: how many times this plugin has been loaded by this host.
    """

    plugin: str | None = None
    distribution: str | None = None
    version: str | None = None
    generation: int = 0

    def __str__(self) -> str:
        if self.plugin is None:
            return "the program"
        if self.distribution is None:
            return f"plugin {self.plugin!r}"
        version = f" {self.version}" if self.version is not None else ""
        return f"plugin {self.plugin!r} ({self.distribution}{version})"


PROGRAM = Owner()


@attrs.define(eq=False)
class Generation:
    """One load of a plugin, or the program's own contributions.

    Attributes:
        owner: who it is.
        context: the `PluginContext`, or None for the program.
        limits: the limits of values that pass through its tools.
        leases: how many calls hold it.
        states: what `pegboard_board` yielded, by the identity of the board's scope.
        replaces: the loads whose place it is about to take: their names are free for it.
        pins: says which of its tools are what was accepted; None where there is no lock file.
    """

    owner: Owner
    context: Any = None
    limits: Limits = DEFAULT_LIMITS
    leases: int = 0
    states: dict[int, Any] = attrs.field(factory=dict)
    replaces: "frozenset[Generation]" = frozenset()
    pins: Pins | None = None
    _converter: Converter | None = None
    _released: list[Callable[[], None]] = attrs.field(factory=list)

    @property
    def converter(self) -> Converter:
        """The converter of this generation, made when it is first needed."""
        if self._converter is None:
            self._converter = Converter()
        return self._converter

    def takes_from(self, other: "Generation | None") -> bool:
        """Whether names of another load are free for this one: its own, or one that it replaces."""
        return other is self or other in self.replaces

    def lease(self) -> None:
        """Hold the generation for one call."""
        self.leases += 1

    def release(self) -> None:
        """Give one lease back."""
        self.leases -= 1
        if self.leases == 0 and self._released:
            waiting, self._released = self._released, []
            for wake in waiting:
                wake()

    async def drained(self) -> None:
        """Wait until no call holds it."""
        if self.leases:
            gone = asyncio.Event()
            self._released.append(gone.set)
            await gone.wait()

    def forget(self) -> None:
        """Drop everything that the converter has learned of the plugin's types."""
        self._converter = None

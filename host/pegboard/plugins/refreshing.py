"""Asking a plugin for its tools again, and swapping them in one step."""

import asyncio
from collections.abc import Awaitable, Callable

from pegboard.errors import PegboardError, PluginLoadError
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.loadthread import shown
from pegboard.plugins.standing import Standing
from pegboard.registry import Contributions

Ask = Callable[[], Awaitable[Contributions]]


class Refreshing:
    """Swaps the tools of one load for what the plugin offers now.

    Attributes:
        on_change: told of what stands there after a swap.
    """

    def __init__(self, owner: str, *, ask: Ask, leaks: Leaks) -> None:
        self._owner = owner
        self._ask = ask
        self._leaks = leaks
        self._standing: Standing | None = None
        self._is_wanted = False
        self._hung: frozenset[str] = frozenset()
        self._lock = asyncio.Lock()
        self.on_change: Callable[[Contributions], object] | None = None

    def open(self, standing: Standing) -> bool:
        """Refresh what stands there from now on; whether that was asked for already."""
        self._standing = standing
        return self._is_wanted

    async def refresh(self) -> None:
        """Ask for the tools, and swap them; before they stand, have that done as soon as they do.

        Raises:
            PluginLoadError: they can't be had or offered, and those that stand there stay; or the
                plugin is unloaded.
        """
        if self._standing is None:
            self._is_wanted = True
            return
        async with self._lock:
            asked = await self._asked(self._standing)
            self._check_open(self._standing)
            try:
                self._standing.swap(asked)
            except PegboardError as error:
                raise self._refusal(shown(error)) from error
            if self.on_change is not None:
                self.on_change(self._standing.contributions)

    async def _asked(self, standing: Standing) -> Contributions:
        self._check_open(standing)
        before = frozenset(self._leaks.alive)
        if before & self._hung:
            raise self._refusal(f"{', '.join(before & self._hung)} still goes on")
        try:
            return await self._ask()
        except PegboardError as error:
            raise self._refusal(str(error)) from error
        finally:
            self._hung = frozenset(self._leaks.alive) - before

    async def stop(self, *, limit: Callable[[], float]) -> None:
        """Wait for a refresh that is on its way; it changes nothing any more.

        Args:
            limit: gives how many seconds at most.
        """
        try:
            async with asyncio.timeout(limit()):
                await self._lock.acquire()
        except TimeoutError:
            return
        self._lock.release()

    def _check_open(self, standing: Standing) -> None:
        if not standing.is_open:
            raise PluginLoadError(f"{self._owner} is unloaded")

    def _refusal(self, why: str) -> PluginLoadError:
        return PluginLoadError(f"the tools of {self._owner} stay as they were: {why}")

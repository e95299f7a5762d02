"""Loads that successors stand for, and that are left once no call uses them any more."""

import asyncio
import logging

import attrs

from pegboard.plugins.loads import Loaded
from pegboard.registry import Generation

_log = logging.getLogger("pegboard.plugins")


@attrs.frozen(eq=False)
class _Going:
    """One load that goes.

    Attributes:
        old: the load.
        unused: ends once no call uses it; cancelled where nobody waits for that.
        left: ends once it was left.
    """

    old: Loaded
    unused: "asyncio.Task[None]"
    left: "asyncio.Task[None]"


class Outgoing:
    """The loads of one host that go while calls still use them."""

    def __init__(self) -> None:
        self._going: dict[str, list[_Going]] = {}

    def leave(self, old: Loaded) -> None:
        """Leave a load of which nothing stands anywhere, once no call uses it any more."""
        unused = asyncio.create_task(_unused(old.generation))
        going = _Going(old, unused, asyncio.create_task(_left(old, unused)))
        name = old.plan.name
        self._going.setdefault(name, []).append(going)
        going.left.add_done_callback(lambda _: self._forget(name, going))

    def of(self, name: str) -> tuple[Generation, ...]:
        """The loads of one plugin that go, the latest first."""
        return tuple(each.old.generation for each in self._going.get(name, ())[::-1])

    async def end(self, name: str) -> tuple[Loaded, ...]:
        """Leave those of a plugin now, whatever uses them; gives them, the latest first."""
        going = self._going.get(name, [])[::-1]
        for each in going:
            each.unused.cancel()
            await asyncio.wait([each.left])
        return tuple(each.old for each in going)

    async def close(self) -> None:
        """Leave all of them now."""
        for name in list(self._going):
            await self.end(name)

    def _forget(self, name: str, going: _Going) -> None:
        self._going[name].remove(going)
        if not self._going[name]:
            del self._going[name]


async def _unused(generation: Generation) -> None:
    while generation.leases:
        await generation.drained()


async def _left(old: Loaded, unused: "asyncio.Task[None]") -> None:
    await asyncio.wait([unused])
    await old.stack.aclose()
    remains = (*old.leaving.errors, *old.leaving.leaked, *old.plan.leaks.alive)
    if remains:
        _log.warning("%s was left with: %s", old.plan.owner, "; ".join(remains))

"""What of a plugin goes on though nobody waits for it any more."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import attrs


@attrs.define(eq=False)
class Leaks:
    """The threads and contexts of one load that didn't end when they should have.

    Attributes:
        clean: called on the loop whenever one of them has ended after all.
        before: the threads that were there when the load began.
    """

    clean: Callable[[], object] | None = None
    before: "WeakSet[threading.Thread]" = attrs.field(
        factory=lambda: WeakSet(threading.enumerate()), repr=False
    )
    _going: "dict[asyncio.Future[Any], str]" = attrs.field(factory=dict)

    def add(self, what: str, ended: "asyncio.Future[Any]") -> None:
        """List something until it ends.

        Args:
            what: what it is, for people: `thread 'pegboard-load-importing web'`.
            ended: done once it has ended.
        """
        if not ended.done():
            self._going[ended] = what
            ended.add_done_callback(self._over)

    @property
    def alive(self) -> tuple[str, ...]:
        """What still goes on, in words."""
        return tuple(what for ended, what in self._going.items() if not ended.done())

    def end(self) -> None:
        """Hear that something has ended of which no loop can tell any more."""
        if self.clean is not None:
            self.clean()

    def _over(self, ended: "asyncio.Future[Any]") -> None:
        self._going.pop(ended, None)
        self.end()

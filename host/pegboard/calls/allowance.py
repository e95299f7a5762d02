"""How long code may take."""

import asyncio
import math
from collections.abc import Callable

import attrs


@attrs.define(eq=False)
class Allowance:
    """How long code may take, on a clock that stops while it waits for what isn't its own.

    That is `call_next` of a hook, and an approval that a body asks for.

    Attributes:
        left: seconds that are left.
    """

    left: float
    _wake: Callable[[], None] | None = None
    _timer: asyncio.TimerHandle | None = None
    _paused: int = 0

    @property
    def is_paused(self) -> bool:
        """Whether the clock stands still."""
        return self._paused > 0

    def arm(self, wake: Callable[[], None]) -> None:
        """Have `wake` called once the time is up."""
        self._wake = wake
        self._start()

    def disarm(self) -> None:
        """Stop the clock for good."""
        self._stop()
        self._wake = None

    def pause(self) -> None:
        """Stop the clock for a while."""
        self._stop()
        self._paused += 1

    def resume(self, most: float | None = None) -> None:
        """Go on with what is left, or with less.

        Args:
            most: seconds that the code may take from here on.
        """
        self._paused -= 1
        if most is not None:
            self.left = min(self.left, most)
        self._start()

    def _start(self) -> None:
        if self._wake is not None and not self._paused and self.left < math.inf:
            self._timer = asyncio.get_running_loop().call_later(self.left, self._wake)

    def _stop(self) -> None:
        if self._timer is not None:
            self.left = max(0.0, self._timer.when() - asyncio.get_running_loop().time())
            self._timer.cancel()
            self._timer = None

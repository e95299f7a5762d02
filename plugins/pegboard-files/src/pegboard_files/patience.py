"""How long a call goes on looking, and whether somebody has cancelled it."""

import time
from collections.abc import Callable

import attrs


@attrs.frozen
class Patience:
    """The time of a call.

    Attributes:
        seconds: how long it goes on.
        look_up: called now and then; may raise to end it.
    """

    seconds: float
    look_up: Callable[[], None]
    _began: float = attrs.field(factory=time.monotonic, init=False)

    def is_over(self) -> bool:
        """Whether the time is over."""
        self.look_up()
        return time.monotonic() - self._began > self.seconds

    @property
    def note(self) -> str:
        """What is said where it was."""
        return f"stopped after {self.seconds:g} s; search a folder further down"

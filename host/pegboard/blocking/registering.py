"""A registration that any thread may close."""

from pegboard.blocking.loop import BackgroundLoop
from pegboard.registry import Registration


class ThreadsafeRegistration(Registration):
    """A registration that is closed on the loop of its host."""

    __slots__ = ("_inner", "_loop")

    def __init__(self, loop: BackgroundLoop, inner: Registration) -> None:
        super().__init__(inner.close)
        self._loop = loop
        self._inner = inner

    @property
    def is_open(self) -> bool:
        """Whether the contribution still stands."""
        return self._inner.is_open

    def close(self) -> None:
        """Take the contribution back."""
        self._loop.call(self._inner.close)

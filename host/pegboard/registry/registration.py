"""The handle that takes a contribution back."""

from collections.abc import Callable
from types import TracebackType
from typing import Self


class Registration:
    """What was registered; `close()` takes it back, and closing twice is harmless.

    Also a `with` block: leaving it closes.
    """

    __slots__ = ("_undo",)

    def __init__(self, undo: Callable[[], None]) -> None:
        self._undo: Callable[[], None] | None = undo

    @property
    def is_open(self) -> bool:
        """Whether the contribution still stands."""
        return self._undo is not None

    def close(self) -> None:
        """Take the contribution back."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Owned:
    """The registrations of one owner, taken back together in reverse order."""

    __slots__ = ("_kept", "_most")

    def __init__(self) -> None:
        self._kept: list[Registration] = []
        self._most = 8

    def add(self, registration: Registration) -> Registration:
        """Keep a registration until it is closed, by itself or with the others."""
        if len(self._kept) >= self._most:
            self._kept = [each for each in self._kept if each.is_open]
            self._most = 2 * len(self._kept) + 8
        self._kept.append(registration)
        return registration

    def close(self) -> None:
        """Take back everything that still stands, the last one first."""
        while self._kept:
            self._kept.pop().close()

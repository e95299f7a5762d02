"""How the scopes of one host see that something has changed."""

from collections.abc import Callable

import attrs


@attrs.define(eq=False)
class Epoch:
    """What moves with every change on one host, so that an unchanged view costs one compare.

    Attributes:
        number: moves with every change.
        hooks: moves with every change of hooks and guards.
        views: how many views were made.
        on_change: called after every change, or None.
    """

    number: int = 0
    hooks: int = 0
    views: int = 0
    on_change: Callable[[], None] | None = None

    def next_view(self) -> int:
        """A number for a view that no other has."""
        self.views += 1
        return self.views

"""How a board shows its tools to models: each of them, the one that runs programs, or both."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Protocol, TypeAlias

import attrs

from pegboard.names import RUN_CODE
from pegboard.outcomes import Outcome
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.view import View

Offer: TypeAlias = Callable[[HookEntry, View], Entry]
"""Makes the tool that runs programs, from what runs them and the tools that they may call."""


class Lister(Protocol):
    """What leaves something out of a view."""

    def listed(self, view: View, number: int) -> View:
        """What of a view is shown; `number` is for a new one."""

    def findable(self, view: View) -> tuple[Entry, ...]:
        """What of a view was left out before somebody found it, or still is."""

    def found_by(self, outcome: Outcome, view: View) -> tuple[str, ...]:
        """The names of that which an outcome tells of."""

    def forget(self) -> None:
        """Drop what was made for a view; the next use makes it anew."""


@attrs.define(eq=False)
class Presentation:
    """How one board shows its tools, where it doesn't show each of them and no more.

    Attributes:
        shows_each: whether models call tools by themselves too.
        offer: makes the tool that runs programs.
    """

    shows_each: bool
    offer: Offer
    _entry: Entry | None = None
    _made_from: tuple[int, HookEntry] | None = None
    _shown: View | None = None
    _shown_from: tuple[int, Entry | None] | None = None

    def entry(self, view: View, runtimes: tuple[HookEntry, ...]) -> Entry | None:
        """The tool that runs programs; None as long as nothing runs them.

        Args:
            view: the tools that programs may call.
            runtimes: what runs them, the nearest first.
        """
        if not runtimes:
            self._entry = self._made_from = None
            return None
        source = (view.number, runtimes[0])
        if self._made_from != source:
            self._entry = self.offer(runtimes[0], view)
            self._made_from = source
        return self._entry

    def forget(self) -> None:
        """Drop what was made here; the next use makes it anew."""
        self._entry = self._made_from = self._shown = self._shown_from = None

    def shown(self, view: View, entry: Entry | None) -> View:
        """What models are shown of a view; `entry` is the tool that runs programs, if any."""
        source = (view.number, entry)
        if self._shown is None or self._shown_from != source:
            each = dict(view.entries) if self.shows_each else {}
            own = {} if entry is None else {RUN_CODE: entry}
            self._shown = View(MappingProxyType({**each, **own}), view.number)
            self._shown_from = source
        return self._shown

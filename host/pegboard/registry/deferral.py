"""Tools that models are shown once they were found: those that are marked `defer_loading`."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import attrs

from pegboard.errors import UnknownNameError
from pegboard.registry.entry import Entry
from pegboard.registry.registration import Registration
from pegboard.registry.scope import Scope
from pegboard.registry.view import EMPTY, View
from pegboard.registry.visible import VisibleTools
from pegboard.tools import Tool


class Deferral:
    """What keeps the tools of one board that are marked `defer_loading` back until they are found.

    They can be called all the same; only `definitions` and the declarations for programs lack them.
    """

    __slots__ = ("_found", "_listed", "_number", "_registration", "_scope", "owner")

    def __init__(self, scope: Scope, owner: str) -> None:
        """One that has not begun; `owner` is the plugin that finds them."""
        self.owner = owner
        self._scope = scope
        self._found: frozenset[str] = frozenset()
        self._number = -1
        self._listed = EMPTY
        self._registration = Registration(self._end)

    def begin(self) -> None:
        """Keep them back from now on; what the same plugin has found so far stays found."""
        if not self._registration.is_open:
            return
        before = self._scope.deferral
        if isinstance(before, Deferral):
            self._found |= before.found
        self._scope.deferral = self
        self._scope.touch()

    @property
    def waiting(self) -> Mapping[str, Tool]:
        """The visible tools that a model isn't shown yet, by name; a snapshot."""
        view = self._scope.view()
        left = {name: view.entries[name] for name in view.entries if self._hides(name, view)}
        return VisibleTools(View(MappingProxyType(left)))

    @property
    def found(self) -> frozenset[str]:
        """The names that were found, whether or not such tools are visible now."""
        return self._found

    def show(self, names: Iterable[str]) -> tuple[str, ...]:
        """Show tools from now on; gives those that weren't shown before.

        Raises:
            UnknownNameError: no tool of that name is visible; nothing has changed.
        """
        wanted = dict.fromkeys(names)
        waiting, visible = self.waiting, self._scope.view().entries
        for name in wanted:
            if name not in visible:
                raise UnknownNameError("tool", name, visible)
        new = tuple(name for name in wanted if name in waiting)
        if new and self._scope.deferral is self:
            self._found |= frozenset(new)
            self._number = -1
            self._scope.touch()
        return new

    def close(self) -> None:
        """Show every tool again; twice is harmless."""
        self._registration.close()

    def listed(self, view: View, number: int) -> View:
        """A view without what is kept back.

        Args:
            view: everything that is visible.
            number: a number that no other view has, for a new one.
        """
        if self._number != view.number:
            left = {n: _told(each) for n, each in view.entries.items() if not self._hides(n, view)}
            self._listed = View(MappingProxyType(left), number)
            self._number = view.number
        return self._listed

    def _hides(self, name: str, view: View) -> bool:
        return view.entries[name].tool.defer_loading and name not in self._found

    def _end(self) -> None:
        if self._scope.deferral is self:
            self._scope.deferral = None
            self._scope.touch()


def _told(entry: Entry) -> Entry:
    """A tool as a model is told of it once it was found: it needn't be looked for any more."""
    if not entry.tool.defer_loading:
        return entry
    tool = attrs.evolve(entry.tool, defer_loading=False)
    return Entry(entry.name, tool, entry.generation, entry.layer, entry.masked_by)

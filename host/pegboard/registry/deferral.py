"""Tools that models are shown once they were found: those that are marked `defer_loading`."""

import logging
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import attrs

from pegboard.errors import UnknownNameError
from pegboard.outcomes import Outcome, Success
from pegboard.registry.entry import Entry
from pegboard.registry.registration import Registration
from pegboard.registry.scope import Scope
from pegboard.registry.view import EMPTY, View
from pegboard.registry.visible import VisibleTools
from pegboard.tools import Tool
from pegboard.values import JSON

_log = logging.getLogger("pegboard.registry")

Names: TypeAlias = Callable[[JSON], Iterable[str]]
"""What gives, for a value of a finder, the names of the tools that it tells of."""


class Deferral:
    """What keeps the tools of one board that are marked `defer_loading` back until they are found.

    They can be called all the same; only `definitions` and the declarations for programs lack them.
    """

    __slots__ = (
        "_before",
        "_finder",
        "_found",
        "_listed",
        "_names",
        "_number",
        "_registration",
        "_scope",
        "_told",
        "owner",
    )

    def __init__(
        self,
        scope: Scope,
        owner: str,
        *,
        finder: Entry | None = None,
        names: Names | None = None,
        before: "Deferral | None" = None,
    ) -> None:
        """One that has not begun.

        Args:
            scope: the board.
            owner: the plugin that finds them.
            finder: the tool by which models find them, or None: where it isn't visible, nothing is
                kept back, and where there is nothing to find, it isn't shown.
            names: which tools a value of the finder tells of; None where nobody can say.
            before: the one whose place it takes; what that has found stays found.
        """
        self.owner = owner
        self._scope = scope
        self._finder = finder
        self._names = names
        self._before = before
        self._found: frozenset[str] = frozenset()
        self._registration = Registration(self._end)
        self.forget()

    def begin(self) -> None:
        """Keep them back from now on."""
        before, self._before = self._before, None
        if not self.is_open:
            return
        if before is not None:
            self._found |= before.found
        self._scope.deferral = self
        self._scope.touch()

    @property
    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return self._registration.is_open

    @property
    def waiting(self) -> Mapping[str, Tool]:
        """The visible tools that a model isn't shown yet, by name; a snapshot."""
        view = self._scope.view()
        names = self._kept_back(view) if self._scope.deferral is self else frozenset[str]()
        left = {name: entry for name, entry in view.entries.items() if name in names}
        return VisibleTools(View(MappingProxyType(left)))

    @property
    def found(self) -> frozenset[str]:
        """The names that were found, whether or not such tools are visible now."""
        return self._found

    def show(self, names: Iterable[str]) -> tuple[str, ...]:
        """Show tools from now on; gives those that had not been found before.

        Raises:
            UnknownNameError: no tool of that name is visible; nothing has changed.
        """
        wanted, visible = dict.fromkeys(names), self._scope.view().entries
        for name in wanted:
            if name not in visible:
                raise UnknownNameError("tool", name, visible)
        new = tuple(n for n in wanted if self._is_marked(visible[n]) and n not in self._found)
        if not self.is_open:
            return ()
        if new:
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
            self._listed, self._number = self._list(view, number), view.number
        return self._listed

    def findable(self, view: View) -> tuple[Entry, ...]:
        """The tools of a view that were found, or wait for it, as they are told of before that."""
        if not self._is_in_force(view):
            return ()
        return tuple(filter(self._is_marked, view.entries.values()))

    def found_by(self, outcome: Outcome, view: View) -> tuple[str, ...]:
        """The findable tools of a view that an outcome tells of; none where it isn't the finder's.

        What a policy has put in the place of the value tells of none either.
        """
        finder, names = self._finder, self._names
        if finder is None or names is None or outcome.tool != finder.name:
            return ()
        if not isinstance(outcome, Success) or outcome.hides_value:
            return ()
        findable = {each.name for each in self.findable(view)}
        try:
            return tuple(dict.fromkeys(name for name in names(outcome.value) if name in findable))
        except Exception as error:  # noqa: BLE001 - code of a plugin, and a value that may be old
            _log.info("what %r has found could not be read", outcome.tool, exc_info=error)
            return ()

    def forget(self) -> None:
        """Drop what was made for a view; the next use makes it anew."""
        self._number = -1
        self._listed = EMPTY
        self._told: dict[tuple[str, Tool], Entry] = {}

    def _list(self, view: View, number: int) -> View:
        told, self._told = self._told, {}
        if not self._is_in_force(view):
            return view
        unlisted = self._kept_back(view)
        if self._finder is not None and not any(map(self._is_marked, view.entries.values())):
            unlisted |= {self._finder.name}
        left = ((name, each) for name, each in view.entries.items() if name not in unlisted)
        return View(MappingProxyType({n: self._as_told(each, told) for n, each in left}), number)

    def _as_told(self, entry: Entry, told: Mapping[tuple[str, Tool], Entry]) -> Entry:
        """A tool as a model is told of it: what was found needn't be looked for any more."""
        if not entry.tool.defer_loading:
            return entry
        key = (entry.name, entry.tool)
        self._told[key] = told.get(key) or _without_mark(entry)
        return self._told[key]

    def _kept_back(self, view: View) -> frozenset[str]:
        if not self._is_in_force(view):
            return frozenset()
        marked = (name for name, entry in view.entries.items() if self._is_marked(entry))
        return frozenset(name for name in marked if name not in self._found)

    def _is_in_force(self, view: View) -> bool:
        """Whether a model can find what is kept back."""
        finder = self._finder
        return finder is None or view.entries.get(finder.name) is finder

    def _is_marked(self, entry: Entry) -> bool:
        return entry.tool.defer_loading and entry is not self._finder

    def _end(self) -> None:
        self._before = None
        if self._scope.deferral is self:
            self._scope.deferral = None
            self._scope.touch()


def _without_mark(entry: Entry) -> Entry:
    tool = attrs.evolve(entry.tool, defer_loading=False)
    return Entry(entry.name, tool, entry.generation, entry.layer, entry.masked_by)

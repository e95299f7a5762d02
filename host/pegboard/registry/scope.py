"""What one board sees: `view(board) = mask(restrictions, view(parent)) + own tools`."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from weakref import ref

import attrs

from pegboard.names import RUN_CODE
from pegboard.registry.chains import Chains, compile_chains
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.epoch import Epoch
from pegboard.registry.layer import Layer
from pegboard.registry.masks import Restriction, matches
from pegboard.registry.presentation import Lister, Presentation
from pegboard.registry.view import EMPTY, Step, View, narrowed
from pegboard.selection import Selector


@attrs.define(eq=False)
class Scope:
    """The global layer, or one board, in the chain of its ancestors.

    A scope that adds nothing keeps nothing: it shows what its parent shows.

    Attributes:
        name: the board's name; None for the global layer.
        parent: the next farther scope; None for the global layer.
        layer: what stands on it.
        restrictions: its masks over what it inherits.
        grants: selectors that its own masks don't reach.
        presentation: how it shows its tools; None where it shows each of them and no more.
        deferral: what keeps some of them back until they are found, or None.
        adds_nothing: whether it has neither tools nor masks.
    """

    name: str | None
    parent: "Scope | None"
    layer: Layer
    epoch: Epoch
    restrictions: list[Restriction] = attrs.field(factory=list)
    grants: list[Selector] = attrs.field(factory=list)
    presentation: Presentation | None = None
    deferral: Lister | None = None
    adds_nothing: bool = attrs.field(init=False)
    _seen: int = -1
    _view: View = EMPTY
    _masks: int = 0
    _switches: int = 0
    _built_from: tuple[int, int, int] | None = None
    _built: View = EMPTY
    _final_from: tuple[int, int] | None = None
    _chains: Chains | None = None
    _chained: int = -1
    _revision: int = 0
    _revised: tuple[ref[View], bytes] | None = None

    def __attrs_post_init__(self) -> None:
        self.adds_nothing = self.parent is not None

    def put(self, entries: Iterable[Entry] = (), hooks: Iterable[HookEntry] = ()) -> None:
        """Add what was checked to the layer."""
        self.layer.put(entries, hooks)
        self._moved(tuple(hooks))

    def take(self, entries: Iterable[Entry] = (), hooks: Iterable[HookEntry] = ()) -> None:
        """Remove what still stands on the layer."""
        self.layer.take(entries, hooks)
        self._moved(tuple(hooks))

    def present(self, presentation: Presentation | None) -> None:
        """Show the tools in another way from now on."""
        self.presentation = presentation
        self._moved(())

    def touch(self) -> None:
        """Note that other tools than before are shown, while the same can be called."""
        self._moved(())

    def retold(self, entries: Iterable[Entry]) -> None:
        """Note that tools which stand on the layer are no longer as they were."""
        for entry in entries:
            self.layer.note(entry)
        self._moved(())

    def changed(self) -> None:
        """Note that masks of this scope are no longer as they were."""
        if self.parent is None:
            self._switches += 1
        else:
            self._masks += 1
        self._moved(())

    def _moved(self, hooks: tuple[HookEntry, ...]) -> None:
        self.epoch.number += 1
        self.epoch.hooks += bool(hooks)
        self.adds_nothing = not (self.parent is None or self.restrictions or len(self.layer))
        if self.adds_nothing:
            self.layer.pop_changed()
            self.forget()
        if self.epoch.on_change is not None:
            self.epoch.on_change()

    def forget(self) -> None:
        """Drop what was compiled here; the next use compiles it anew."""
        self._seen, self._view = -1, EMPTY
        self._built_from, self._built, self._final_from = None, EMPTY, None
        self._chained, self._chains = -1, None
        for each in (self.presentation, self.deferral):
            if each is not None:
                each.forget()

    @property
    def is_stale(self) -> bool:
        """Whether something changed since this scope was last used."""
        return self._seen != self.epoch.number

    @property
    def ancestry(self) -> list["Scope"]:
        """The chain from the global layer to this scope."""
        return list(self._outwards())[::-1]

    def _outwards(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def steps_below(self, farther: "Scope") -> int:
        """How many scopes there are from this one out to one of its ancestors, without that."""
        return next(steps for steps, each in enumerate(self._outwards()) if each is farther)

    def view(self) -> View:
        """What this scope sees now; compiled on the first use after a change."""
        scope = self
        while scope.adds_nothing and scope.parent is not None:
            scope = scope.parent
        if scope._seen != scope.epoch.number:
            scope.compile()
        return scope._view

    def find(self, name: str, *, is_direct: bool = False) -> Entry | None:
        """The tool that this name means here, or None: the one place where names are resolved.

        Args:
            name: the name.
            is_direct: whether a model calls it by itself, rather than a program or another tool.
        """
        entry = self.view().entries.get(name)
        if self.presentation is None:
            return entry
        if entry is None:
            return self.run_code if name == RUN_CODE else None
        return entry if self.presentation.shows_each or not is_direct else None

    @property
    def offered(self) -> Entry | None:
        """The tool that runs programs, whatever the host hides; None where it isn't offered."""
        if self.presentation is None:
            return None
        return self.presentation.entry(self.listed(), self.chains().runtimes)

    @property
    def run_code(self) -> Entry | None:
        """The tool that runs programs; None where it isn't offered, or is hidden."""
        entry = self.offered
        root = self.ancestry[0]
        return entry if entry is None or root.admits(entry) else None

    @property
    def presented_as(self) -> str:
        """How it shows its tools, in a word of the configuration."""
        if self.presentation is None:
            return "native"
        return "both" if self.presentation.shows_each else "code"

    def shown(self) -> View:
        """What a model is shown of this scope now."""
        view = self.listed()
        return view if self.presentation is None else self.presentation.shown(view, self.run_code)

    def listed(self) -> View:
        """What models are told of, by itself or in the declarations for programs."""
        view = self.view()
        if self.deferral is None:
            return view
        return self.deferral.listed(view, self.epoch.next_view())

    def reached(self) -> View:
        """What can be called here, by models or by their programs."""
        view, entry = self.view(), self.run_code
        if entry is None:
            return view
        return View(MappingProxyType({**view.entries, RUN_CODE: entry}), view.number)

    def compile(self) -> None:
        """Bring the view of this scope up to date."""
        root, *_ = chain = self.ancestry
        view = EMPTY
        for scope in chain:
            view = scope.unswitched(view)
        self._view = self._without_switched_off(root, view)
        self._seen = self.epoch.number

    def unswitched(self, parent: View) -> View:
        """The view before the host's own deny, given that of the parent."""
        if self.adds_nothing:
            return parent
        source = (parent.number, self.layer.version, self._masks)
        if self._built_from != source:
            self._built = self._build(parent)
            self._built_from = source
        return self._built

    def _build(self, parent: View) -> View:
        own_names = self.layer.pop_changed()
        changed = self._changed_above(parent, own_names)
        if changed is not None and not own_names and not self._sees_any(changed, parent):
            return self._built
        holds_own = bool(own_names or len(self.layer))
        entries = self._inherited(parent, changed, holds_own=holds_own)
        entries.update(self._put_by_plugins())
        entries.update(self._own())
        step = None if changed is None else Step(self._built.number, changed | own_names)
        return View(MappingProxyType(entries), self.epoch.next_view(), step)

    def _changed_above(self, parent: View, own_names: frozenset[str]) -> frozenset[str] | None:
        """The inherited names to judge anew after what changed; None for all."""
        if self._built_from is None or self._built_from[2] != self._masks:
            return None
        names = parent.names_since(self._built_from[0])
        if names is None:
            return None
        return names.union(*(self._twins(name, parent) for name in own_names))

    def _sees_any(self, names: Iterable[str], parent: View) -> bool:
        """Whether any of these names is or was visible here."""
        shown = self._built.entries
        coming = ((name, parent.entries.get(name)) for name in names)
        return any(
            name in shown or (each is not None and self.admits(each)) for name, each in coming
        )

    def _inherited(
        self, parent: View, changed: frozenset[str] | None, *, holds_own: bool
    ) -> dict[str, Entry]:
        """What the masks and the tools of this layer leave of the parent's view."""
        if self.restrictions and self.parent is not None:
            earlier = self._built.entries
            entries = narrowed(parent, earlier, changed, self.admits, holds_more=holds_own)
        else:
            entries = dict(parent.entries)
        for name in self.layer.entries if entries else ():
            for twin in self._twins(name, parent):
                entries.pop(twin, None)
        return entries

    def _twins(self, name: str, parent: View) -> Iterator[str]:
        """The inherited name that is one with this name, if there is one."""
        for scope in self._outwards():
            entry = None if scope is self else scope.layer.get(name)
            if entry is not None and parent.entries.get(entry.name) is entry:
                yield entry.name

    def _put_by_plugins(self) -> Iterator[tuple[str, Entry]]:
        """What plugins of farther layers put on this one, as far as the masks leave it."""
        if self.parent is not None:
            for name, each in self.layer.entries.items():
                if each.masked_by and self._is_left(each):
                    yield name, each

    def _is_left(self, entry: Entry) -> bool:
        masking = zip(range(entry.masked_by), self._outwards(), strict=False)
        return all(scope.admits(entry) for _, scope in masking)

    def _own(self) -> Mapping[str, Entry]:
        own = self.layer.entries
        if self.parent is None or not any(each.masked_by for each in own.values()):
            return own
        return {name: each for name, each in own.items() if not each.masked_by}

    def admits(self, entry: Entry) -> bool:
        """Whether this scope's own masks leave an inherited tool visible."""
        for mask in self.restrictions:
            if not mask.admits(entry):
                return any(matches(grant, entry) for grant in self.grants)
        return True

    def _without_switched_off(self, root: "Scope", view: View) -> View:
        if not root.restrictions:
            self._final_from = None
            return view
        source = (view.number, root._switches)
        if self._final_from == source:
            return self._view
        changed = None
        if self._final_from is not None and self._final_from[1] == root._switches:
            changed = view.names_since(self._final_from[0])
        kept = narrowed(view, self._view.entries, changed, root.admits)
        self._final_from = source
        if len(kept) == len(view.entries):
            return view
        return View(MappingProxyType(kept), self.epoch.next_view())

    def chains(self) -> Chains:
        """The hooks that calls on this scope pass, whatever their tool."""
        scope = self
        while scope.parent is not None and not scope.layer.has_hooks:
            scope = scope.parent
        if scope._chains is None or scope._chained != self.epoch.hooks:
            scope._chains = compile_chains([each.layer for each in scope.ancestry])
            scope._chained = self.epoch.hooks
        return scope._chains

    def holds(self, entry: Entry) -> bool:
        """Whether a tool still stands on a layer that this scope sees."""
        if entry.name == RUN_CODE:
            offered = self.run_code
            return offered is not None and offered.generation is entry.generation
        return any(each.layer.entries.get(entry.name) is entry for each in self._outwards())

    def revision(self) -> int:
        """A number that moves exactly when what a model should be shown does."""
        view = self.shown()
        if self._revised is None or self._revised[0]() is not view:
            digest = view.digest()
            if self._revised is not None and self._revised[1] != digest:
                self._revision += 1
            self._revised = (ref(view), digest)
        return self._revision

"""What one board sees: `view(board) = mask(restrictions, view(parent)) + own tools`."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import attrs

from pegboard.names import folded
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.layer import Layer
from pegboard.registry.masks import Restriction, matches
from pegboard.selection import Selector
from pegboard.tools import ToolDefinition


@attrs.define(eq=False)
class Epoch:
    """Moves with every change anywhere on one host, so that an unchanged view costs one compare."""

    number: int = 0


@attrs.define(eq=False)
class View:
    """The tools that one board sees, in order; what it shows never changes.

    Attributes:
        entries: by the names that models see.
    """

    entries: Mapping[str, Entry] = attrs.field(on_setattr=attrs.setters.frozen)
    _definitions: tuple[ToolDefinition, ...] | None = None
    _encoded: dict[str, bytes] | None = None

    def encoded(self, shape: str, encode: Callable[[], bytes]) -> bytes:
        """The definitions in one provider's shape as JSON text, encoded once."""
        if self._encoded is None:
            self._encoded = {}
        text = self._encoded.get(shape)
        if text is None:
            text = self._encoded[shape] = encode()
        return text

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What a model is told of each, in order."""
        if self._definitions is None:
            self._definitions = tuple(each.definition for each in self.entries.values())
        return self._definitions

    def digest(self) -> bytes:
        """Sixteen bytes that stand for everything that any format shows of this view."""
        digests = b"".join(entry.digest for entry in self.entries.values())
        return hashlib.blake2b(digests, digest_size=16).digest()


@attrs.frozen(eq=False)
class Chains:
    """The hooks that the calls on one scope pass, compiled to tuples.

    Attributes:
        guards: asked before the body; each may only refuse.
        finished: told of the outcome.
    """

    guards: tuple[HookEntry, ...] = ()
    finished: tuple[HookEntry, ...] = ()


EMPTY = View(MappingProxyType({}))


@attrs.define(eq=False)
class Scope:
    """The global layer, or one board, in the chain of its ancestors.

    Attributes:
        name: the board's name; None for the global layer.
        parent: the next farther scope; None for the global layer.
        layer: what stands on it.
        restrictions: its masks over what it inherits.
        grants: selectors that its own masks don't reach.
    """

    name: str | None
    parent: "Scope | None"
    layer: Layer
    epoch: Epoch
    restrictions: list[Restriction] = attrs.field(factory=list)
    grants: list[Selector] = attrs.field(factory=list)
    _seen: int = -1
    _view: View = EMPTY
    _built_from: tuple[View, int] | None = None
    _built: View = EMPTY
    _final_from: tuple[View, int] | None = None
    _final: View = EMPTY
    _chains: Chains | None = None
    _revision: int = 0
    _revised: tuple[View, bytes] | None = None

    def changed(self) -> None:
        """Note that something of this scope is no longer as it was."""
        self.layer.version += 1
        self.epoch.number += 1

    @property
    def ancestry(self) -> list["Scope"]:
        """The chain from the global layer to this scope."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.parent
        return chain[::-1]

    def view(self) -> View:
        """What this scope sees now; compiled on the first use after a change."""
        if self._seen != self.epoch.number:
            chain = self.ancestry
            view = EMPTY
            for scope in chain:
                view = scope.unswitched(view)
            self._view = self._without_switched_off(chain[0], view)
            self._seen, self._chains = self.epoch.number, None
        return self._view

    def find(self, name: str) -> Entry | None:
        """The tool that this name means here, or None: the one place where names are resolved."""
        return self.view().entries.get(name)

    def unswitched(self, parent: View) -> View:
        """The view before the host's own deny, given that of the parent."""
        source = (parent, self.layer.version)
        if self._built_from != source:
            self._built = self._build(parent)
            self._built_from = source
        return self._built

    def _build(self, parent: View) -> View:
        if self.parent is None:
            return View(MappingProxyType({each.name: each for each in self.layer.entries()}))
        if not self.restrictions and not len(self.layer):
            return parent
        standing = self.layer.entries()
        masked = self._shadowed(parent.entries, [each for each in standing if each.is_inherited])
        if self.restrictions:
            masked = {key: each for key, each in masked.items() if self.admits(each)}
        own = self._shadowed(masked, [each for each in standing if not each.is_inherited])
        return View(MappingProxyType(own))

    def _shadowed(self, farther: Mapping[str, Entry], nearer: Sequence[Entry]) -> dict[str, Entry]:
        if not nearer:
            return dict(farther)
        hidden = {folded(each.name) for each in nearer}
        found = {key: each for key, each in farther.items() if folded(key) not in hidden}
        found.update((each.name, each) for each in nearer)
        return found

    def admits(self, entry: Entry) -> bool:
        """Whether this scope's own masks leave an inherited tool visible."""
        if all(each.admits(entry) for each in self.restrictions):
            return True
        return any(matches(grant, entry) for grant in self.grants)

    def _without_switched_off(self, root: "Scope", view: View) -> View:
        if not root.restrictions:
            return view
        source = (view, root.layer.version)
        if self._final_from != source:
            kept = {
                key: each
                for key, each in view.entries.items()
                if all(mask.admits(each) for mask in root.restrictions)
            }
            self._final, self._final_from = View(MappingProxyType(kept)), source
        return self._final

    def chains(self) -> Chains:
        """The hooks that a call on this scope passes, the farthest layer first."""
        self.view()
        if self._chains is None:
            self._chains = Chains(self._chain("guard"), self._chain("pegboard_call_finished"))
        return self._chains

    def _chain(self, kind: str) -> tuple[HookEntry, ...]:
        return tuple(hook for scope in self.ancestry for hook in scope.layer.hooks(kind))

    def revision(self) -> int:
        """A number that moves exactly when what a model should be shown does."""
        view = self.view()
        if self._revised is None or self._revised[0] is not view:
            digest = view.digest()
            if self._revised is not None and self._revised[1] != digest:
                self._revision += 1
            self._revised = (view, digest)
        return self._revision

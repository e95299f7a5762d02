"""The contributions of one scope, put on and taken off in one step."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from pegboard.errors import CollisionError
from pegboard.names import folded
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.generation import Owner

_NOTHING: tuple[HookEntry, ...] = ()


@attrs.define(eq=False)
class Layer:
    """What stands on one scope.

    Attributes:
        name: for people, such as `the global layer` or `board 'coder'`.
        version: moves with every change of its tools.
    """

    name: str
    version: int = 0
    _entries: dict[str, Entry] = attrs.field(factory=dict)
    _spellings: dict[str, str] | None = None
    _is_ordered: bool = True
    _hooks: list[HookEntry] | None = None
    _quarantined: list[Entry] | None = None
    _changed: set[str] | None = None

    def check(self, entries: Sequence[Entry]) -> None:
        """Refuse entries whose names are taken, here or among themselves.

        Raises:
            CollisionError: names both owners and the way out.
        """
        coming: dict[str, Entry] = {}
        for entry in _offered(entries):
            standing = self.get(entry.name)
            if standing is not None and standing.generation in entry.generation.replaces:
                standing = None
            taken = standing or coming.get(folded(entry.name))
            if taken is not None:
                raise CollisionError(_collision(taken, entry, self.name))
            coming[folded(entry.name)] = entry

    def put(self, entries: Iterable[Entry] = (), hooks: Iterable[HookEntry] = ()) -> None:
        """Add what was checked; a quarantined tool takes no name and is never seen."""
        given = list(entries)
        for entry in _offered(given):
            last = next(reversed(self._entries.values()), entry)
            self._is_ordered = self._is_ordered and last.plugin <= entry.plugin
            self._entries[entry.name] = entry
            if folded(entry.name) != entry.name:
                self._spellings = self._spellings or {}
                self._spellings[folded(entry.name)] = entry.name
            self.note(entry)
        held = [entry for entry in given if entry.quarantined is not None]
        if held:
            self._quarantined = [*(self._quarantined or ()), *held]
        added = list(hooks)
        if added:
            self._hooks = [*(self._hooks or ()), *added]

    def take(self, entries: Iterable[Entry] = (), hooks: Iterable[HookEntry] = ()) -> None:
        """Remove what is still there."""
        given = list(entries)
        for entry in given:
            if self._entries.get(entry.name) is entry:
                del self._entries[entry.name]
                if self._spellings is not None:
                    self._spellings.pop(folded(entry.name), None)
                self.note(entry)
        if self._quarantined is not None:
            kept = [entry for entry in self._quarantined if entry not in given]
            self._quarantined = kept or None
        gone = set(hooks)
        if gone:
            self._hooks = [each for each in self._hooks or () if each not in gone] or None

    def note(self, entry: Entry) -> None:
        """Note that a tool came, went or has changed."""
        self._changed = self._changed or set()
        self._changed.add(entry.name)
        self.version += 1

    def pop_changed(self) -> frozenset[str]:
        """The names whose tools came or went since this was last asked."""
        changed, self._changed = self._changed, None
        return frozenset(changed or ())

    def get(self, name: str) -> Entry | None:
        """The entry whose name is this one, or differs in case only."""
        key = folded(name)
        found = self._entries.get(key)
        if found is None and self._spellings is not None:
            found = self._entries.get(self._spellings.get(key, key))
        return found

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The entries by name, in the order in which models see them.

        What the program registered comes first, in order; then plugins by name, each in its own.
        """
        if not self._is_ordered:
            self._entries = dict(sorted(self._entries.items(), key=_plugin))
            self._is_ordered = True
        return self._entries

    @property
    def quarantined(self) -> Sequence[Entry]:
        """The tools that are neither offered nor callable, since they aren't what was accepted."""
        return self._quarantined or ()

    @property
    def has_hooks(self) -> bool:
        """Whether any hook or guard stands here."""
        return self._hooks is not None

    def hooks(self, kind: str) -> Sequence[HookEntry]:
        """The hooks of one kind in their order: `tryfirst`, the rest, `trylast`."""
        if self._hooks is None:
            return _NOTHING
        found = [each for each in self._hooks if each.kind == kind]
        return sorted(found, key=lambda each: (each.rank, each.generation.owner.plugin or ""))


def _offered(entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.quarantined is None)


def _plugin(named: tuple[str, Entry]) -> str:
    return named[1].plugin


def _collision(one: Entry, other: Entry, layer: str) -> str:
    spelling = (
        "" if one.name == other.name else f" (as {one.name!r}; case doesn't tell names apart)"
    )
    return (
        f"tool {other.name!r} of {other.owner} is already registered by {one.owner} on {layer}"
        f"{spelling}; {_way_out(one.owner, other.owner)}"
    )


def _way_out(one: Owner, other: Owner) -> str:
    plugins = [owner.plugin for owner in (other, one) if owner.plugin is not None]
    if not plugins:
        return "give one of them another name, or register it on one board"
    name = plugins[0]
    return (
        f"set plugins.{name}.pegboard.prefix or plugins.{name}.pegboard.rename, block one of them, "
        "or load one for one board only"
    )

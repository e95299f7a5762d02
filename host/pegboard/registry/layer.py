"""The contributions of one scope, put on and taken off in one step."""

from collections.abc import Iterable, Sequence

import attrs

from pegboard.errors import CollisionError
from pegboard.names import folded
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.generation import Owner

_NOTHING: tuple[HookEntry, ...] = ()


@attrs.define(eq=False)
class Layer:
    """What stands on one scope; every change moves its version.

    Attributes:
        name: for people, such as `the global layer` or `board 'coder'`.
        version: moves with every change.
    """

    name: str
    version: int = 0
    _entries: dict[str, Entry] = attrs.field(factory=dict)
    _hooks: list[HookEntry] | None = None

    def check(self, entries: Sequence[Entry]) -> None:
        """Refuse entries whose names are taken, here or among themselves.

        Raises:
            CollisionError: names both owners and the way out.
        """
        taken = dict(self._entries)
        for entry in entries:
            key = folded(entry.name)
            if key in taken:
                raise CollisionError(_collision(taken[key], entry, self.name))
            taken[key] = entry

    def put(self, entries: Iterable[Entry] = (), hooks: Iterable[HookEntry] = ()) -> None:
        """Add what was checked."""
        self._entries.update((folded(each.name), each) for each in entries)
        added = list(hooks)
        if added:
            self._hooks = [*(self._hooks or ()), *added]
        self.version += 1

    def take(self, entries: Iterable[Entry] = (), hooks: Iterable[HookEntry] = ()) -> None:
        """Remove what is still there."""
        for entry in entries:
            if self._entries.get(folded(entry.name)) is entry:
                del self._entries[folded(entry.name)]
        gone = set(hooks)
        if gone:
            self._hooks = [each for each in self._hooks or () if each not in gone] or None
        self.version += 1

    def get(self, name: str) -> Entry | None:
        """The entry whose name is this one, or differs in case only."""
        return self._entries.get(folded(name))

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self) -> list[Entry]:
        """The entries in the order in which models see them.

        What the program registered comes first, in order; then plugins by name, each in its own.
        """
        return sorted(self._entries.values(), key=lambda entry: _place(entry.owner))

    def hooks(self, kind: str) -> Sequence[HookEntry]:
        """The hooks of one kind in their order: `tryfirst`, the rest, `trylast`."""
        if self._hooks is None:
            return _NOTHING
        found = [each for each in self._hooks if each.kind == kind]
        return sorted(found, key=lambda each: (each.rank, _place(each.generation.owner)))


def _place(owner: Owner) -> tuple[bool, str]:
    return (owner.plugin is not None, owner.plugin or "")


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

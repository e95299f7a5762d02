"""All layers of one host: contributions go on and off in one step, reserved names are kept."""

from collections.abc import Callable, Container, Iterable, Mapping
from weakref import WeakSet

import attrs

from pegboard.config import Config, Place
from pegboard.errors import ReservedNameError
from pegboard.names import RUN_CODE, folded
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.epoch import Epoch
from pegboard.registry.generation import Generation
from pegboard.registry.layer import Layer
from pegboard.registry.overrides import told_anew
from pegboard.registry.registration import Registration
from pegboard.registry.scope import Scope
from pegboard.reports import RefusedTool


@attrs.frozen(eq=False)
class Reservation:
    """A name that no plugin may use.

    Attributes:
        name: the name.
        reason: why, in words.
        generation: the plugin that reserved it and may register it; None for the host's own.
        place: where it stands in a configuration file.
    """

    name: str
    reason: str
    generation: Generation | None = None
    place: Place | None = None

    def __str__(self) -> str:
        if self.generation is not None:
            return f"{self.name!r} is reserved by {self.generation.owner}: {self.reason}"
        if self.place is not None:
            return f"{self.name!r} is reserved by {self.place}: {self.reason}"
        return f"{self.name!r} is reserved: {self.reason}"


@attrs.frozen(eq=False)
class Contributions:
    """What one owner puts on one layer in one step.

    Attributes:
        entries: its tools.
        hooks: its hooks and guards.
        reservations: names that it reserves.
        refused: tools that are left out, and why.
    """

    entries: tuple[Entry, ...] = ()
    hooks: tuple[HookEntry, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    refused: tuple[RefusedTool, ...] = ()


class Registry:
    """The layers, views and reserved names of one host.

    Attributes:
        configured: the names that the configuration reserves, by their folded form.
    """

    def __init__(self, reserved: Iterable[Reservation] = ()) -> None:
        self.epoch = Epoch()
        self.root = Scope(None, None, Layer("the global layer"), self.epoch)
        self._scopes: WeakSet[Scope] = WeakSet()
        self._config: Config | None = None
        own = Reservation(RUN_CODE, "it is the tool that runs programs")
        self._reserved = {folded(own.name): own}
        self.configured: dict[str, Reservation] = {}
        self.reserve(self.reserving(reserved))

    @property
    def reserved(self) -> Mapping[str, Reservation]:
        """The reserved names, by their folded form."""
        return self._reserved

    def scope(self, name: str, parent: Scope | None = None) -> Scope:
        """A new scope for a board."""
        made = Scope(name, parent or self.root, Layer(f"board {name!r}"), self.epoch)
        self._scopes.add(made)
        return made

    def entries(self, name: str) -> tuple[Entry, ...]:
        """The tools of that name, on whatever layers they stand."""
        found = (each.layer.get(name) for each in (self.root, *self._scopes))
        return tuple(each for each in found if each is not None and each.name == name)

    def names(self) -> tuple[str, ...]:
        """The names of all tools, on whatever layers they stand."""
        layers = (each.layer.entries for each in (self.root, *self._scopes))
        return tuple(dict.fromkeys(entry.name for each in layers for entry in each.values()))

    def put(self, scope: Scope, given: Contributions) -> Registration:
        """Put contributions on a layer, all or none.

        Raises:
            CollisionError: a tool's name is taken on that layer.
            ReservedNameError: a tool's name is reserved by somebody else, or a name that is
                reserved here is taken or reserved already.
        """
        self.check(scope, given)
        self._tell(given.entries)
        scope.put(given.entries, given.hooks)
        self._reserved.update((folded(each.name), each) for each in given.reservations)
        return Registration(self._undo(scope, given))

    def reserving(
        self, reserved: Iterable[Reservation], *, going: Container[str | None] = ()
    ) -> dict[str, Reservation]:
        """What a configuration reserves, by folded names; nothing has changed yet.

        Args:
            reserved: the names.
            going: plugins of which nothing will be there; what they have doesn't count.

        Raises:
            ReservedNameError: a tool has such a name, a plugin reserves it, or it comes twice.
        """
        found: dict[str, Reservation] = {}
        for each in reserved:
            key = folded(each.name)
            if key in found:
                where = "" if each.place is None else f"{each.place}: "
                raise ReservedNameError(f"{where}a name can be reserved once: {found[key]}")
            if key not in self.configured:
                self._check_reservation(each, going=going)
            found[key] = each
        return found

    def reserve(self, reserved: dict[str, Reservation]) -> None:
        """Keep what the configuration reserves now, in the place of what it did before."""
        for key, each in self.configured.items():
            if self._reserved.get(key) is each:
                del self._reserved[key]
        self.configured = reserved
        self._reserved.update(reserved)

    def following(self, config: Config) -> Callable[[], None]:
        """What has all tools be as another configuration says, on every layer in one step.

        Raises:
            PegboardError: a tool can't be so; nothing has changed.
        """
        scopes = (self.root, *self._scopes)
        by_scope = [(scope, _told_of(scope.layer.entries.values(), config)) for scope in scopes]
        limits = config.limits

        def follow() -> None:
            self._config = config
            for scope, told in by_scope:
                for _, tell in told:
                    tell()
                if told:
                    scope.retold([entry for entry, _ in told])
                for entry in scope.layer.entries.values():
                    entry.bound(limits)

        return follow

    def _tell(self, entries: Iterable[Entry]) -> None:
        """Have tools that are about to stand here be as the newest configuration says."""
        if self._config is None:
            return
        for _, tell in _told_of(entries, self._config):
            tell()
        limits = self._config.limits
        for entry in entries:
            entry.bound(limits)

    def check(self, scope: Scope, *given: Contributions) -> None:
        """Refuse contributions that could not be put on a layer together.

        Raises:
            CollisionError: a tool's name is taken on that layer.
            ReservedNameError: a name is reserved by somebody else.
        """
        entries = [entry for each in given for entry in each.entries]
        for reservation in [name for each in given for name in each.reservations]:
            self._check_reservation(reservation)
        for entry in entries:
            self.check_free(entry.name, generation=entry.generation)
        scope.layer.check(entries)

    def check_together(self, given: Iterable[tuple[Scope, Contributions]]) -> None:
        """Refuse contributions to several layers that could not all be put there.

        Raises:
            CollisionError: a tool's name is taken on its layer.
            ReservedNameError: a name is reserved by somebody else.
        """
        by_scope: dict[int, tuple[Scope, list[Contributions]]] = {}
        reserved: dict[str, Reservation] = {}
        for scope, each in given:
            by_scope.setdefault(id(scope), (scope, []))[1].append(each)
            for one in each.reservations:
                if reserved.setdefault(folded(one.name), one) is not one:
                    known = reserved[folded(one.name)]
                    raise ReservedNameError(f"a name can be reserved once: {known}")
        for scope, coming in by_scope.values():
            self.check(scope, *coming)
            for entry in (one for each in coming for one in each.entries):
                found = reserved.get(folded(entry.name))
                if found is not None and found.generation is not entry.generation:
                    raise ReservedNameError(f"{entry.owner} can't use {entry.name!r}: {found}")

    def check_free(self, name: str, *, generation: Generation) -> None:
        """Refuse a name that somebody else has reserved.

        Raises:
            ReservedNameError: names the owner and the reason.
        """
        found = self._reserved.get(folded(name))
        if found is None or generation.takes_from(found.generation):
            return
        raise ReservedNameError(
            f"{generation.owner} can't use {name!r}: {found}; give it another name"
        )

    def check_unreserved(
        self, names: Iterable[str], *, coming: Mapping[str, Reservation] | None = None
    ) -> None:
        """Refuse exact names in a mask that somebody has reserved.

        Args:
            names: the names.
            coming: what the configuration will reserve, by folded names; as it does now if None.

        Raises:
            ReservedNameError: names the owner and the reason.
        """
        configured = self.configured if coming is None else coming
        for name in names:
            key = folded(name)
            found = configured.get(key) or self._reserved.get(key)
            if found is self.configured.get(key) and key not in configured:
                continue
            if found is not None:
                raise ReservedNameError(f"no restriction may name {name!r}: {found}")

    def _check_reservation(
        self, reservation: Reservation, *, going: Container[str | None] = ()
    ) -> None:
        name = reservation.name
        coming = reservation.generation
        where = "" if reservation.place is None else f"{reservation.place}: "
        replaced = frozenset() if coming is None else coming.replaces
        known = self._reserved.get(folded(name))
        if known is not None and not (
            known.generation in replaced or _goes(known.generation, going)
        ):
            raise ReservedNameError(f"{where}a name can be reserved once: {known}")
        for scope in (self.root, *self._scopes):
            taken = scope.layer.get(name)
            if taken is None or _goes(taken.generation, going):
                continue
            if coming is None or not coming.takes_from(taken.generation):
                whose = f"{taken.owner} has registered {taken.name!r} on {taken.layer}"
                raise ReservedNameError(f"{where}{name!r} can't be reserved: {whose}")

    def forget_stale(self) -> None:
        """Drop what was compiled for boards that nobody has used since the last change."""
        for scope in (self.root, *self._scopes):
            if scope.is_stale:
                scope.forget()

    def _undo(self, scope: Scope, given: Contributions) -> Callable[[], None]:
        def undo() -> None:
            scope.take(given.entries, given.hooks)
            for reservation in given.reservations:
                if self._reserved.get(folded(reservation.name)) is reservation:
                    del self._reserved[folded(reservation.name)]

        return undo


def _goes(known: Generation | None, going: Container[str | None]) -> bool:
    """Whether nothing of a load will be there."""
    return known is not None and known.owner.plugin is not None and known.owner.plugin in going


def _told_of(entries: Iterable[Entry], config: Config) -> list[tuple[Entry, Callable[[], None]]]:
    """The tools of which a configuration says something else, and what has them be so."""
    found = ((entry, told_anew(entry, config)) for entry in entries)
    return [(entry, tell) for entry, tell in found if tell is not None]

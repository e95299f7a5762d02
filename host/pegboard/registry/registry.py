"""All layers of one host: contributions go on and off in one step, reserved names are kept."""

from collections.abc import Callable, Iterable, Mapping
from weakref import WeakSet

import attrs

from pegboard.config import Config, Place
from pegboard.errors import ReservedNameError
from pegboard.names import RUN_CODE, folded
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.generation import Generation
from pegboard.registry.layer import Layer
from pegboard.registry.overrides import tell_anew
from pegboard.registry.registration import Registration
from pegboard.registry.scope import Epoch, Scope
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
    """The layers, views and reserved names of one host."""

    def __init__(self, reserved: Iterable[Reservation] = ()) -> None:
        self.epoch = Epoch()
        self.root = Scope(None, None, Layer("the global layer"), self.epoch)
        self._scopes: WeakSet[Scope] = WeakSet()
        self._config: Config | None = None
        own = Reservation(RUN_CODE, "it is the tool that runs programs")
        self._reserved = {folded(own.name): own}
        for each in reserved:
            self._check_reservation(each)
            self._reserved[folded(each.name)] = each

    @property
    def reserved(self) -> Mapping[str, Reservation]:
        """The reserved names, by their folded form."""
        return self._reserved

    def scope(self, name: str, parent: Scope | None = None) -> Scope:
        """A new scope for a board."""
        made = Scope(name, parent or self.root, Layer(f"board {name!r}"), self.epoch)
        self._scopes.add(made)
        return made

    def put(self, scope: Scope, given: Contributions) -> Registration:
        """Put contributions on a layer, all or none.

        Raises:
            CollisionError: a tool's name is taken on that layer.
            ReservedNameError: a tool's name is reserved by somebody else, or a name that is
                reserved here is taken or reserved already.
        """
        self.check(scope, given)
        if self._config is not None:
            for entry in given.entries:
                tell_anew(entry, self._config)
        scope.put(given.entries, given.hooks)
        self._reserved.update((folded(each.name), each) for each in given.reservations)
        return Registration(self._undo(scope, given))

    def follow(self, config: Config) -> None:
        """Have all tools be as another configuration says, on every layer in one step."""
        self._config = config
        for scope in (self.root, *self._scopes):
            entries = [each for each in scope.layer.entries.values() if tell_anew(each, config)]
            if entries:
                scope.retold(entries)

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

    def check_unreserved(self, names: Iterable[str]) -> None:
        """Refuse exact names in a mask that somebody has reserved.

        Raises:
            ReservedNameError: names the owner and the reason.
        """
        for name in names:
            found = self._reserved.get(folded(name))
            if found is not None:
                raise ReservedNameError(f"no restriction may name {name!r}: {found}")

    def _check_reservation(self, reservation: Reservation) -> None:
        name = reservation.name
        coming = reservation.generation
        known = self._reserved.get(folded(name))
        if known is not None and (coming is None or known.generation not in coming.replaces):
            raise ReservedNameError(f"a name can be reserved once: {known}")
        for scope in (self.root, *self._scopes):
            taken = scope.layer.get(name)
            if taken is not None and (coming is None or not coming.takes_from(taken.generation)):
                raise ReservedNameError(
                    f"{name!r} can't be reserved: {taken.owner} has registered {taken.name!r} "
                    f"on {taken.layer}"
                )

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

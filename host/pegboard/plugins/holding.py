"""Which loads hold modules in this process: of one name Python has one, whoever imports it."""

import gc
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TypeGuard
from weakref import ref

import attrs

from pegboard.errors import PluginLoadError
from pegboard.plugins.forgetting import forget_bytecode, forget_types
from pegboard.plugins.modules import Ground, owned, purge, standing_in
from pegboard.plugins.unasked import file_of

_SHOWN = 3


@attrs.frozen(eq=False)
class File:
    """One file, as it was at some moment.

    Attributes:
        path: where it is.
        state: what tells it from another that is put in its place.
    """

    path: str
    state: tuple[int, int, int]

    @classmethod
    def now(cls, path: str) -> "File":
        """The file as it is; one that is not there differs from any other."""
        try:
            status = os.stat(path)  # noqa: PTH116 - many a load
        except OSError:
            return cls(path, (0, 0, 0))
        return cls(path, (status.st_mtime_ns, status.st_size, status.st_ino))

    @property
    def is_on_disk(self) -> bool:
        """Whether it is still the same."""
        return any(self.state) and File.now(self.path).state == self.state


@attrs.define(eq=False)
class Holding:
    """The modules of one load of a plugin.

    Attributes:
        ground: where they come from.
        owner: whose they are, for people.
        files: those that they came from or will come from, by module, as they were then.
        is_handed_over: whether a successor has their names by now.
        taken: those that were taken out of `sys.modules`, until somebody asks what is left of them.
        folders: what its import has added to `sys.path`.
        earlier: the names of those that somebody else had imported before the load.
    """

    ground: Ground
    owner: str = ""
    files: Mapping[str, File] = attrs.field(factory=dict)
    is_handed_over: bool = False
    taken: Mapping[str, ModuleType] = attrs.field(factory=dict)
    folders: tuple[str, ...] = ()
    earlier: frozenset[str] = attrs.field(init=False)
    _path: tuple[str, ...] = attrs.field(init=False, factory=lambda: tuple(sys.path))

    @earlier.default
    def _imported_by_others(self) -> frozenset[str]:
        return frozenset(owned(self.ground))

    def note(self, later: Mapping[str, File]) -> None:
        """Remember the files of what is imported as they are now.

        Args:
            later: those of modules that may yet be imported.
        """
        self.folders = tuple(each for each in sys.path if each not in self._path)
        paths = {name: file_of(module) for name, module in owned(self.ground).items()}
        self.files = {**later, **{name: File.now(paths[name]) for name in paths if paths[name]}}

    @property
    def sources(self) -> set[str]:
        """The files that its modules came from or will come from, whatever they are by now."""
        now = map(file_of, owned(self.ground).values())
        return {*filter(None, now), *(each.path for each in self.files.values())}

    def folders_left(self) -> tuple[str, ...]:
        """What its import has added to `sys.path` and is still there, in words.

        The host itself adds the folder of an editable install.
        """
        own = self.ground.folders
        added = [each for each in self.folders if each in sys.path]
        return tuple(f"sys.path {each}" for each in added if not f"{each}/".startswith(own))

    def changed_on(self, ground: Ground) -> list[str]:
        """The modules on a ground whose files are not what they were."""
        if not ground.may_share(self.ground):
            return []
        return sorted(
            name
            for name, file in self.files.items()
            if ground.owns_file(name, file.path) and not file.is_on_disk
        )


@attrs.frozen(eq=False)
class _Held:
    """One load; where its modules came from, if its host was dropped and never closed."""

    holding: "ref[Holding]"
    ground: Ground


class Holder:
    """One host among those of its process: which loads it has, as long as they live.

    It stands in `sys.meta_path`, where other hosts see it, while it has any.
    """

    def __init__(self) -> None:
        self._held: dict[int, _Held] = {}
        self.left: list[Holding] = []
        """Those that were released while others import modules of theirs."""

    @property
    def holdings(self) -> list[Holding]:
        """What it has."""
        found = [each.holding() for each in list(self._held.values())]
        return [each for each in found if each is not None]

    def hold(self, holding: Holding) -> None:
        """Have a load until it is dropped, or nobody knows it any more."""
        self._held[id(holding)] = _Held(ref(holding), holding.ground)
        if not any(each is self for each in sys.meta_path):
            sys.meta_path = [self, *sys.meta_path]  # an import that goes on walks the old list

    def find_spec(
        self,
        fullname: str,  # noqa: ARG002 - what a finder is called with
        path: Sequence[str] | None,  # noqa: ARG002 - the same
        target: ModuleType | None = None,  # noqa: ARG002 - the same
    ) -> ModuleSpec | None:
        """Nothing, unless more is known than which loads it has."""
        return None

    def drop(self, holding: Holding) -> None:
        """Have it no more; its modules stay where they are."""
        self._held.pop(id(holding), None)
        self._go()

    def release(self, holding: Holding) -> None:
        """Take modules out of `sys.modules`, unless others use them or successors stand there."""
        self.drop(holding)
        if not holding.is_handed_over:
            forget_bytecode(holding.sources)
            holding.taken = purge(holding.ground, others=grounds_held())
            left = left_on(holding.ground)
            if left:
                now = {name: file for name, file in holding.files.items() if name in left}
                self.left.append(Holding(holding.ground, holding.owner, now))
        for each in holders():
            each.sweep()
        forget_types()

    def sweep(self) -> None:
        """Take out of `sys.modules` what nobody uses any more, of hosts that were dropped too."""
        for key, each in list(self._held.items()):
            if each.holding() is None:
                del self._held[key]
                purge(each.ground, others=grounds_held())
        for holding in list(self.left):
            purge(holding.ground, others=grounds_held())
            if not left_on(holding.ground):
                self.left.remove(holding)
        self._go()

    def _go(self) -> None:
        """Leave the other finders, if there is nothing left to tell."""
        if not self._held and not self.left:
            sys.meta_path = [each for each in sys.meta_path if each is not self]

    def check(self, ground: Ground, *, but: Iterable[Holding] = ()) -> None:
        """Refuse to load from a ground of which somebody runs what was there before.

        Args:
            ground: where modules would come from.
            but: the loads that don't count.

        Raises:
            PluginLoadError: says who has them.
        """
        skipped = set(map(id, but))
        is_told = self._told(ground, skipped) is not None
        if is_told:
            gc.collect()  # a host that was dropped may not be gone yet
        for holder in holders():
            holder.sweep()
        told = self._told(ground, skipped) if is_told else None
        if told is not None:
            raise PluginLoadError(told)

    def _told(self, ground: Ground, skipped: set[int]) -> str | None:
        """Who has changed modules of a ground, and what to do about it; None if nobody has."""
        for other in held():
            changed = [] if id(other) in skipped else other.changed_on(ground)
            if changed and any(each is other for each in self.holdings):
                return f"{other.owner} is loaded, and {_told_of(changed)}; reload it first"
            if changed:
                return (
                    f"{other.owner} is loaded in another host of this process, and "
                    f"{_told_of(changed)}; modules are shared in a process: unload it there first"
                )
        for other in (each for holder in holders() for each in holder.left):
            changed = other.changed_on(ground)
            if changed:
                return f"others import {other.owner}, and {_told_of(changed)}; unload those first"
        return None


def _told_of(changed: list[str]) -> str:
    names = ", ".join(map(repr, changed[:_SHOWN]))
    return f"files have changed since ({names}{', …' if len(changed) > _SHOWN else ''})"


def holders() -> list[Holder]:
    """Every host in this process that has loads."""
    finders: list[object] = list(sys.meta_path)  # anything may stand there
    return [each for each in finders if _is_holder(each)]


def _is_holder(finder: object) -> TypeGuard[Holder]:
    return issubclass(type(finder), Holder)


def held() -> list[Holding]:
    """Every load in this process that holds modules, of whatever host."""
    return [each for holder in holders() for each in holder.holdings]


def has_loaded(name: str, path: str) -> bool:
    """Whether some load in this process has a module from a file."""
    files = (each.files.get(name) for each in held())
    return any(each is not None and each.path == path for each in files)


def grounds_held() -> list[Ground]:
    """The grounds of all loads in this process."""
    return [each.ground for each in held()]


def left_on(ground: Ground) -> list[str]:
    """The modules that are imported from a ground, and belong to no load."""
    grounds = grounds_held()
    found = owned(ground).items()
    left = [name for name, module in found if not any(each.owns(name, module) for each in grounds)]
    others = standing_in(ground)
    return [*left, *(name for name in others if not any(each.owns_name(name) for each in grounds))]

"""Whether a plugin is what the lock file accepts, decided before any of its code runs."""

import logging
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import attrs

from pegboard.config import Config, PluginConfig
from pegboard.errors import LockFileError, PegboardError, QuarantinedError
from pegboard.plugins.sources import DISTRIBUTION, Source
from pegboard.plugins.trust.changes import changes_between
from pegboard.plugins.trust.identity import Inspected, inspect_file, inspect_installed
from pegboard.plugins.trust.lockfile import Identity, Lock, LockedPlugin, read_lock, write_lock
from pegboard.registry import Contributions, Pinned, Pins, differences, digest_of
from pegboard.reports import LockReport, PluginInfo, QuarantinedTool

_log = logging.getLogger("pegboard.plugins")

_BY_COMMAND = "look at it with `pegboard lock --check`, then accept it with `pegboard lock`"
_BY_PROGRAM = "accept it with host.lock() on a host with Config(accept=True)"
_MOST = 5


class Trust:
    """What the lock file of one host accepts.

    Without a lock file everything is accepted, and nothing is looked at.
    """

    def __init__(self, config: Config) -> None:
        self._path = config.lock
        self._accepts = config.accept
        self._lock = Lock()
        self._unread: str | None = None
        self._identities: WeakKeyDictionary[Pins, Identity] = WeakKeyDictionary()

    def follow(self, other: "Trust") -> None:
        """Accept from now on what another one has read."""
        self._path, self._accepts = other._path, other._accepts  # noqa: SLF001 - of this class
        self._lock, self._unread = other._lock, other._unread  # noqa: SLF001 - as above

    def read(self) -> None:
        """Read the lock file as it is now; what can't be read accepts nothing."""
        self._lock, self._unread = Lock(), None
        if self._path is None:
            return
        try:
            self._lock = read_lock(self._path)
        except LockFileError as error:
            self._unread = str(error)
            if not self._accepts:
                _log.warning("the lock file %s can't be read: %s", self._path, error)

    def sealed(self, source: Source, name: str | None) -> Source:
        """The source with what checks it before its code runs, and its tools once they are known.

        Args:
            source: where the plugin comes from.
            name: the name that it was given, or None.
        """
        if self._path is None or source.distribution == DISTRIBUTION:
            return source
        key = source.name
        if source.pins is not None:
            key = source.pins.plugin
        elif source.found is None and source.location is None and name is not None:
            key = name
        way_out = _BY_PROGRAM if source.found is None else _BY_COMMAND
        locked = self._lock.plugins.get(key)
        accepted = None if self._accepts else () if locked is None else locked.tools
        said = str(self._unread) if locked is None else digest_of(locked.to_json())
        pins = Pins(key, accepted, way_out, said)
        return attrs.evolve(source, pins=pins, check=lambda: self._check(source, pins))

    def _check(self, source: Source, pins: Pins) -> None:
        """Refuse what differs; reads files, and runs none of the plugin's code.

        Raises:
            QuarantinedError: it isn't what was accepted, or its files aren't what was installed.
        """
        inspected = _inspected(source)
        whose = f"plugin {pins.plugin!r}"
        if inspected.identity.distribution is not None:
            whose += f" ({inspected.identity.distribution} {inspected.identity.version})"
        if inspected.problems:
            shown = [f"{each}" for each in inspected.problems[:_MOST]]
            more = len(inspected.problems) - len(shown)
            told = "; ".join([*shown, f"and {more} more"] if more else shown)
            raise QuarantinedError(
                f"{whose} is quarantined: {told}; look at it with `pegboard verify`, and install "
                "it again",
                diff=(f"+ {each}" for each in inspected.problems),
            )
        if not self._accepts:
            self._compare(pins, inspected.identity, whose)
        self._identities[pins] = inspected.identity

    def _compare(self, pins: Pins, found: Identity, whose: str) -> None:
        locked = self._lock.plugins.get(pins.plugin)
        if self._unread is not None:
            reason = f"the lock file {self._path} can't be read: {self._unread}"
        elif locked is None:
            reason = f"it isn't in the lock file {self._path}"
        elif locked.identity == found:
            return
        else:
            reason = "; ".join(_otherwise(locked.identity, found))
        before = {} if locked is None else locked.identity.said()
        raise QuarantinedError(
            f"{whose} is quarantined: {reason}; {pins.way_out}",
            diff=differences(before, found.said()),
        )

    def promised(self, source: Source) -> tuple[str, ...]:
        """The tools that the lock file knows of a plugin, by their own names."""
        locked = None if source.pins is None else self._lock.plugins.get(source.pins.plugin)
        return () if locked is None else tuple(dict.fromkeys(each.name for each in locked.tools))

    def report(
        self, loaded: Iterable[Pins], known: Container[str], *, write: bool, is_all: bool
    ) -> LockReport:
        """What the lock file says once it accepts what is loaded.

        Plugins that are known and not loaded keep what the file says of them, as do those that
        no distribution brought.

        Args:
            loaded: the pins of the plugins that are loaded.
            known: the names of the plugins that are known.
            write: whether the file is written.
            is_all: whether the known plugins are all that are installed.

        Raises:
            PegboardError: there is no lock file, or changes aren't accepted.
            LockFileError: it can't be written.
        """
        if self._path is None or not self._accepts:
            raise PegboardError(
                "this host doesn't accept changes; make it with Config(lock=…, accept=True)"
            )
        plugins = {
            name: each
            for name, each in self._lock.plugins.items()
            if name in known or not is_all or each.identity.distribution is None
        }
        lock = Lock(plugins | self._accepted(loaded))
        is_written = write and write_lock(self._path, lock)
        return LockReport(
            str(self._path),
            tuple(changes_between(self._lock, lock)),
            len(lock.plugins),
            sum(len(each.tools) for each in lock.plugins.values()),
            self._unread,
            is_written,
        )

    def _accepted(self, loaded: Iterable[Pins]) -> dict[str, LockedPlugin]:
        tools: dict[str, dict[str, Pinned]] = {}
        identities: dict[str, Identity] = {}
        for pins in loaded:
            tools.setdefault(pins.plugin, {}).update(pins.came)
            identities[pins.plugin] = self._identities[pins]
        return {
            name: LockedPlugin(identities[name], tuple(came.values()))
            for name, came in tools.items()
        }


def quarantined_info(
    info: PluginInfo, error: QuarantinedError, promised: Iterable[str], options: PluginConfig
) -> PluginInfo:
    """A plugin that is quarantined as a whole, with the tools that the lock file knows of it.

    Args:
        info: what is known of the plugin.
        error: why.
        promised: the tools' own names.
        options: the operator's prefix and renaming.
    """
    names = (options.rename.get(each) or options.prefix + each for each in promised)
    reason = str(error).partition(" is quarantined: ")[2]
    tools = tuple(QuarantinedTool(name, info.name, reason, error.diff) for name in names)
    return attrs.evolve(
        info, state="quarantined", error=str(error), quarantined=tools, diff=error.diff
    )


def told_of_tools(given: Contributions) -> dict[str, Any]:
    """What `PluginInfo` tells of a plugin's tools: `tools`, `quarantined`, `refused`."""
    held = [each.quarantined for each in given.entries]
    offered = (each.name for each in given.entries if each.quarantined is None)
    for each in held:
        if each is not None:
            _log.warning(
                "tool %r of plugin %r is quarantined: %s", each.name, each.plugin, each.reason
            )
    for refused in given.refused:
        _log.warning(
            "tool %r of plugin %r is left out: %s", refused.name, refused.plugin, refused.reason
        )
    return {
        "tools": tuple(offered),
        "quarantined": tuple(each for each in held if each is not None),
        "refused": given.refused,
    }


def _inspected(source: Source) -> Inspected:
    if source.found is not None:
        return inspect_installed(source.found)
    return Inspected(Identity()) if source.location is None else inspect_file(Path(source.location))


def _otherwise(accepted: Identity, found: Identity) -> list[str]:
    """What isn't what was accepted, in words."""
    told = []
    if found.distribution != accepted.distribution:
        told.append(f"it comes from {found.distribution}, and {accepted.distribution} was accepted")
    if found.version != accepted.version:
        told.append(f"its version is {found.version}, and {accepted.version} was accepted")
    if found.record != accepted.record:
        told.append("its RECORD isn't what was accepted")
    if found.file != accepted.file:
        told.append("its file isn't what was accepted")
    return told

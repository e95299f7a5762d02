"""What has come of a change of the environment: for a host that runs, or for its next start."""

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

import attrs

from pegboard import Config, QuarantinedError
from pegboard.cli.reaching import ask
from pegboard.plugins.discovery import Found, discover
from pegboard.plugins.marks import mark_of
from pegboard.plugins.sources import installed
from pegboard.plugins.trust.trust import Trust

_KINDS = {
    "deferred": "shown",
    "failed": "failed",
    "loaded": "shown",
    "quarantined": "quarantined",
    "retrying": "failed",
}
_HELD = "QuarantinedError"
"""What tells that an upgrade has failed for that: the plugin itself goes on."""
_PATIENCE = 30.0


@attrs.frozen
class Standing:
    """How one plugin stood when somebody looked.

    Attributes:
        mark: what tells its code from other code.
        kind: `shown`, `failed`, `quarantined` or `absent`.
        error: why, where it isn't shown.
    """

    mark: str
    kind: str
    error: str | None = None


@attrs.frozen
class Changes:
    """What has become of plugins.

    Attributes:
        loaded: those that were loaded; without a host, those that the next start will load.
        reloaded: those that were exchanged for what is installed now; likewise.
        unloaded: those that are gone.
        failed: why others could not be loaded, by name.
        quarantined: why others aren't, by name: what came isn't what the lock file accepts.
    """

    loaded: tuple[str, ...] = ()
    reloaded: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()
    failed: Mapping[str, str] = attrs.field(factory=dict)
    quarantined: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def are_good(self) -> bool:
        """Whether everything that came is in use, or will be."""
        return not (self.failed or self.quarantined)

    @classmethod
    def between(cls, before: Mapping[str, Standing], after: Mapping[str, Standing]) -> Self:
        """What is otherwise."""
        other = {name: each for name, each in after.items() if before.get(name) != each}
        shown = {name for name, each in before.items() if each.kind == "shown"}
        now = [name for name, each in other.items() if each.kind == "shown"]
        gone = [name for name in shown if name not in after or after[name].kind == "absent"]
        return cls(
            tuple(sorted(name for name in now if name not in shown)),
            tuple(sorted(name for name in now if name in shown)),
            tuple(sorted(gone)),
            _errors(other, "failed"),
            _errors(other, "quarantined"),
        )


class Follower(Protocol):
    """Who follows a change of the environment."""

    async def look(self) -> Mapping[str, Standing]:
        """How every plugin stands now."""

    async def follow(self, before: Mapping[str, Standing]) -> Changes:
        """Take over what is installed now, and tell what that changes."""


@attrs.frozen
class RunningHost:
    """A host that answers at its control socket."""

    socket: Path

    async def look(self) -> Mapping[str, Standing]:
        """How every plugin stands now.

        Raises:
            ControlError: the host can't be asked.
        """
        infos = await ask(self.socket, "plugins", patience=_PATIENCE)
        return {each["name"]: _standing(each) for each in infos}

    async def follow(self, before: Mapping[str, Standing]) -> Changes:
        """Have it sync; what it has followed already, since it watches, counts too.

        Raises:
            ControlError: the host can't be asked, or can't follow.
        """
        report = await ask(self.socket, "sync", patience=_PATIENCE)
        after = await self.look()
        told = Changes.between(before, after)
        failed = {n: str(after[n].error) for n in report["failed"] if n in after}
        bad = {**failed, **told.failed}
        is_held = {n: after[n].kind == "quarantined" or _HELD in each for n, each in bad.items()}
        return attrs.evolve(
            told,
            loaded=_with(told.loaded, report["loaded"], bad),
            reloaded=_with(told.reloaded, report["reloaded"], bad),
            unloaded=_with(told.unloaded, report["unloaded"], bad),
            failed={n: each for n, each in bad.items() if not is_held[n]},
            quarantined={
                **told.quarantined,
                **{n: each for n, each in bad.items() if is_held[n]},
            },
        )


@attrs.frozen
class NextStart:
    """The next host that is started here; until then, only files are read."""

    config: Config

    async def look(self) -> Mapping[str, Standing]:
        """What is installed now."""
        return {name: Standing(mark_of(each), "shown") for name, each in self._found().items()}

    async def follow(self, before: Mapping[str, Standing]) -> Changes:
        """Compare what came with the lock file; nothing of it is imported."""
        trust = Trust(self.config)
        trust.read()
        found, after = self._found(), await self.look()
        judged = {
            name: each if before.get(name) == each else _judged(each, found[name], trust)
            for name, each in after.items()
        }
        return Changes.between(before, judged)

    def _found(self) -> Mapping[str, Found]:
        importlib.invalidate_caches()
        found = discover(prefer=self.config.prefer).found
        return {name: each for name, each in found.items() if not self.config.keeps_out(name)}


def _judged(standing: Standing, found: Found, trust: Trust) -> Standing:
    """How an installed plugin stands before the lock file."""
    check = trust.sealed(installed(found), None).check
    try:
        if check is not None:
            check()
    except QuarantinedError as error:
        return Standing(standing.mark, "quarantined", str(error))
    return standing


def _standing(info: Mapping[str, Any]) -> Standing:
    mark = f"{info['distribution']} {info['version']} {info['generation']}"
    return Standing(mark, _KINDS.get(info["state"], "absent"), info["error"])


def _errors(standings: Mapping[str, Standing], kind: str) -> dict[str, str]:
    return {name: str(each.error) for name, each in standings.items() if each.kind == kind}


def _with(names: Iterable[str], more: Iterable[str], bad: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted({*names, *more}.difference(bad)))

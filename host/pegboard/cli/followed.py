"""What has come of a change of the environment: for a host that runs, or for its next start."""

import importlib
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import attrs

from pegboard import Config, QuarantinedError
from pegboard.cli.reaching import ask
from pegboard.cli.standings import Changes, Standing
from pegboard.host.state import StateFile
from pegboard.plugins.builtin import ON_REQUEST, STANDING
from pegboard.plugins.discovery import Found, discover
from pegboard.plugins.marks import mark_of
from pegboard.plugins.sources import installed
from pegboard.plugins.trust.trust import Trust

_KINDS = {
    "blocked": "kept_out",
    "deferred": "shown",
    "failed": "failed",
    "loaded": "shown",
    "quarantined": "quarantined",
    "retrying": "failed",
}
_HELD = "QuarantinedError: "
"""What tells that an upgrade has failed for that: the plugin itself goes on."""
_PATIENCE = 30.0
_OPERATOR = "an operator; `pegboard ctl load` takes that back"


class Follower(Protocol):
    """Who follows a change of the environment."""

    async def look(self) -> Mapping[str, Standing]:
        """How every plugin stands now."""

    async def follow(self, before: Mapping[str, Standing], named: Container[str]) -> Changes:
        """Take over what is installed now, and tell what that changes.

        Args:
            before: how every plugin stood.
            named: the normalised names of distributions whose plugins are told of in any case.
        """


@attrs.frozen
class RunningHost:
    """A host that answers at its control socket."""

    socket: Path
    config: Config

    async def look(self) -> Mapping[str, Standing]:
        """How every plugin stands now.

        Raises:
            ControlError: the host can't be asked.
        """
        infos = await ask(self.socket, "plugins", patience=_PATIENCE)
        return {each["name"]: self._standing(each) for each in infos}

    async def follow(self, before: Mapping[str, Standing], named: Container[str]) -> Changes:
        """Have it sync; what it has followed already, since it watches, counts too.

        Raises:
            ControlError: the host can't be asked, or can't follow.
        """
        report = await ask(self.socket, "sync", patience=_PATIENCE)
        after = await self.look()
        told = Changes.between(before, after, named=named, tried=report["failed"])
        bad = {*told.failed, *told.quarantined, *report["failed"]}
        silent = bad.difference(told.failed, told.quarantined)
        return attrs.evolve(
            told,
            loaded=_with(told.loaded, report["loaded"], bad),
            reloaded=_with(told.reloaded, report["reloaded"], bad),
            unloaded=_with(told.unloaded, report["unloaded"], bad),
            failed={**told.failed, **dict.fromkeys(sorted(silent), "the host's log says why")},
        )

    def _standing(self, info: Mapping[str, Any]) -> Standing:
        name, state, error = info["name"], info["state"], info["error"]
        kind = _KINDS.get(state, "absent")
        if kind == "kept_out":
            is_installed = info["distribution"] is not None and info["location"] is not None
            kind = kind if is_installed else "absent"
            error = kept_out(self.config, name) or _OPERATOR
        elif kind == "shown" and error is not None:
            kind = "quarantined" if _HELD in error else "failed"
            error = error.partition(_HELD)[2] or error
        return Standing(
            f"{info['distribution']} {info['version']} {info['generation']}",
            kind,
            error,
            f"{info['distribution']} {info['version']}",
            tuple(info["hidden"]),
            is_in_use=_KINDS.get(state) == "shown",
        )


@attrs.frozen
class NextStart:
    """The next host that is started here; until then, only files are read."""

    config: Config
    _trust: Trust = attrs.field(
        init=False, default=attrs.Factory(lambda own: _trust_of(own.config), takes_self=True)
    )

    async def look(self) -> Mapping[str, Standing]:
        """How what is installed now would stand: compared with the lock file, and not imported.

        Raises:
            ConfigError: what operators have decided can't be read.
        """
        importlib.invalidate_caches()
        decided = StateFile.read(self.config.state).state.block
        found = discover(prefer=self.config.prefer).found
        return {name: self._standing(each, decided) for name, each in found.items()}

    async def follow(self, before: Mapping[str, Standing], named: Container[str]) -> Changes:
        """Compare; every plugin, since a distribution may overwrite the files of another."""
        return Changes.between(before, await self.look(), named=named)

    def _standing(self, found: Found, decided: Container[str]) -> Standing:
        name, mark = found.name, mark_of(found)
        if name in STANDING or name in ON_REQUEST or name in self.config.mcp:
            other = "the MCP server" if name in self.config.mcp else "the built-in plugin"
            hidden = (_identity(found), *found.hidden)
            return Standing("", "absent", None, other, hidden)
        reason = kept_out(self.config, name) or (_OPERATOR if name in decided else None)
        told = (_identity(found), found.hidden)
        if reason is not None:
            return Standing(mark, "kept_out", reason, *told)
        error = _refused(found, self._trust)
        kind = "shown" if error is None else "quarantined"
        return Standing(mark, kind, error, *told, is_in_use=True)


def _trust_of(config: Config) -> Trust:
    trust = Trust(config)
    trust.read()
    return trust


def kept_out(config: Config, name: str) -> str | None:
    """What of a configuration keeps a plugin out; None where nothing does."""
    if not config.keeps_out(name):
        return None
    key = "block" if name in config.block else "only"
    place = config.place(key)
    return f"'{key}'" if place is None else f"'{key}' ({place})"


def _refused(found: Found, trust: Trust) -> str | None:
    """Why the lock file doesn't accept an installed plugin; None where it does."""
    check = trust.sealed(installed(found), None).check
    try:
        if check is not None:
            check()
    except QuarantinedError as error:
        return str(error)
    return None


def _identity(found: Found) -> str:
    return f"{found.distribution} {found.version}"


def _with(names: Iterable[str], more: Iterable[str], bad: Container[str]) -> tuple[str, ...]:
    return tuple(sorted(each for each in {*names, *more} if each not in bad))

"""`install` and `uninstall`: pip or uv in the host's environment, then the host follows."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from pegboard import ControlError
from pegboard.cli.asked import Asked
from pegboard.cli.distributions import changed, named
from pegboard.cli.followed import Follower, NextStart, RunningHost
from pegboard.cli.installers import check_installed, check_names, installed_in, installer_of
from pegboard.cli.jsons import print_json
from pegboard.cli.reaching import ask
from pegboard.cli.standings import Changes
from pegboard.cli.streams import Streams, legible

_ABSENT = ("no_socket", "stale")


@attrs.frozen
class Wanted:
    """What is to be installed or uninstalled.

    Attributes:
        names: requirements, wheels or folders.
        options: further words for pip or uv.
        using: `pip` or `uv`, if one was asked for.
    """

    names: tuple[str, ...]
    options: tuple[str, ...]
    using: str | None


@attrs.frozen
class Done:
    """What pip or uv has done.

    Attributes:
        python: the interpreter of the environment.
        using: `pip` or `uv`.
        is_running: whether a host runs there.
        ended: its exit status.
        came: the distributions that are there now, or others than before, with their versions.
        gone: those that aren't any more.
    """

    python: str
    using: str
    is_running: bool
    ended: int
    came: Sequence[str]
    gone: Sequence[str]

    def __str__(self) -> str:
        told = ("installed", self.came), ("uninstalled", self.gone)
        left = [f"{verb} {', '.join(names)}" for verb, names in told if names]
        what = f", and has {' and '.join(left)}" if left else "; no distribution has come or gone"
        return f"{self.using} ended with {self.ended}{what}"


async def install(streams: Streams, *, asked: Asked, wanted: Wanted) -> int:
    """Install distributions, and have the host that runs take their plugins.

    Returns:
        the exit status: 1 if they can't be installed, or a plugin isn't in use.

    Raises:
        UsageError: there is nothing to install with, or something else is named.
        ControlError: the host can't be asked.
    """
    return await _changed(streams, asked, wanted, is_install=True)


async def uninstall(streams: Streams, *, asked: Asked, wanted: Wanted) -> int:
    """Uninstall distributions, and have the host that runs let their plugins go.

    Returns:
        the exit status: 1 if they can't be uninstalled.

    Raises:
        UsageError: there is nothing to uninstall with, or one isn't installed.
        ControlError: the host can't be asked.
    """
    return await _changed(streams, asked, wanted, is_install=False)


async def _changed(streams: Streams, asked: Asked, wanted: Wanted, *, is_install: bool) -> int:
    check_names(wanted.names)
    config = asked.read_config()
    running = await _python_of(config.control)
    python = running or sys.executable
    installer = await installer_of(python, wanted.using)
    was = await installed_in(python)
    if not is_install:
        check_installed(wanted.names, was)
    follower: Follower = NextStart(config)
    if running is not None and config.control is not None:
        follower = RunningHost(config.control, config)
    before = await follower.look()
    work = installer.install if is_install else installer.uninstall
    status = await work(wanted.names, wanted.options)
    now = await installed_in(python)
    done = Done(python, installer.name, running is not None, status, *changed(was, now))
    if status:
        streams.message(str(done))
    mine = named(wanted.names, now) if is_install else frozenset()
    changes = await follower.follow(before, mine)
    if asked.is_json:
        print_json({**attrs.asdict(done), **attrs.asdict(changes)}, streams)
    else:
        _print(changes, streams, done)
    return int(status != 0 or not changes.are_good)


async def _python_of(control: Path | None) -> str | None:
    """The interpreter of the host that runs; None where none does.

    Raises:
        ControlError: one may, and can't be asked.
    """
    if control is None:
        return None
    try:
        return str((await ask(control, "status"))["python"])
    except ControlError as error:
        if error.kind not in _ABSENT:
            raise
        return None


def _print(changes: Changes, streams: Streams, done: Done) -> None:
    lines = tuple(_lines(changes, is_running=done.is_running))
    for line in lines:
        streams.result(legible(line))
    if not (lines or done.ended):
        streams.message("no plugin has come or gone")
    elif lines and not done.is_running:
        streams.message("no host answers; the next start will see it")


def _lines(changes: Changes, *, is_running: bool) -> Iterator[str]:
    verbs = ("loaded", "reloaded", "unloaded") if is_running else ("new", "changed", "gone")
    done = (changes.loaded, changes.reloaded, changes.unloaded)
    for verb, names in zip(verbs, done, strict=True):
        if names:
            yield f"{verb}: {', '.join(names)}"
    for name, error in changes.failed.items():
        yield f"failed: {name}: {error}"
    for name, error in changes.quarantined.items():
        yield f"quarantined: {name}: {error}"
    for name, what in changes.kept_out.items():
        yield f"{name}: kept out by {what}"
    for name, told in changes.hidden.items():
        yield f"{name}: {told}"

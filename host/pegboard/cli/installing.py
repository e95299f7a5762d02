"""`install` and `uninstall`: pip or uv in the host's environment, then the host follows."""

import sys
from collections.abc import Iterator
from pathlib import Path

import attrs

from pegboard import ControlError
from pegboard.cli.asked import Asked
from pegboard.cli.followed import Changes, Follower, NextStart, RunningHost
from pegboard.cli.installers import check_installed, check_names, installer_of
from pegboard.cli.jsons import print_json
from pegboard.cli.reaching import ask
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
    if not is_install:
        await check_installed(wanted.names, python)
    follower: Follower = NextStart(config)
    if running is not None and config.control is not None:
        follower = RunningHost(config.control)
    before = await follower.look()
    work = installer.install if is_install else installer.uninstall
    status = await work(wanted.names, wanted.options)
    if status:
        streams.message(f"{installer.name} ended with {status}; nothing was loaded or unloaded")
        return 1
    changes = await follower.follow(before)
    if asked.is_json:
        about = {"python": python, "using": installer.name, "is_running": running is not None}
        print_json({**about, **attrs.asdict(changes)}, streams)
    else:
        _print(changes, streams, is_running=running is not None)
    return int(not changes.are_good)


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


def _print(changes: Changes, streams: Streams, *, is_running: bool) -> None:
    lines = tuple(_lines(changes, is_running=is_running))
    for line in lines:
        streams.result(legible(line))
    if not lines:
        streams.message("no plugin has come or gone")
    elif not is_running:
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

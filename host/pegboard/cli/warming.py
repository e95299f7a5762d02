"""`warm`: what a start would find out is written down before it, for the image of a container."""

import asyncio
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import attrs

from pegboard import ConfigError, Host
from pegboard.cache import VARIABLE, cache_folder
from pegboard.cli.asked import Asked, entered, host_of
from pegboard.cli.compiling import Compiled, compile_all
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.mistakes import UsageError, config_mistakes, missing_plugins, refuse
from pegboard.cli.streams import Streams, legible
from pegboard.cli.waiting import waiting
from pegboard.plugins.catalogue import Kept, catalogue_path, read_catalogue

_FAILED = ("failed", "quarantined", "retrying")
_TICK = 2.1
_MOST = 3


@attrs.frozen
class Warmed:
    """What was written.

    Attributes:
        path: the catalogue.
        plugins: the names of the plugins in it.
        deferred: those of them that are shown without being imported.
        failed: the names of plugins that could not be loaded.
        missing: the names in `only` of plugins that aren't installed.
        compiled: how many modules have their bytecode.
        unwritten: the folders where bytecode could not be written.
        is_settled: whether the next start need not look at what is installed.
    """

    path: str
    plugins: tuple[str, ...]
    deferred: tuple[str, ...]
    failed: tuple[str, ...]
    missing: tuple[str, ...]
    compiled: int
    unwritten: tuple[str, ...]
    is_settled: bool


async def warm(streams: Streams, *, asked: Asked) -> int:
    """Write the catalogue and bytecode.

    Returns:
        the exit status: 1 if a plugin could not be loaded, or isn't installed.

    Raises:
        UsageError: nothing can be written.
        ConfigError: the configuration has mistakes.
    """
    config = asked.read_config()
    folder = _writable_folder()
    host = host_of(config)
    try:
        warmed = await _warmed(host, streams)
    except ConfigError as error:
        if error.mistakes != tuple(missing_plugins(host)):
            raise
        streams.message("; ".join(error.mistakes))
        return 1
    if warmed is None or not await asyncio.to_thread(_share, Path(warmed.path)):
        raise UsageError(f"the catalogue can't be written to {folder}")
    _print(warmed, streams, is_json=asked.is_json)
    return int(bool(warmed.failed or warmed.missing))


async def _warmed(host: Host, streams: Streams) -> Warmed | None:
    """What opening a host has written; None where there is no place for a catalogue.

    Raises:
        ConfigError: the configuration has mistakes, or requires what isn't installed.
    """
    async with entered(streams, host):
        refuse(config_mistakes(host))
        warn_of_failures(host, streams)
        named = [each.distribution for each in host.plugins.values() if each.distribution]
        async with waiting(streams, "writing bytecode"):
            compiled = await _compiled(named)
        async with waiting(streams, "writing the catalogue"):
            kept = await _written(host)
        failed = tuple(each.name for each in host.plugins.values() if each.state in _FAILED)
        missing = tuple(each for each in host.config.only or () if each not in host.plugins)
    path = catalogue_path()
    return (
        None
        if path is None
        else Warmed(
            path,
            plugins=tuple(kept.records),
            deferred=tuple(name for name, each in kept.records.items() if each.is_deferrable),
            failed=failed,
            missing=missing,
            compiled=compiled.written,
            unwritten=compiled.unwritten,
            is_settled=kept.environment is not None,
        )
    )


async def _compiled(named: list[str]) -> Compiled:
    is_shared = os.name == "posix" and bool(os.environ.get(VARIABLE))
    return await asyncio.to_thread(compile_all, named, is_shared=is_shared)


def _writable_folder() -> str:
    """Where the catalogue goes.

    Raises:
        UsageError: there is no such folder, or nothing can be written there.
    """
    folder = cache_folder()
    if folder is None:
        why = "is empty" if VARIABLE in os.environ else "names none, and there is no home folder"
        raise UsageError(f"there is no folder to write to: {VARIABLE} {why}")
    try:
        _make(Path(folder))
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        told = f"nothing can be written to {folder}: {error.strerror}"
        raise UsageError(f"{told}; name another folder with {VARIABLE}") from None
    return folder


def _make(folder: Path) -> None:
    """Make a folder and those above it; who was told where it is may read what comes there.

    Raises:
        OSError: that can't be done.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        _make(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
        if os.environ.get(VARIABLE):
            folder.chmod(0o755)


async def _written(host: Host) -> Kept:
    """The catalogue as it is once nothing can change unseen any more, as far as that comes."""
    for _ in range(_MOST):
        kept = read_catalogue()
        if kept.environment is not None and kept.environment.is_current:
            return kept
        await asyncio.sleep(_TICK)
        await host.sync()
    return read_catalogue()


def _share(path: Path) -> bool:
    """Let every user read the catalogue of a folder that was named; whether it is there."""
    if not path.is_file():
        return False
    if os.environ.get(VARIABLE):
        with suppress(OSError):
            path.parent.chmod(0o755)
            path.chmod(0o644)
    return True


def _unwritten(folders: tuple[str, ...]) -> str:
    more = f" and {len(folders) - 1} more folders" if len(folders) > 1 else ""
    return legible(
        f"bytecode could not be written in {folders[0]}{more}: each start compiles it anew; "
        "warm as a user who may write there"
    )


def _print(warmed: Warmed, streams: Streams, *, is_json: bool) -> None:
    if is_json:
        print_json(attrs.asdict(warmed), streams)
        return
    shown = f"{len(warmed.deferred)} of them shown without being imported"
    streams.result(legible(f"{warmed.path}: plugins: {len(warmed.plugins)}, {shown}"))
    streams.message(f"modules with their bytecode: {warmed.compiled}")
    if warmed.unwritten:
        streams.message(_unwritten(warmed.unwritten))
    if not warmed.is_settled:
        streams.message("what is installed goes on changing, and is looked at by each start")

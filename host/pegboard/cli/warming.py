"""`warm`: what a start would find out is written down before it, for the image of a container."""

import asyncio
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import attrs

from pegboard import Host
from pegboard.cache import VARIABLE, cache_folder
from pegboard.cli.asked import Asked, opened_host
from pegboard.cli.compiling import compile_all
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.mistakes import UsageError, config_mistakes, refuse
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
        compiled: how many modules have their bytecode.
        is_settled: whether the next start need not look at what is installed.
    """

    path: str
    plugins: tuple[str, ...]
    deferred: tuple[str, ...]
    failed: tuple[str, ...]
    compiled: int
    is_settled: bool


async def warm(streams: Streams, *, asked: Asked) -> int:
    """Write the catalogue and bytecode.

    Returns:
        the exit status: 1 if a plugin could not be loaded.

    Raises:
        UsageError: nothing can be written.
    """
    config = asked.read_config()
    folder = _writable_folder()
    async with opened_host(streams, config) as host:
        refuse(config_mistakes(host))
        warn_of_failures(host, streams)
        named = [each.distribution for each in host.plugins.values() if each.distribution]
        async with waiting(streams, "writing bytecode"):
            compiled = await asyncio.to_thread(compile_all, named)
        async with waiting(streams, "writing the catalogue"):
            kept = await _written(host)
        failed = tuple(each.name for each in host.plugins.values() if each.state in _FAILED)
    path = catalogue_path()
    if path is None or not await asyncio.to_thread(_share, Path(path)):
        raise UsageError(f"the catalogue can't be written to {folder}")
    deferred = tuple(name for name, record in kept.records.items() if record.is_deferrable)
    is_settled = kept.environment is not None
    warmed = Warmed(path, tuple(kept.records), deferred, failed, compiled, is_settled)
    _print(warmed, streams, is_json=asked.is_json)
    return int(bool(failed))


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
        Path(folder).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        told = f"nothing can be written to {folder}: {error.strerror}"
        raise UsageError(f"{told}; name another folder with {VARIABLE}") from None
    return folder


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


def _print(warmed: Warmed, streams: Streams, *, is_json: bool) -> None:
    if is_json:
        print_json(attrs.asdict(warmed), streams)
        return
    shown = f"{len(warmed.deferred)} of them shown without being imported"
    streams.result(legible(f"{warmed.path}: plugins: {len(warmed.plugins)}, {shown}"))
    streams.message(f"modules with their bytecode: {warmed.compiled}")
    if not warmed.is_settled:
        streams.message("what is installed goes on changing, and is looked at by each start")

"""Bytecode, written before anybody needs it."""

import compileall
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path

import attrs

_OWN = "pegboard"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@attrs.frozen
class Compiled:
    """What has become of bytecode.

    Attributes:
        written: how many modules have theirs.
        unwritten: the folders where it could not be written.
    """

    written: int
    unwritten: tuple[str, ...]


def compile_all(distributions: Iterable[str], *, is_shared: bool) -> Compiled:
    """Write the bytecode of distributions, of all that they need, and of what is imported now.

    What is written already stays, and what can't be written is left out.

    Args:
        distributions: their names; pegboard's own is among them always.
        is_shared: whether everybody who may read a module may read its bytecode, where both are
            this user's own.
    """
    needed = _needed([_OWN, *distributions])
    sources = dict.fromkeys([*_imported(), *(file for each in needed for file in _sources(each))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = {each: bool(compileall.compile_file(str(each), quiet=2)) for each in sources}
    for each in (file for file in done if is_shared and done[file]):
        with suppress(OSError, NotImplementedError):
            _share(each)
    folders = (each.parent for each in done if not done[each] and not _is_writable(each))
    return Compiled(sum(done.values()), tuple(sorted({str(each) for each in folders})))


def _share(source: Path) -> None:
    """Let who may read a module read its bytecode.

    Raises:
        OSError: it isn't there.
    """
    written = Path(cache_from_source(str(source)))
    for path, like in ((written.parent, source.parent), (written, source)):
        status = path.stat()
        wanted = status.st_mode | like.stat().st_mode & (0o055 if path.is_dir() else 0o044)
        if wanted != status.st_mode and status.st_uid == os.geteuid():
            path.chmod(wanted & 0o7777)


def _is_writable(source: Path) -> bool:
    """Whether bytecode can be written beside a module."""
    folder = Path(cache_from_source(str(source))).parent
    return os.access(folder if folder.is_dir() else source.parent, os.W_OK)


def _needed(names: Iterable[str]) -> list[Distribution]:
    """The distributions of these names and those that they require, if they are installed."""
    found: dict[str, Distribution | None] = {}
    wanted = list(names)
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name not in found:
            found[name] = each = _installed(name)
            requires = each.requires if each is not None else None
            wanted += [match[0] for line in requires or () if (match := _NAME.match(line))]
    return [each for each in found.values() if each is not None]


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _sources(found: Distribution) -> Iterator[Path]:
    for file in found.files or ():
        if file.suffix == ".py":
            path = Path(str(file.locate()))
            if path.is_file():
                yield path


def _imported() -> Iterator[Path]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and Path(file).is_file():
            yield Path(file)

"""Bytecode, written before anybody needs it."""

import compileall
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

_OWN = "pegboard"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def compile_all(distributions: Iterable[str]) -> int:
    """Write the bytecode of distributions, of all that they need, and of what is imported now.

    What is written already stays, and what can't be written is left out.

    Args:
        distributions: their names; pegboard's own is among them always.

    Returns:
        how many modules have theirs.
    """
    needed = _needed([_OWN, *distributions])
    sources = dict.fromkeys([*_imported(), *(file for each in needed for file in _sources(each))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sum(bool(compileall.compile_file(str(each), quiet=2)) for each in sources)


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

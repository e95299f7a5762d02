"""pip and uv: what installs distributions into an environment."""

import asyncio
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs

from pegboard.cli.distributions import READ, Installed, is_name, read
from pegboard.cli.mistakes import UsageError
from pegboard.errors import did_you_mean, near_names
from pegboard.plugins.discovery import normalised

_HAS_PIP = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pip') is None)"
_OWN = "pegboard"


@attrs.frozen
class Installer:
    """What changes one environment.

    Attributes:
        name: `pip` or `uv`.
        python: the interpreter of the environment.
        start: the words that start it.
    """

    name: str
    python: str
    start: tuple[str, ...]

    async def install(self, names: Sequence[str], options: Sequence[str]) -> int:
        """Install; gives the exit status. What it prints are messages."""
        where = ("--python", self.python) if self.name == "uv" else ()
        return await _ended(*self.start, "install", *where, *options, "--", *names)

    async def uninstall(self, names: Sequence[str], options: Sequence[str]) -> int:
        """Uninstall; gives the exit status."""
        where = ("--python", self.python) if self.name == "uv" else ("--yes",)
        return await _ended(*self.start, "uninstall", *where, *options, "--", *names)


async def installer_of(python: str, using: str | None) -> Installer:
    """The installer that was asked for, or the first of pip and uv that is there.

    Args:
        python: the interpreter of the environment that is to change.
        using: `pip` or `uv`, if one was asked for.

    Raises:
        UsageError: it isn't there.
    """
    if using != "uv" and await _ended(python, "-P", "-c", _HAS_PIP) == 0:
        return Installer("pip", python, (python, "-P", "-m", "pip"))
    uv = None if using == "pip" else _uv()
    if uv is not None:
        return Installer("uv", python, (uv, "pip"))
    absent = {
        "pip": f"pip isn't in the environment of {python}; use --using uv, or python -m ensurepip",
        "uv": "there is no uv on PATH; use --using pip, or install uv",
    }
    neither = f"there is neither pip in the environment of {python} nor uv on PATH; install one"
    raise UsageError(absent.get(using or "", neither))


def _uv() -> str | None:
    """The uv on PATH, or beside this interpreter."""
    beside = Path(sys.executable).parent
    return shutil.which("uv") or shutil.which("uv", path=str(beside))


def check_names(names: Sequence[str]) -> None:
    """Refuse what an installer would take for something else than a distribution.

    Raises:
        UsageError: there is none, or one begins like an option.
    """
    if not names:
        raise UsageError("name the distributions; options of pip or uv come after --, behind them")
    for name in names:
        if name.startswith("-") or not name.strip():
            raise UsageError(f"{name!r} is no distribution; options of pip or uv come after --")


async def installed_in(python: str) -> Installed:
    """What the environment of an interpreter has.

    Raises:
        UsageError: that can't be read.
    """
    return read(await _printed(python, "-P", "-c", READ))


def check_installed(names: Iterable[str], installed: Installed) -> None:
    """Refuse to uninstall what isn't there, and the host itself.

    Raises:
        UsageError: a distribution isn't installed; lists near names.
    """
    found = {key: each.name for key, each in installed.items()}
    for name in names:
        plain = normalised(name)
        if not is_name(name):
            raise UsageError(f"{name!r} isn't the name of a distribution")
        if plain == _OWN:
            raise UsageError("pegboard doesn't uninstall itself; use pip or uv for that")
        if plain not in found:
            full = [found[each] for each in (f"{_OWN}-{plain}",) if each in found]
            near = did_you_mean(full or near_names(plain, found))
            raise UsageError(f"no distribution {name!r} is installed{near}")


async def _ended(*command: str) -> int:
    """Run a program to its end, also if this is cancelled; gives its exit status."""
    process = await asyncio.create_subprocess_exec(*command, stdout=2)
    try:
        return await asyncio.shield(process.wait())
    except asyncio.CancelledError:
        await process.wait()  # Ctrl-C has reached it too
        raise


async def _printed(*command: str) -> str:
    """What a program prints.

    Raises:
        UsageError: it has failed.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe)
    out, _ = await process.communicate()
    if process.returncode:
        raise UsageError(f"{command[0]} ended with {process.returncode}")
    return out.decode()

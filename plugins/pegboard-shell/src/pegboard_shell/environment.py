"""The variables that a command gets."""

import os
import secrets
from collections.abc import Iterable, Mapping

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
MARK = "PEGBOARD_SHELL"
"""A variable that every process of a command has, unless it takes it away."""

_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")


def environment_of(names: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """What a command gets of the variables that the host has.

    `PATH` is there always and holds absolute folders only; `TERM` says that there is no terminal.

    Args:
        names: the variables that pass.
        given: the host's own.
    """
    passing = {name: given[name] for name in names if name in given}
    path = _absolute(passing.get("PATH", ""))
    return {"TERM": "dumb", **passing, "PATH": path or DEFAULT_PATH, MARK: secrets.token_hex(16)}


def environment_of_python(given: Mapping[str, str]) -> dict[str, str]:
    """What the process that a command runs under gets: where Python's own libraries are.

    A command can read the variables of that process, so there must be nothing else among them.

    Args:
        given: the host's own.
    """
    return {name: given[name] for name in _LIBRARIES if name in given}


def _absolute(path: str) -> str:
    return ":".join(each for each in path.split(":") if os.path.isabs(each))  # noqa: PTH117 - text

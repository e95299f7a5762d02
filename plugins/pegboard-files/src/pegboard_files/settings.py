"""What an operator may set."""

from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, Gt, Le

KIBI = 1024


def _resolved(root: str) -> str:
    return str(Path(root).expanduser().resolve())


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        root: the one folder that the tools reach; relative to the working folder at loading.
        read_only: whether the tools that write are left out.
        max_bytes: how much text one call gives back.
        max_file_bytes: how much of one file is looked at, and how large a written one may be.
        max_entries: how many entries one listing gives back.
        max_matches: how many matches one search gives back.
        max_seconds: how long one search goes on.
        skip: names of folders that listings and searches don't enter by themselves.
    """

    root: str = attrs.field(default=".", converter=_resolved)
    read_only: bool = False
    max_bytes: Annotated[int, Ge(16), Le(KIBI * KIBI)] = 64 * KIBI
    max_file_bytes: Annotated[int, Ge(16)] = 8 * KIBI * KIBI
    max_entries: Annotated[int, Ge(1), Le(10_000)] = 500
    max_matches: Annotated[int, Ge(1), Le(10_000)] = 100
    max_seconds: Annotated[float, Gt(0)] = 10.0
    skip: tuple[str, ...] = (".git", ".venv", "__pycache__", "node_modules")

"""What an operator may set."""

import os
from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, MinLen

KIBI = 1024


def default_path() -> Path:
    """Where calls are recorded unless the operator says: in the user's folder for state."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "pegboard" / "audit.sqlite3"


def _resolved(path: str | None) -> str | None:
    return None if path is None else str(Path(path).expanduser().resolve())


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        path: the file; relative to the working folder at loading. Unless it is set,
            `pegboard/audit.sqlite3` in the user's folder for state.
        required: whether calls are refused while they can't be recorded.
        max_arguments_bytes: arguments that are longer as JSON are left out, and their size kept.
        max_outcome_bytes: the same for outcomes; 0 keeps none.
        max_file_bytes: how large the file may become; None for any size.
        max_queued: how many records may wait for the disk; further ones are lost and counted.
        spans: whether calls become OpenTelemetry spans, where its API is installed.
    """

    path: Annotated[str, MinLen(1)] | None = attrs.field(default=None, converter=_resolved)
    required: bool = False
    max_arguments_bytes: Annotated[int, Ge(0)] = 64 * KIBI
    max_outcome_bytes: Annotated[int, Ge(0)] = 0
    max_file_bytes: Annotated[int, Ge(64 * KIBI)] | None = None
    max_queued: Annotated[int, Ge(1)] = 10_000
    spans: bool = True

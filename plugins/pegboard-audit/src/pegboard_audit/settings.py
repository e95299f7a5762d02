"""What an operator may set."""

import os
from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, MinLen
from pegboard import PegboardError

KIBI = 1024


class AuditError(PegboardError):
    """A record can't be opened or read; the message says which and why."""


def default_path() -> Path:
    """Where calls are recorded unless the operator says: in the user's folder for state.

    Raises:
        AuditError: the user has no home folder.
    """
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    try:
        return Path(state).expanduser() / "pegboard" / "audit.sqlite3"
    except RuntimeError:
        raise AuditError(
            "there is no home folder to keep the record in; set path in [plugins.audit]"
        ) from None


def record_path(path: str | None, folder: Path) -> Path:
    """Where calls are recorded.

    Args:
        path: what the operator says, if anything.
        folder: where it begins, if it is relative.

    Raises:
        AuditError: that is no path, or begins in a home folder that isn't there.
    """
    if path is None:
        return default_path()
    try:
        return Path(folder, Path(path).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise AuditError(f"path in [plugins.audit] can't be used: {error}") from error


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        path: the file; relative to the folder of the configuration, or to the working folder at
            loading where the program sets it. Unless it is set, `pegboard/audit.sqlite3` in the
            user's folder for state.
        required: whether calls are refused while they can't be recorded.
        max_arguments_bytes: arguments that are longer as JSON are left out, and their size kept.
        max_outcome_bytes: the same for outcomes; 0 keeps none.
        max_file_bytes: how large the file may become; None for any size.
        max_queued: how many records may wait for the disk; further ones are lost and counted.
        spans: whether calls become OpenTelemetry spans, where its API is installed.
    """

    path: Annotated[str, MinLen(1)] | None = None
    required: bool = False
    max_arguments_bytes: Annotated[int, Ge(0)] = 64 * KIBI
    max_outcome_bytes: Annotated[int, Ge(0)] = 0
    max_file_bytes: Annotated[int, Ge(64 * KIBI)] | None = None
    max_queued: Annotated[int, Ge(1)] = 10_000
    spans: bool = True

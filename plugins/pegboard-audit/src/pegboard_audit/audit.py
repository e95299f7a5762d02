"""What one host's calls leave behind: records, and spans where somebody collects them."""

import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from pegboard import Execution, Outcome, Timing

from pegboard_audit.rows import FinishedCall, Happened, Sizes
from pegboard_audit.settings import Settings, record_path
from pegboard_audit.spans import Spans
from pegboard_audit.writing import Writer


class Audit:
    """Records what happens on one host.

    Args:
        settings: the operator's.
        log: where trouble with the file is told.
        folder: where a relative path in the settings begins.
    """

    def __init__(self, settings: Settings, log: logging.Logger, *, folder: Path) -> None:
        self._writer = Writer(
            record_path(settings.path, folder),
            sizes=Sizes(settings.max_arguments_bytes, settings.max_outcome_bytes),
            max_queued=settings.max_queued,
            max_file_bytes=settings.max_file_bytes,
            log=log,
        )
        self._spans = Spans.if_available() if settings.spans else None

    def open(self) -> None:
        """Record from now on.

        Raises:
            AuditError: the file can't be opened.
        """
        self._writer.start()

    def close(self) -> None:
        """Write everything that waits, and end."""
        self._writer.close()

    @property
    def lost(self) -> int:
        """How many records could not be written."""
        return self._writer.lost

    def guard(self, _execution: Execution) -> str | None:
        """Why no call may run now, or None."""
        if self._writer.refusal is None:
            return None
        return "calls can't be recorded now, and none may run without its record"

    def begin(self, execution: Execution) -> None:
        """A call is about to be decided on."""
        if self._spans is not None:
            self._spans.begin(execution)

    async def inside(
        self, execution: Execution, call_next: Callable[..., Awaitable[Outcome]]
    ) -> Outcome:
        """Let the body of a call happen."""
        if self._spans is None:
            return await call_next()
        return await self._spans.inside(execution, call_next)

    def end(self, execution: Execution, outcome: Outcome, timing: Timing) -> None:
        """A call has ended."""
        self._writer.put(FinishedCall(execution, outcome, timing, time.time()))
        if self._spans is not None:
            self._spans.end(execution, outcome, timing)

    def happened(self, event: object) -> None:
        """Something has happened to a plugin, a board, a restriction or an approval."""
        self._writer.put(Happened(event, time.time()))

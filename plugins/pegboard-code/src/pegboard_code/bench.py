"""The workers: one for each program, and one that stands ready for the next."""

import threading
from contextlib import suppress

from pegboard import ProgramLimits, Sdk

from pegboard_code.steps import MishapError
from pegboard_code.worker import Worker


class Bench:
    """Starts workers; its methods block, and may be called from any thread."""

    def __init__(self, *, keep_warm: bool) -> None:
        self._keep_warm = keep_warm
        self._lock = threading.Lock()
        self._ready: Worker | None = None
        self._is_filling = False
        self._is_closed = False

    def take(self, sdk: Sdk, limits: ProgramLimits) -> Worker:
        """A worker for one program, ready or still to be opened; it is the caller's."""
        with self._lock:
            worker, self._ready = self._ready, None
        if worker is not None and _fits(worker, sdk, limits) and worker.is_ready:
            return worker
        if worker is not None:
            worker.close()
        return Worker(sdk, limits)

    def refill(self, sdk: Sdk, limits: ProgramLimits) -> None:
        """Have one ready for a next program that is like the last one."""
        if not self._begins_filling():
            return
        worker = Worker(sdk, limits)
        is_open = False
        # Why there is none shows when the next program starts its own.
        with suppress(MishapError):
            worker.open()
            worker.warm()
            is_open = True
        if not self._keeps(worker if is_open else None):
            worker.close()

    def _begins_filling(self) -> bool:
        with self._lock:
            if not self._keep_warm or self._is_closed or self._is_filling or self._ready:
                return False
            self._is_filling = True
            return True

    def _keeps(self, worker: Worker | None) -> bool:
        """Have a worker stand ready, if there is one, and one is wanted still."""
        with self._lock:
            self._is_filling = False
            if worker is None or self._is_closed:
                return False
            self._ready = worker
            return True

    def close(self) -> None:
        """End what stands ready; nothing more will."""
        with self._lock:
            self._is_closed = True
            worker, self._ready = self._ready, None
        if worker is not None:
            worker.close()


def _fits(worker: Worker, sdk: Sdk, limits: ProgramLimits) -> bool:
    same_tools = worker.sdk.text == sdk.text and worker.sdk.names == sdk.names
    return same_tools and worker.sdk.functions == sdk.functions and worker.limits == limits

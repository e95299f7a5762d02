"""One thread for one toolbox: what it opens there (a database, an interpreter) works there only."""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_Work = tuple[Callable[[], Any], "Future[Any]"]


class Lane:
    """Runs one piece of work after the other, in a thread that starts with the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._is_started = self._is_closed = False

    def submit(self, function: Callable[[], T]) -> "Future[T]":
        """What a function will give, called in the context of who submits it.

        Raises:
            RuntimeError: it is closed.
        """
        future: Future[T] = Future()
        context = contextvars.copy_context()
        with self._lock:
            if self._is_closed:
                raise RuntimeError(f"{self._name} is closed")
            self._work.put((lambda: context.run(function), future))
            if not self._is_started:
                self._is_started = True
                threading.Thread(target=self._run, name=self._name, daemon=True).start()
        return future

    def close(self, last: Callable[[], None]) -> None:
        """End the thread once it has done what was submitted, and this; if there is one."""
        with self._lock:
            self._is_closed = True
            self._work.put((last, Future()))
            self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            function, future = work
            del work
            if future.set_running_or_notify_cancel():
                _settle(function, future)
            del function, future


def _settle(function: Callable[[], Any], future: "Future[Any]") -> None:
    try:
        value = function()
    except BaseException as error:  # noqa: BLE001 - whoever waits has it
        future.set_exception(error)
    else:
        future.set_result(value)

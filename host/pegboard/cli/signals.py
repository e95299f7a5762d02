"""What signals ask of a command that serves."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

_TERMINAL = Path("/dev/tty")


class StoppedError(Exception):
    """SIGTERM has come before there was anything to stop."""


def _has_terminal() -> bool:
    """Whether a person could see this, and end it with Ctrl-C; not where SIGHUP was ignored."""
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return False
    try:
        os.close(os.open(_TERMINAL, os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


@attrs.define(eq=False)
class Orders:
    """What has been asked for, and by whom it is heard.

    Attributes:
        stop: is set by the first SIGTERM: end once what runs has ended.
        hurry: is set by what comes after it, SIGTERM or Ctrl-C: end now.
        reread: is set by SIGHUP: read the configuration again.
    """

    stop: asyncio.Event = attrs.field(factory=asyncio.Event)
    hurry: asyncio.Event = attrs.field(factory=asyncio.Event)
    reread: asyncio.Event = attrs.field(factory=asyncio.Event)
    _giving_up: Callable[[], object] | None = None
    _has_terminal: bool = attrs.field(factory=_has_terminal)

    def terminate(self) -> None:
        """Take a SIGTERM."""
        if self._giving_up is not None and not self.stop.is_set():
            self._giving_up()
        (self.hurry if self.stop.is_set() else self.stop).set()

    def hang_up(self) -> None:
        """Take a SIGHUP; where the terminal has gone that all this was typed at, end."""
        if self._has_terminal and not _has_terminal():
            self.terminate()
        else:
            self.reread.set()

    @contextmanager
    def unless_stopped(self) -> Iterator[None]:
        """Give the block up once SIGTERM comes.

        Raises:
            StoppedError: it has.
        """
        task = asyncio.current_task()
        self._giving_up = None if task is None else task.cancel
        try:
            if self.stop.is_set():
                raise StoppedError
            yield
        except asyncio.CancelledError:
            if not self.stop.is_set() or task is None:
                raise
            task.uncancel()
            raise StoppedError from None
        finally:
            self._giving_up = None


@contextmanager
def orders_heard() -> Iterator[Orders]:
    """What signals ask for while the block runs.

    Ctrl-C ends the task that runs now, once; after SIGTERM it hurries that on.

    Raises:
        KeyboardInterrupt: Ctrl-C has come first, and the task has ended.
    """
    orders, loop = Orders(), asyncio.get_running_loop()
    heard = {"SIGTERM": orders.terminate, "SIGHUP": orders.hang_up}
    numbers = [getattr(signal, name) for name in heard if hasattr(signal, name)]
    for number in numbers:
        with suppress(NotImplementedError):  # Windows has no such signals
            loop.add_signal_handler(number, heard[number.name])
    try:
        with _interrupted_once(orders):
            yield orders
    finally:
        for number in numbers:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)


@attrs.define(eq=False)
class _Interruption:
    """Ctrl-C: ends a task once; while it ends, more of it does nothing."""

    orders: Orders
    task: "asyncio.Task[object] | None"
    loop: asyncio.AbstractEventLoop
    is_asked: bool = False
    is_heard: bool = False

    def ask(self, _number: int, _frame: object) -> None:
        """Take it, between any two steps of the program.

        Raises:
            KeyboardInterrupt: it has come once more, and the loop has no time for it.
        """
        if self.orders.stop.is_set():
            self.loop.call_soon_threadsafe(self.orders.hurry.set)
        elif not self.is_asked:
            self.is_asked = True
            self.loop.call_soon_threadsafe(self._hear)
        elif not self.is_heard:
            raise KeyboardInterrupt

    def _hear(self) -> None:
        self.is_heard = True
        if self.task is not None:
            self.task.cancel()


@contextmanager
def _interrupted_once(orders: Orders) -> Iterator[None]:
    """Let Ctrl-C end the task that runs now, once.

    Raises:
        KeyboardInterrupt: it has come, and the task has ended.
    """
    interruption = _Interruption(orders, asyncio.current_task(), asyncio.get_running_loop())
    with _handled(signal.SIGINT, interruption.ask):
        try:
            yield
        except asyncio.CancelledError:
            if interruption.is_heard:
                raise KeyboardInterrupt from None
            raise


@contextmanager
def _handled(number: signal.Signals, handler: Callable[[int, object], None]) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)

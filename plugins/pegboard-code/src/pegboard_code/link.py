"""What passes between the thread of a program and the loop, and how much of it at once."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeAlias

import attrs
from pegboard import JSON, ProgramResult

from pegboard_code.steps import Answer, LostError, MishapError, StoppedError

_UNREAD_PRINTS = 64
_OPEN_CALLS = 1000
_LOOK_UP = 0.25


@attrs.frozen
class Printed:
    """The program has printed something."""

    text: str


@attrs.frozen
class Wanted:
    """The program calls a tool.

    Attributes:
        call_id: what the answer is given to.
        name: of the tool.
        arguments: lossless JSON.
    """

    call_id: int
    name: str
    arguments: Mapping[str, JSON]


@attrs.frozen
class Resting:
    """The program sleeps.

    Attributes:
        call_id: what the answer is given to.
        seconds: for how long.
    """

    call_id: int
    seconds: float


@attrs.frozen
class Ended:
    """The program is at its end, and its process is gone.

    Attributes:
        result: what it gave.
        error: why it gave nothing.
    """

    result: ProgramResult | None = None
    error: BaseException | None = None


@attrs.frozen
class Broken:
    """The host can't go on with the program."""

    error: BaseException


Event: TypeAlias = Printed | Wanted | Resting | Ended | Broken


class Link:
    """Between one thread and the loop."""

    def __init__(self, is_gone: Callable[[], bool]) -> None:
        """Nothing has passed yet.

        Args:
            is_gone: whether the program's process has ended.
        """
        self._is_gone = is_gone
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._inbox: SimpleQueue[tuple[int, Answer] | None] = SimpleQueue()
        self._held: dict[int, Answer] = {}
        self._unread = threading.Semaphore(_UNREAD_PRINTS)
        self._open = threading.Semaphore(_OPEN_CALLS)
        self._is_stopped = False

    def post(self, event: Event) -> None:
        """Tell the loop; from the thread.

        Raises:
            StoppedError: there is no loop any more.
        """
        try:
            self._loop.call_soon_threadsafe(self.events.put_nowait, event)
        except RuntimeError as error:
            raise StoppedError from error

    def print(self, text: str) -> None:
        """Tell what was printed, once the loop has read enough of what was before."""
        if text:
            with suppress(MishapError):
                self._enter(self._unread)
                self.post(Printed(text))

    def begin(self, event: Wanted | Resting) -> None:
        """Tell of a call, once there are few enough that go on.

        Raises:
            MishapError: the program is to end, or its process has.
        """
        self._enter(self._open)
        self.post(event)

    def answers(self, call_ids: Iterable[int]) -> dict[int, Answer]:
        """What some of these calls have given, once there is anything.

        Raises:
            MishapError: the program is to end, or its process has.
        """
        wanted = set(call_ids)
        while not (ready := wanted & self._held.keys()):
            self._receive()
        return {each: self._held.pop(each) for each in ready}

    def _receive(self) -> None:
        """Wait for an answer, and take all that are there."""
        try:
            self._hold(self._inbox.get(timeout=_LOOK_UP))
            while True:
                self._hold(self._inbox.get_nowait())
        except Empty:
            self._look_up()

    def _hold(self, answered: tuple[int, Answer] | None) -> None:
        if answered is None:
            raise StoppedError
        self._held[answered[0]] = answered[1]

    def _enter(self, room: threading.Semaphore) -> None:
        while not room.acquire(timeout=_LOOK_UP):
            self._look_up()
        if self._is_stopped:
            raise StoppedError

    def _look_up(self) -> None:
        """See whether there is still anything to wait for."""
        if self._is_stopped or self._loop.is_closed():
            raise StoppedError
        if self._is_gone():
            raise LostError("", is_late=False)

    def answer(self, call_id: int, answer: Answer) -> None:
        """Give what a call has given; from the loop."""
        self._open.release()
        self._inbox.put((call_id, answer))

    def read(self) -> None:
        """Say that something printed was read; from the loop."""
        self._unread.release()

    def stop(self) -> None:
        """Have the thread come to its end; from the loop."""
        self._is_stopped = True
        self._inbox.put(None)
        self._unread.release()
        self._open.release()

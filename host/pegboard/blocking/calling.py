"""The half of a board that makes calls, for programs without async."""

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from functools import partial
from typing import Any, TypeVar

from pegboard.blocking.loop import BackgroundLoop
from pegboard.blocking.reporting import Reports
from pegboard.blocking.seats import Seat
from pegboard.blocking.streams import Stream
from pegboard.board.calling import BatchEvent
from pegboard.calls import Signal
from pegboard.outcomes import Outcome, ToolCall
from pegboard.values import JSON

T = TypeVar("T")


class Caller:
    """What makes the calls of one board."""

    __slots__ = ("_host", "_loop", "_seat")

    def __init__(self, seat: Seat, loop: BackgroundLoop, host: object) -> None:
        self._seat = seat
        self._loop = loop
        self._host = host  # which is closed when it is forgotten, and not before its boards are

    @property
    def name(self) -> str:
        """The board's name."""
        return self._seat.board.name

    def call(
        self,
        call_or_name: ToolCall | str,
        arguments: JSON = None,
        *,
        id: str | None = None,  # noqa: A002 - the contract's name
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Make one call, and wait for its outcome.

        Args:
            call_or_name: a call as a model made it, or the name of a tool.
            arguments: with a name: a JSON object, or raw text of one.
            id: with a name: the call's id; a fresh one if None.
            signal: cancels the call; may be cancelled from another thread.
            on_progress: called with each `Progress`, in this thread while it waits.
            deps: an object for tools and hooks; the board's own if None.
            labels: text to JSON, for audit; put over the board's own.
            approvals: answers that were given before, by the digest of their request.

        Returns:
            its one outcome, whatever a model, a tool or a policy did.
        """
        make = partial(
            self._seat.board.call,
            call_or_name,
            arguments,
            id=id,
            signal=signal,
            deps=deps,
            labels=labels,
            approvals=approvals,
        )
        return self._loop.run(make) if on_progress is None else self._told(make, on_progress)

    def run(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> list[Outcome]:
        """Make the calls of one message: one outcome each, in the order of the calls.

        They overlap as far as their tools say, as those of `pegboard.Board.run` do.

        Args:
            calls: the calls.
            max_parallel: how many bodies may run at once, at most.
            signal: cancels the batch; may be cancelled from another thread.
            on_progress: called with each `Progress`, in this thread while it waits.
            deps: an object for tools and hooks; the board's own if None.
            labels: text to JSON, for audit; put over the board's own.
            approvals: answers that were given before, by the digest of their request.

        Raises:
            BoardError: `max_parallel` isn't a whole number from 1 on, or something isn't a
                `ToolCall`; nothing has started.
        """
        make = partial(
            self._seat.board.run,
            _taken(calls),
            max_parallel=max_parallel,
            signal=signal,
            deps=deps,
            labels=labels,
            approvals=approvals,
        )
        return self._loop.run(make) if on_progress is None else self._told(make, on_progress)

    def stream(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> Generator[Outcome, None, None]:
        """The same as `run`, each outcome as soon as its turn has come.

        The batch begins with the first step of the iteration and doesn't wait for a slow reader;
        `on_progress` is called while the next outcome is waited for. Whoever stops iterating
        cancels what runs: after `close()` everything has ended, after a `break` it does soon.
        """
        make = partial(
            self._seat.board.stream,
            _taken(calls),
            max_parallel=max_parallel,
            signal=signal,
            deps=deps,
            labels=labels,
            approvals=approvals,
        )
        return self._streamed(make, on_progress)

    def events(
        self,
        calls: Iterable[ToolCall],
        *,
        max_parallel: int = 10,
        signal: Signal | None = None,
        on_progress: Callable[[Any], Any] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
        approvals: Mapping[str, Any] | None = None,
    ) -> Generator[BatchEvent, None, None]:
        """The same as `stream`, with what happens on the way, for a user interface.

        Gives `Started`, `Progress` and `ApprovalAsked` of each call as they happen, and the
        outcomes in the order of the calls.
        """
        make = partial(
            self._seat.board.events,
            _taken(calls),
            max_parallel=max_parallel,
            signal=signal,
            deps=deps,
            labels=labels,
            approvals=approvals,
        )
        return self._streamed(make, on_progress)

    def cancel(self, reason: str = "cancelled") -> None:
        """Stop what runs on this board and on its children; the board stays open.

        Each call ends with its outcome. This returns once they all have ended, or have had their
        time to stop; a call that asks for it from inside is stopped too, and not waited for.

        Args:
            reason: what models read.

        Raises:
            BoardError: the reason isn't text.
        """
        self._loop.run(lambda: self._seat.board.cancel(reason))

    def _told(self, make: Callable[..., Awaitable[T]], on_progress: Callable[[Any], Any]) -> T:
        """Wait for what is made, and have progress told in this thread."""
        reports = self._reports(on_progress)
        if reports is None:
            return self._loop.run(lambda: make(on_progress=on_progress))
        begin = partial(make, on_progress=reports.note)
        return self._loop.run(begin, hear=reports.hear, told=reports.told)

    def _streamed(
        self, make: Callable[..., AsyncGenerator[T, None]], on_progress: Callable[[Any], Any] | None
    ) -> Stream[T]:
        """Iterate over what is made, and have progress told in this thread."""
        reports = self._reports(on_progress)
        note = on_progress if reports is None else reports.note
        steps = self._loop.call(lambda: make(on_progress=note))
        return Stream(self._loop, steps, reports, self)

    def _reports(self, on_progress: Callable[[Any], Any] | None) -> Reports | None:
        """What tells the caller in its own thread; None where the board is to refuse it."""
        return Reports(self._loop, on_progress) if callable(on_progress) else None


def _taken(calls: Iterable[ToolCall]) -> Iterable[ToolCall]:
    """The calls, those that are made as they are taken from the thread that makes them."""
    return tuple(calls) if isinstance(calls, Iterator) else calls
